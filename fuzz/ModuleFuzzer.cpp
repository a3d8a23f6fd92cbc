//===- ModuleFuzzer.cpp - modules of MLIR ---------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a letter that says what is done, then a module as text. What is done:
// the front end and the whole compiler, as in conv-run, or one pipeline on the
// module as it is, as in conv-opt; each for two targets.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "conv/Compiler/ParserGuard.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Pipelines/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace convmlir;
using namespace mlir;

/// Where pipelines end.
static constexpr Form forms[] = {Form::F2, Form::F3, Form::F4,
                                 Form::F6, Form::F7, Form::F8};

static void compileText(std::string_view text, const std::string &target) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(text, "module", "");
  if (source)
    fuzzing::compileOrRefuse(**source, target, "");
  else
    fuzzing::noteRefusal(source.error());
}

/// Whether MLIR itself crashes on a module that is none of the front end's: a
/// function that returns one value twice (docs/Upstream.md).
static bool hitsFaultOfMLIR(ModuleOp module) {
  return module
      .walk([](func::ReturnOp op) {
        llvm::SmallDenseSet<Value> values(op.operand_begin(), op.operand_end());
        return values.size() < op.getNumOperands() ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static void runPipeline(std::string_view text, const std::string &target,
                        size_t pipeline) {
  DialectRegistry registry;
  conv::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(std::string(text), ParserConfig(&context),
                                  "module");
  if (!module)
    return fuzzing::noteRefusal(message);
  if (hitsFaultOfMLIR(*module))
    return;
  conv::KernelPipelineOptions options;
  options.chip = target;
  PassManager pm(&context, ModuleOp::getOperationName());
  conv::buildConvSteps(pm, Form::F0, forms[pipeline], options);
  if (failed(pm.run(*module)))
    fuzzing::noteRefusal(message);
}

/// Whether MLIR's parser comes to an end, in a child as in the tools. A fault of
/// the parser is none of ours. What a sanitizer finds in the child is: libFuzzer
/// keeps the input there, and what is printed here says why.
static bool survivesParser(std::string_view text) {
  Status status = checkParser(text, "module");
  if (status)
    return true;
  std::fprintf(stderr, "%s\n", status.error().c_str());
  fuzzing::noteRefusal(status.error());
  return false;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t largest = 1 << 14, ways = std::size(forms) + 1;
  if (size == 0 || size > largest)
    return 0;
  size_t choice = (data[0] - 'a') % (2 * ways);
  std::string target = choice % 2 ? "sm_90a" : "sm_80";
  std::string_view text = fuzzing::asText(data + 1, size - 1);
  if (!survivesParser(text))
    return 0;
  if (choice / 2 == 0)
    compileText(text, target);
  else
    runPipeline(text, target, choice / 2 - 1);
  return 0;
}
