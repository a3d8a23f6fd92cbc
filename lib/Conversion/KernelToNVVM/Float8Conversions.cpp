//===- Float8Conversions.cpp - to and from 8-bit floats -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions: arith.truncf to and arith.extf from f8E4M3FN and f8E5M2, of
// scalars and vectors become `nvvm.convert.*` of pairs, which sm_89 has. To
// narrow, the number is f32; to widen, f16 holds both formats exactly.
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// The elements of a vector, or the scalar itself.
static SmallVector<Value> unpack(OpBuilder &builder, Location loc,
                                 Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return {value};
  Value flat = value;
  if (type.getRank() != 1)
    flat = vector::ShapeCastOp::create(
        builder, loc,
        VectorType::get(type.getNumElements(), type.getElementType()), value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, flat, i));
  return elements;
}

static Value pack(OpBuilder &builder, Location loc, ArrayRef<Value> elements,
                  Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return elements.front();
  return vector::FromElementsOp::create(builder, loc, vector, elements);
}

/// A number in a float type from 16 to 32 bits.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// Calls `emit` with two elements at a time; of the last one alone, twice.
static SmallVector<Value>
forPairs(ArrayRef<Value> elements,
         function_ref<std::pair<Value, Value>(Value, Value)> emit) {
  SmallVector<Value> results;
  for (size_t i = 0; i < elements.size(); i += 2) {
    bool isPair = i + 1 < elements.size();
    auto [first, second] =
        emit(elements[i], isPair ? elements[i + 1] : elements[i]);
    results.push_back(first);
    if (isPair)
      results.push_back(second);
  }
  return results;
}

namespace {

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!isFloat8(to) || from.getIntOrFloatBitWidth() > 32)
      return rewriter.notifyMatchFailure(op, "not from at most f32 to 8 bits");
    Location loc = op.getLoc();
    auto bytesType = VectorType::get(2, rewriter.getI8Type());
    auto narrow = [&](Value first, Value second) {
      // The first operand becomes the upper byte.
      Value bytes = NVVM::ConvertF32x2ToF8x2Op::create(
          rewriter, loc, bytesType,
          convert(rewriter, loc, second, rewriter.getF32Type()),
          convert(rewriter, loc, first, rewriter.getF32Type()),
          NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
          /*relu=*/false, to);
      auto element = [&](int64_t i) -> Value {
        return arith::BitcastOp::create(
            rewriter, loc, to,
            vector::ExtractOp::create(rewriter, loc, bytes, i));
      };
      return std::pair(element(0), element(1));
    };
    SmallVector<Value> results =
        forPairs(unpack(rewriter, loc, op.getIn()), narrow);
    rewriter.replaceOp(op, pack(rewriter, loc, results, op.getType()));
    return success();
  }
};

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!isFloat8(from) || to.getIntOrFloatBitWidth() > 32)
      return rewriter.notifyMatchFailure(op, "not from 8 bits to at most f32");
    Location loc = op.getLoc();
    auto bytesType = VectorType::get(2, rewriter.getI8Type());
    auto halvesType = VectorType::get(2, rewriter.getF16Type());
    auto widen = [&](Value first, Value second) {
      auto byte = [&](Value value) -> Value {
        return arith::BitcastOp::create(rewriter, loc, rewriter.getI8Type(),
                                        value);
      };
      Value bytes = vector::FromElementsOp::create(
          rewriter, loc, bytesType, ValueRange{byte(first), byte(second)});
      Value halves = NVVM::ConvertF8x2ToF16x2Op::create(
          rewriter, loc, halvesType, bytes, /*relu=*/false, from);
      auto element = [&](int64_t i) {
        Value half = vector::ExtractOp::create(rewriter, loc, halves, i);
        // bf16 is as wide as f16, and holds less: by way of f32.
        if (to.isBF16())
          half = convert(rewriter, loc, half, rewriter.getF32Type());
        return convert(rewriter, loc, half, to);
      };
      Value low = element(0);
      return std::pair(low, element(1));
    };
    SmallVector<Value> results =
        forPairs(unpack(rewriter, loc, op.getIn()), widen);
    rewriter.replaceOp(op, pack(rewriter, loc, results, op.getType()));
    return success();
  }
};

struct Float8LdMatrix : ConvertOpToLLVMPattern<nvgpu::LdMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::LdMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isFloat8(op.getRes().getType()))
      return rewriter.notifyMatchFailure(op, "elements are no 8-bit floats");
    Location loc = op.getLoc();
    Value pointer = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSrcMemref().getType()),
        adaptor.getSrcMemref(), adaptor.getIndices());
    int64_t number = op.getNumTiles();
    Type word = rewriter.getI32Type();
    Type words = number == 1
                     ? word
                     : LLVM::LLVMStructType::getLiteral(
                           getContext(), SmallVector<Type>(number, word));
    Value loaded = NVVM::LdMatrixOp::create(
        rewriter, loc, words, pointer, number, NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    auto arrayType = cast<LLVM::LLVMArrayType>(
        typeConverter->convertType(op.getRes().getType()));
    Value result = LLVM::PoisonOp::create(rewriter, loc, arrayType);
    for (int64_t i = 0; i < number; ++i) {
      Value bits = number == 1
                       ? loaded
                       : LLVM::ExtractValueOp::create(rewriter, loc, loaded, i)
                             .getResult();
      Value bytes = LLVM::BitcastOp::create(rewriter, loc,
                                            arrayType.getElementType(), bits);
      result = LLVM::InsertValueOp::create(rewriter, loc, result, bytes, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void conv::populateFloat8LdMatrixPattern(const LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  // Preferred to the upstream pattern, which makes IR that does not verify.
  patterns.add<Float8LdMatrix>(converter, /*benefit=*/2);
}

void conv::populateFloat8ConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandTruncation, ExpandExtension>(patterns.getContext());
}
