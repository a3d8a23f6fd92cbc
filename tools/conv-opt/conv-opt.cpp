//===- conv-opt.cpp - passes on files -------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with our dialects and passes, whose input MLIR's parser survives.
//
// Exit status: 0 done, 1 a diagnostic, 2 the input cannot be read or parsed at
// all, or the output cannot be written.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Registration.h"
#include "conv/Support/Message.h"
#include "conv/Support/ParserTrial.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <csignal>

using namespace mlir;
using convmlir::Status;

static int fail(const std::string &message) {
  llvm::errs() << "conv-opt: error: " << convmlir::shortenMessage(message)
               << '\n';
  return 2;
}

/// Parses and prints, as the tool does without passes.
static void parseOnly(llvm::MemoryBufferRef input, DialectRegistry &registry) {
  // Diagnostics are for the second time: the buffer is never written.
  constexpr size_t enoughForDiagnostics = 1 << 20;
  llvm::errs().SetBufferSize(enoughForDiagnostics);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([](PassManager &) { return success(); })
      .verifyDiagnostics(SourceMgrDiagnosticVerifierHandler::Level::None)
      .dumpPassPipeline(false)
      .runReproducer(false);
  (void)MlirOptMain(llvm::nulls(),
                    llvm::MemoryBuffer::getMemBuffer(input, false), registry,
                    config);
}

static int run(const std::string &inputName, const std::string &outputName,
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
  LogicalResult result =
      MlirOptMain(output->os(), std::move(input), registry,
                  MlirOptMainConfig::createFromCLOptions());
  output->os().flush();
  // A stream that still has an error when the program ends aborts it.
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    return fail("cannot write '" + outputName + "': " + error.message());
  }
  if (succeeded(result))
    output->keep();
  return asMainReturnCode(result);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  DialectRegistry registry;
  conv::registerAll(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "conv-mlir optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return run(input, output, registry);
}
