//===- WmmaFactors.cpp - factors of wmma rounded to tf32 ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores cut off what tf32 does not have, and elements in the registers
// of `gpu.subgroup_mma` matrices of f32 have no operation (upstream's
// subgroup_mma_extract_thread_local has no conversion for them). In the nvvm
// dialect they are registers like others.
//
//===----------------------------------------------------------------------===//

#include "WmmaFactors.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

/// Of the sums in f32, behind the factors.
static constexpr size_t kSumRegisters = 8;

static Value round(OpBuilder &builder, Location loc, Value bits) {
  Value number =
      LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  return NVVM::ConvertFloatToTF32Op::create(builder, loc, builder.getI32Type(),
                                            number, NVVM::FPRoundingMode::RNA);
}

void conv::roundWmmaFactors(gpu::GPUModuleOp module) {
  module.walk([](NVVM::WMMAMmaOp op) {
    if (op.getEltypeA() != NVVM::MMATypes::tf32)
      return;
    OpBuilder builder(op);
    for (OpOperand &factor : MutableArrayRef<OpOperand>(op.getArgsMutable())
                                 .drop_back(kSumRegisters))
      factor.set(round(builder, op.getLoc(), factor.get()));
  });
}
