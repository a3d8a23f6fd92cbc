//===- LowerConversions.cpp - conversions of numbers ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `cvt` instructions that LLVM has no operation of its own for.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Matrices/ConversionOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

/// cvt.rna.tf32.f32: half a unit of the last place that tf32 has is added to
/// the magnitude, and what lies below is cut off. A carry into the exponent is
/// right; infinities stay, and NaN becomes the canonical one.
static LogicalResult lowerToTF32(KernelLowering &lowering, Operation *op) {
  auto convert = cast<NVVM::ConvertFloatToTF32Op>(op);
  if (convert.getRnd() != NVVM::FPRoundingMode::RNA ||
      convert.getSat() != NVVM::SaturationMode::NONE || convert.getRelu())
    return op->emitOpError("is emulated for rounding mode rna only");
  OpBuilder &builder = lowering.rewriter();
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto constant = [&](uint32_t bits) -> Value {
    return LLVM::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getI32Type(), int32_t(bits)));
  };
  Value bits = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                       convert.getSrc());
  Value magnitude =
      LLVM::AndOp::create(builder, loc, bits, constant(0x7fffffff));
  Value isNaN = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ugt,
                                     magnitude, constant(0x7f800000));
  Value rounded = LLVM::AndOp::create(
      builder, loc, LLVM::AddOp::create(builder, loc, bits, constant(0x1000)),
      constant(0xffffe000));
  Value result = LLVM::SelectOp::create(builder, loc, isNaN,
                                        constant(0x7fffffff), rounded);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

static convmlir::FloatFormat getFormat(Type type) {
  return isa<Float8E5M2Type>(type) ? convmlir::e5m2Format
                                   : convmlir::e4m3Format;
}

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static LogicalResult lowerToFloat8(KernelLowering &lowering, Operation *op) {
  auto convert = cast<NVVM::ConvertF32x2ToF8x2Op>(op);
  if (!isFloat8(convert.getDstTy()) || convert.getRelu() ||
      convert.getRnd() != NVVM::FPRoundingMode::RN ||
      convert.getSat() != NVVM::SaturationMode::SATFINITE)
    return op->emitOpError("is emulated for rounding mode rn with saturation "
                           "to e4m3 and e5m2 only");
  auto &site = lowering.newSite<emu::Float8Site>(op);
  site.format = getFormat(convert.getDstTy());
  return lowering.replaceWithCall(op, site, emu::narrowToFloat8,
                                  op->getOperands());
}

static LogicalResult lowerFromFloat8(KernelLowering &lowering, Operation *op) {
  auto convert = cast<NVVM::ConvertF8x2ToF16x2Op>(op);
  if (!isFloat8(convert.getSrcType()) || convert.getRelu())
    return op->emitOpError("is emulated for e4m3 and e5m2 without relu only");
  auto &site = lowering.newSite<emu::Float8Site>(op);
  site.format = getFormat(convert.getSrcType());
  return lowering.replaceWithCall(op, site, emu::widenFloat8,
                                  op->getOperands());
}

void mlir::conv::emulator::addConversionOps(OpTable &table) {
  table[NVVM::ConvertFloatToTF32Op::getOperationName()] = lowerToTF32;
  table[NVVM::ConvertF32x2ToF8x2Op::getOperationName()] = lowerToFloat8;
  table[NVVM::ConvertF8x2ToF16x2Op::getOperationName()] = lowerFromFloat8;
}
