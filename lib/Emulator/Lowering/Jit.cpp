//===- Jit.cpp - machine code for the host --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Jit.h.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "HostSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace convmlir::emu {

static convmlir::Error asError(llvm::Error error) {
  return {"emulator: " + toString(std::move(error))};
}

static void append(std::string &messages, const std::string &message) {
  messages += (messages.empty() ? "" : "; ") + message;
}

void collectMessages(LLVMContext &context, std::string &messages) {
  auto collect = [](const DiagnosticInfo *info, void *to) {
    if (info->getSeverity() != DS_Error)
      return;
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    append(*static_cast<std::string *>(to), text);
  };
  context.setDiagnosticHandlerCallBack(collect, &messages);
}

Status verifyCode(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    return convmlir::Error{"emulator: the kernels are no valid LLVM IR: " +
                           text};
  return {};
}

Result<HostTarget> detectHostTarget(bool optimize) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return asError(builder.takeError());
  // Its conversions to bf16 take subnormal numbers for zeros; a GPU's do not.
  builder->addFeatures({"-avx512bf16", "-avxneconvert"});
  builder->setCodeGenOptLevel(optimize ? CodeGenOptLevel::Default
                                       : CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return asError(machine.takeError());
  return HostTarget{*builder,
                    (*machine)->createDataLayout().getStringRepresentation(),
                    builder->getTargetTriple().str()};
}

Status optimizeModule(Module &module, const HostTarget &target) {
  orc::JITTargetMachineBuilder builder = target.builder;
  auto machine = builder.createTargetMachine();
  if (!machine)
    return asError(machine.takeError());
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = false;
  tuning.LoopUnrolling = false;
  PassBuilder passes(machine->get(), tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(module, modules);
  return {};
}

static llvm::Error defineHostSymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (const HostSymbol &symbol : hostSymbols())
    symbols[jit.mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address), JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

Result<std::unique_ptr<orc::LLJIT>> generateCode(orc::ThreadSafeModule module,
                                                 const HostTarget &target,
                                                 std::string &messages) {
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(target.builder)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return asError(jit.takeError());
  (*jit)->getExecutionSession().setErrorReporter(
      [&messages](llvm::Error error) {
        append(messages, toString(std::move(error)));
      });
  if (auto error = defineHostSymbols(**jit))
    return asError(std::move(error));
  if (auto error = (*jit)->addIRModule(std::move(module)))
    return asError(std::move(error));
  return std::move(*jit);
}

Result<void *> lookupSymbol(orc::LLJIT &jit, const std::string &name) {
  auto address = jit.lookup(name);
  if (!address)
    return asError(address.takeError());
  return address->toPtr<void *>();
}

} // namespace convmlir::emu
