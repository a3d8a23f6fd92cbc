//===- Bf16MmaSync.cpp - nvgpu.mma.sync on bf16 ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion of MLIR 22 deduces no PTX type for bf16. `nvvm.mma.sync` takes
// pairs of bf16 as 32-bit integers and the accumulator as single floats;
// `nvgpu` has vectors of pairs, which are arrays of vectors in the LLVM
// dialect.
//
//===----------------------------------------------------------------------===//

#include "Bf16MmaSync.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;

/// The pairs of a converted operand, each as one integer.
static SmallVector<Value> unpackPairs(OpBuilder &builder, Location loc,
                                      Value array) {
  SmallVector<Value> pairs;
  int64_t number = cast<LLVM::LLVMArrayType>(array.getType()).getNumElements();
  for (int64_t i = 0; i < number; ++i) {
    Value pair = LLVM::ExtractValueOp::create(builder, loc, array, i);
    pairs.push_back(
        LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair));
  }
  return pairs;
}

static Value getLaneIndex(OpBuilder &builder, Location loc, int64_t lane) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI32IntegerAttr(lane));
}

/// The single elements of a converted accumulator, rows first.
static SmallVector<Value> unpackElements(OpBuilder &builder, Location loc,
                                         Value array) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 2; ++i) {
    Value row = LLVM::ExtractValueOp::create(builder, loc, array, i);
    for (int64_t j = 0; j < 2; ++j)
      elements.push_back(LLVM::ExtractElementOp::create(
          builder, loc, row, getLaneIndex(builder, loc, j)));
  }
  return elements;
}

/// The converted accumulator from the instruction's structure of four floats.
static Value packElements(OpBuilder &builder, Location loc, Value result,
                          Type arrayType) {
  auto rowType = cast<LLVM::LLVMArrayType>(arrayType).getElementType();
  Value array = LLVM::PoisonOp::create(builder, loc, arrayType);
  for (int64_t i = 0; i < 2; ++i) {
    Value row = LLVM::PoisonOp::create(builder, loc, rowType);
    for (int64_t j = 0; j < 2; ++j)
      row = LLVM::InsertElementOp::create(
          builder, loc, row,
          LLVM::ExtractValueOp::create(builder, loc, result, 2 * i + j),
          getLaneIndex(builder, loc, j));
    array = LLVM::InsertValueOp::create(builder, loc, array, row, i);
  }
  return array;
}

namespace {
struct Bf16MmaSyncPattern : ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto operandType = cast<VectorType>(op.getMatrixA().getType());
    auto resultType = cast<VectorType>(op.getRes().getType());
    if (!operandType.getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "operands are not bf16");
    std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
    if (shape != std::array<int64_t, 3>{16, 8, 16} ||
        resultType.getShape() != ArrayRef<int64_t>{2, 2} ||
        !resultType.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not m16n8k16 with f32 results");

    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    Value result = NVVM::MmaOp::create(
        rewriter, loc,
        LLVM::LLVMStructType::getLiteral(getContext(), {f32, f32, f32, f32}),
        unpackPairs(rewriter, loc, adaptor.getMatrixA()),
        unpackPairs(rewriter, loc, adaptor.getMatrixB()),
        unpackElements(rewriter, loc, adaptor.getMatrixC()), shape,
        /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
        std::array{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    rewriter.replaceOp(op,
                       packElements(rewriter, loc, result,
                                    typeConverter->convertType(resultType)));
    return success();
  }
};
} // namespace

void mlir::conv::populateBf16MmaSyncPattern(const LLVMTypeConverter &converter,
                                            RewritePatternSet &patterns) {
  // Preferred to the upstream pattern, which reports an error.
  patterns.add<Bf16MmaSyncPattern>(converter, /*benefit=*/2);
}
