//===- conv-opt.cpp - passes on files -------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with our dialects and passes, whose input MLIR's parser survives. A
// pass that is named and finds nothing to run on is an error.
//
// Exit status: 0 done, 1 a diagnostic, 2 the input cannot be read or parsed at
// all, a plugin cannot be loaded, or the output cannot be written.
//
//===----------------------------------------------------------------------===//

#include "IdlePasses.h"
#include "Plugins.h"
#include "conv/Compiler/BinaryPass.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Pipelines/MissingOperands.h"
#include "conv/Pipelines/Registration.h"
#include "conv/Support/Message.h"
#include "conv/Support/ParserTrial.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;
using convmlir::Status;

static int fail(const std::string &message) {
  llvm::errs() << "conv-opt: error: " << convmlir::shortenMessage(message)
               << '\n';
  return 2;
}

/// Looks at what was parsed before anything is folded or printed.
namespace {
struct FindMissingOperands : PassWrapper<FindMissingOperands, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FindMissingOperands)
  explicit FindMissingOperands(std::string &found) : found(found) {}

  void runOnOperation() override {
    Operation *op = conv::findMissingOperands(getOperation());
    if (!op)
      return;
    llvm::raw_string_ostream(found)
        << op->getLoc() << ": " << conv::describeMissingOperands(op);
    signalPassFailure();
  }

private:
  std::string &found;
};
} // namespace

/// Parses and prints, as the tool does without passes. Ends the process where
/// operands are missing.
static void parseOnly(llvm::MemoryBufferRef input, DialectRegistry &registry) {
  // Diagnostics are for the second time: the buffer is never written.
  constexpr size_t enoughForDiagnostics = 1 << 20;
  llvm::errs().SetBufferSize(enoughForDiagnostics);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  std::string missing;
  config
      .setPassPipelineSetupFn([&](PassManager &pm) {
        pm.addPass(std::make_unique<FindMissingOperands>(missing));
        return success();
      })
      .verifyDiagnostics(SourceMgrDiagnosticVerifierHandler::Level::None)
      .dumpPassPipeline(false)
      .runReproducer(false);
  (void)MlirOptMain(llvm::nulls(),
                    llvm::MemoryBuffer::getMemBuffer(input, false), registry,
                    config);
  if (missing.empty())
    return;
  llvm::errs() << '\n' << missing << '\n';
  llvm::errs().flush();
  _exit(2);
}

/// What the command line asks for, and a note of the passes that run.
static MlirOptMainConfig watchPasses(convmlir::IdlePasses &idle) {
  MlirOptMainConfig asked = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig watched = asked;
  watched.setPassPipelineSetupFn([asked, &idle](PassManager &pm) {
    if (failed(asked.setupPassPipeline(pm)))
      return failure();
    idle.watch(pm);
    return success();
  });
  return watched;
}

static int run(const std::string &inputName, const std::string &outputName,
               llvm::ArrayRef<const char *> arguments,
               DialectRegistry &registry) {
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &why);
  if (!input)
    return fail(why);
  if (Status status = convmlir::tryParser(
          input->getBuffer(), input->getBufferIdentifier().str(),
          [&] { parseOnly(input->getMemBufferRef(), registry); });
      !status)
    return fail(status.error());
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &why);
  if (!output)
    return fail(why);
  convmlir::IdlePasses idle;
  LogicalResult result =
      MlirOptMain(output->os(), std::move(input), registry, watchPasses(idle));
  output->os().flush();
  // A stream that still has an error when the program ends aborts it.
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    return fail("cannot write '" + outputName + "': " + error.message());
  }
  if (succeeded(result))
    if (Status status = idle.check(arguments); !status)
      return fail(status.error());
  if (succeeded(result))
    output->keep();
  return asMainReturnCode(result);
}

/// --help is of passes and of what the tool does. Options that LLVM's code
/// generators registered, which are there by now, are in --help-hidden.
static void hideOptionsOfLLVM() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!llvm::is_contained({"help", "help-hidden", "version"}, name) &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  DialectRegistry registry;
  conv::registerAll(registry);
  conv::registerNvvmToBinaryPass();
  hideOptionsOfLLVM();
  if (Status status = convmlir::tryPlugins({argv + 1, argv + argc}); !status)
    return fail(status.error());
  std::string header = registerCLIOptions(
      "conv-mlir optimizer driver\n\n" + conv::describePipelines(), registry);
  auto [input, output] = parseCLIOptions(argc, argv, header);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return run(input, output, {argv + 1, argv + argc}, registry);
}
