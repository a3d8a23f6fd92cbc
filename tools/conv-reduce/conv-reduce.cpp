//===- conv-reduce.cpp - smaller modules with the same fault --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a module in which something is wrong, and what that is. Output: a
// smaller module in which it is wrong as well.
//
// Exit status: 0 written; 2 bad usage or input. With --ask that of a test of
// mlir-reduce: 1 yes, 0 no.
//
//===----------------------------------------------------------------------===//

#include "Answer.h"
#include "Patterns.h"
#include "Reduce.h"
#include "Support/Message.h"
#include "conv/Pipelines/Registration.h"
#include "conv/Support/ParserTrial.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <csignal>

using namespace mlir;
using namespace convmlir;
using namespace convmlir::reducer;

static Result<OwningOpRef<ModuleOp>> parse(const std::string &file,
                                           MLIRContext &context) {
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(file, &why);
  if (!input)
    return Error{why};
  StringRef text = input->getBuffer();
  OwningOpRef<ModuleOp> module;
  auto parseText = [&] {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context), file);
  };
  if (Status status = tryParser(text, file, parseText); !status)
    return status.takeError();
  parseText();
  if (!module)
    return Error{"'" + file + "' is no module; the line above says why"};
  return module;
}

/// A file is there whole or not at all.
static Status write(ModuleOp module, const std::string &path) {
  std::string why;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(path, &why);
  if (!output)
    return Error{why};
  module.print(output->os());
  output->os().flush();
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    return Error{"cannot write '" + path + "': " + error.message()};
  }
  output->keep();
  return {};
}

/// Whether there is something to reduce. What is asked is the module as it is
/// printed, as it is later on.
static Status check(const CommandLine &line, ModuleOp module) {
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("conv-reduce", "mlir", path))
    return Error{"a temporary file cannot be made: " + code.message()};
  llvm::FileRemover remover(path);
  if (Status status = write(module, std::string(path)); !status)
    return status;
  Result<Answer> first = answer(line, std::string(path));
  if (!first)
    return first.takeError();
  std::string asked =
      line.test.empty() ? "--still=" + line.still : "--test=" + line.test;
  if (!first->isYes)
    return Error{"'" + line.file + "' does not do it, " + asked + ": " +
                 first->why};
  return {};
}

static Result<std::string> makeMemory() {
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("conv-reduce", path))
    return Error{"a temporary folder cannot be made: " + code.message()};
  return std::string(path);
}

static Status run(const CommandLine &line) {
  DialectRegistry registry;
  conv::registerAll(registry);
  registerReductionPatterns(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = parse(line.file, context);
  if (!module)
    return module.takeError();
  if (Status status = check(line, **module); !status)
    return status;
  Result<std::string> memory = makeMemory();
  if (!memory)
    return memory.takeError();
  llvm::scope_exit forget([&] { llvm::sys::fs::remove_directories(*memory); });
  size_t before = countLines(**module);
  if (Status status = reduce(*module, makeAsker(line, *memory)); !status)
    return status;
  llvm::errs() << "conv-reduce: " << before << " lines to "
               << countLines(**module) << '\n';
  return write(**module, line.output);
}

static int fail(const std::string &message) {
  printMessage("conv-reduce", "error", message);
  return 2;
}

/// What mlir-reduce expects of a test. It reads any other status as yes.
static int ask(const CommandLine &line) {
  Result<Answer> given = recallOrAnswer(line, line.file);
  if (given)
    return given->isYes ? 1 : 0;
  printMessage("conv-reduce", "error", given.error());
  return 0;
}

int main(int argc, char **argv) {
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Result<CommandLine> line =
      parseCommandLine({argv + 1, argv + (argc > 0 ? argc : 1)});
  if (!line)
    return fail(line.error());
  if (line->help || line->version) {
    llvm::outs() << (line->help ? helpText() : versionText());
    return 0;
  }
  if (line->asks)
    return ask(*line);
  Status status = run(*line);
  return status ? 0 : fail(status.error());
}
