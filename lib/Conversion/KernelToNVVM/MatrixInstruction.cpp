//===- MatrixInstruction.cpp - one wgmma and its operands -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixInstruction.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Shared memory is far smaller than the 2^18 bytes that a descriptor reaches.
static constexpr int64_t kAddressMask = 0x3FFFF;

Value AddressMath::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, i32,
                                  builder.getI32IntegerAttr(value));
}

Value AddressMath::add(Value a, Value b) {
  return LLVM::AddOp::create(builder, loc, a, b);
}

Value AddressMath::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, constant(b));
}

Value AddressMath::toInt32(Value index) {
  return index.getType() == i32
             ? index
             : LLVM::TruncOp::create(builder, loc, i32, index);
}

Value AddressMath::toUnits(Value number, int64_t bytes) {
  int64_t perUnit = MatrixDescriptor::kUnit / bytes;
  return LLVM::LShrOp::create(builder, loc, number,
                              constant(llvm::Log2_64(perUnit)));
}

Value AddressMath::lowWord(int64_t bits, Value start, Value mn,
                           int64_t unitsPerMn, Value offset,
                           int64_t elementBytes) {
  Value address = LLVM::PtrToIntOp::create(builder, loc, i32, start);
  address = LLVM::AndOp::create(builder, loc, address, constant(kAddressMask));
  Value low =
      LLVM::OrOp::create(builder, loc, toUnits(address, 1), constant(bits));
  if (mn)
    low = add(low, LLVM::MulOp::create(builder, loc, toInt32(mn),
                                       constant(unitsPerMn)));
  return add(low, toUnits(toInt32(offset), elementBytes));
}

Value AddressMath::join(Value low, int64_t high) {
  Type i64 = builder.getI64Type();
  Value wide = LLVM::ZExtOp::create(builder, loc, i64, low);
  Value constant = LLVM::ConstantOp::create(
      builder, loc, i64,
      builder.getI64IntegerAttr(int64_t(uint64_t(high) << 32)));
  return LLVM::OrOp::create(builder, loc, wide, constant);
}

std::optional<MatrixDescriptor> conv::getPanelMatrix(MemRefType tile,
                                                     bool isMnMajor) {
  int64_t offset, columns = tile.getDimSize(1);
  SmallVector<int64_t> strides;
  if (failed(tile.getStridesAndOffset(strides, offset)) ||
      strides != ArrayRef<int64_t>{columns, 1})
    return std::nullopt;
  return MatrixDescriptor(
      convmlir::PanelTile(tile.getDimSize(0), columns,
                          tile.getElementTypeBitWidth() / 8),
      isMnMajor);
}

static NVVM::WGMMATypes getOperandType(Type element) {
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (element.isF32())
    return NVVM::WGMMATypes::tf32;
  if (element.isInteger())
    return NVVM::WGMMATypes::s8;
  return isa<Float8E5M2Type>(element) ? NVVM::WGMMATypes::e5m2
                                      : NVVM::WGMMATypes::e4m3;
}

Value conv::createMatrixInstruction(OpBuilder &builder, Location loc,
                                    const MatrixInstruction &instruction,
                                    Value accumulator, Value a, Value b) {
  MLIRContext *context = builder.getContext();
  Type element = instruction.elementTypeA;
  int64_t k = kInstructionBytes * 8 / element.getIntOrFloatBitWidth();
  auto operandType = [&](Type type) {
    return NVVM::WGMMATypesAttr::get(context, getOperandType(type));
  };
  auto sumType = NVVM::WGMMATypesAttr::get(
      context,
      element.isInteger() ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
  auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  // `row` is K-major for A, MN-major for B.
  auto layout = [&](bool isRow) {
    return NVVM::MMALayoutAttr::get(context, isRow ? NVVM::MMALayout::row
                                                   : NVVM::MMALayout::col);
  };
  return NVVM::WgmmaMmaAsyncOp::create(
      builder, loc, accumulator.getType(), accumulator, a, b,
      NVVM::MMAShapeAttr::get(context, kInstructionM, instruction.n, k),
      operandType(element), operandType(instruction.elementTypeB), sumType,
      NVVM::WGMMAScaleOutAttr::get(context, instruction.overwrites
                                                ? NVVM::WGMMAScaleOut::zero
                                                : NVVM::WGMMAScaleOut::one),
      one, one, layout(!instruction.isMnMajorA), layout(instruction.isMnMajorB),
      /*satfinite=*/nullptr);
}

bool conv::isInitialAccumulator(Value accumulator) {
  return isa_and_nonnull<ZeroAccumulatorOp>(accumulator.getDefiningOp());
}
