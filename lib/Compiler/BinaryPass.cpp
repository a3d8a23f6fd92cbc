//===- BinaryPass.cpp - kernels to code of a target -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-nvvm-to-binary: input: a module of form F8; output: form F9, where each
// gpu.module is a gpu.binary with PTX or a cubin. Upstream's
// gpu-module-to-binary writes the same operation, but does not know what some
// operations of sm_90a are in LLVM IR, that inline PTX is convergent, and what
// ptxas does wrong (docs/Upstream.md).
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/BinaryPass.h"
#include "conv/Compiler/Compiler.h"
#include "conv/Compiler/KernelCode.h"
#include "conv/Compiler/PtxAssembler.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Pipelines/Forms.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;

namespace {
/// Bytes of a format.
struct Code {
  gpu::CompilationTarget format;
  std::string bytes;
};

class NvvmToBinary : public PassWrapper<NvvmToBinary, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NvvmToBinary)

  NvvmToBinary() = default;
  NvvmToBinary(const NvvmToBinary &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "conv-nvvm-to-binary"; }
  StringRef getDescription() const override {
    return "kernels of nvvm and llvm to PTX or a cubin (F8 to F9)";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }
  void runOnOperation() override {
    if (Status status = run(); !status) {
      emitError(getOperation().getLoc()) << status.error();
      signalPassFailure();
    }
  }

private:
  Status run();
  std::string getTarget();
  Status replace(gpu::GPUModuleOp kernels);
  Result<Code> generate(gpu::GPUModuleOp kernels);

  Option<std::string> chip{
      *this, "chip", llvm::cl::desc("the target; empty: that of the module")};
  Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("the path of ptxas; empty: PTX, and no cubin")};
};
} // namespace

std::string NvvmToBinary::getTarget() {
  return chip.empty() ? std::string(conv::getChip(getOperation()).name)
                      : chip.getValue();
}

Status NvvmToBinary::run() {
  std::string target = getTarget();
  if (!lookupChip(target))
    return Error{"conv-nvvm-to-binary: unknown target '" + target +
                 "', expected one of " + supportedChips()};
  FailureOr<FormRange> forms = findForms(getOperation());
  if (failed(forms))
    return Error{"conv-nvvm-to-binary: the module is of no form"};
  if (!forms->overlaps({Form::F8, Form::F8}))
    return Error{"conv-nvvm-to-binary: expected a module of form " +
                 toString(Form::F8) + ", got " + forms->text()};
  SmallVector<gpu::GPUModuleOp> modules(
      getOperation().getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp kernels : modules)
    if (Status status = replace(kernels); !status)
      return status;
  return {};
}

Result<Code> NvvmToBinary::generate(gpu::GPUModuleOp kernels) {
  std::string target = getTarget();
  Result<TargetCode> code = generateTargetCode(kernels, target);
  if (!code)
    return code.takeError();
  if (ptxas.empty())
    return Code{gpu::CompilationTarget::Assembly, std::move(code->ptx)};
  Result<convmlir::AssembledPtx> assembled = convmlir::assemblePtx(
      ptxas, code->ptx, target, convmlir::CompileOptions().ptxasLimit);
  if (!assembled)
    return assembled.takeError();
  return Code{gpu::CompilationTarget::Binary,
              std::string(assembled->cubin.begin(), assembled->cubin.end())};
}

Status NvvmToBinary::replace(gpu::GPUModuleOp kernels) {
  Result<Code> code = generate(kernels);
  if (!code)
    return code.takeError();
  MLIRContext *context = &getContext();
  auto target = NVVM::NVVMTargetAttr::get(
      context, /*optLevel=*/3, "nvptx64-nvidia-cuda", getTarget());
  auto object = gpu::ObjectAttr::get(
      context, target, code->format, StringAttr::get(context, code->bytes),
      /*properties=*/DictionaryAttr(), /*kernels=*/gpu::KernelTableAttr());
  OpBuilder builder(kernels);
  gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                        /*offloadingHandler=*/nullptr,
                        ArrayRef<Attribute>{object});
  kernels.erase();
  return {};
}

void conv::registerNvvmToBinaryPass() { PassRegistration<NvvmToBinary>(); }
