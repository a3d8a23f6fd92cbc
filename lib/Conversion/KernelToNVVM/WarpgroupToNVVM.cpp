//===- WarpgroupToNVVM.cpp - products of warpgroups -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.warpgroup_mma`, `engine.zero_accumulator`, `engine.read_accumulator`,
// `engine.store_matrices` and values of accumulator type. Output:
// `nvvm.wgmma.mma_async` on a structure of numbers, `nvvm.stmatrix`.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "MatrixDescriptor.h"
#include "MatrixInstruction.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

struct WarpgroupMmaPattern : ConvertOpToLLVMPattern<WarpgroupMmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WarpgroupMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto a = getPanelMatrix(cast<MemRefType>(op.getA().getType()),
                            op.getTransposeA());
    auto b = getPanelMatrix(cast<MemRefType>(op.getB().getType()),
                            op.getTransposeB());
    if (!a || !b)
      return op.emitOpError("needs operands whose rows follow each other");
    Location loc = op.getLoc();
    AddressMath math(rewriter, loc);
    int64_t elementBytes =
        cast<MemRefType>(op.getA().getType()).getElementTypeBitWidth() / 8;
    // From row or column `mn` of the tile; null is the first one.
    auto lowWord = [&](const MatrixDescriptor &matrix, Value operand,
                       Value mn) {
      MemRefDescriptor memory(operand);
      int64_t units = matrix.getBytesPerMn() >> MatrixDescriptor::kShift;
      return math.lowWord(matrix.getLowWord(), memory.alignedPtr(rewriter, loc),
                          mn, units, memory.offset(rewriter, loc),
                          elementBytes);
    };
    Value lowA = lowWord(*a, adaptor.getA(), adaptor.getRow());
    Value lowB = lowWord(*b, adaptor.getB(), /*mn=*/Value());

    Value accumulator = adaptor.getAccumulator();
    MatrixInstruction instruction = {
        cast<MemRefType>(op.getA().getType()).getElementType(),
        cast<MemRefType>(op.getB().getType()).getElementType(),
        op.getN(),
        op.getTransposeA(),
        op.getTransposeB(),
        isInitialAccumulator(op.getAccumulator())};
    int64_t step = kInstructionBytes / elementBytes;
    for (int64_t k = 0; k < op.getK(); k += step) {
      auto operandAt = [&](const MatrixDescriptor &matrix, Value low) {
        int64_t units = matrix.getBytesOfK(k) >> MatrixDescriptor::kShift;
        return math.join(math.add(low, units), matrix.getHighWord());
      };
      accumulator =
          createMatrixInstruction(rewriter, loc, instruction, accumulator,
                                  operandAt(*a, lowA), operandAt(*b, lowB));
      instruction.overwrites = false;
    }
    rewriter.replaceOp(op, accumulator);
    return success();
  }
};

struct ZeroAccumulatorPattern : ConvertOpToLLVMPattern<ZeroAccumulatorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ZeroAccumulatorOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = typeConverter->convertType(op.getAccumulator().getType());
    if (!type)
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, type);
    return success();
  }
};

/// Of eight columns a thread has four numbers: two columns of a row, then the
/// same columns eight rows below.
struct ReadAccumulatorPattern : ConvertOpToLLVMPattern<ReadAccumulatorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ReadAccumulatorOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value accumulator = adaptor.getAccumulator().front();
    SmallVector<Value> fragments;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
      fragments.push_back(readFragment(rewriter, loc, accumulator, 4 * i,
                                       typeConverter->convertType(type)));
    rewriter.replaceOp(op, fragments);
    return success();
  }

private:
  static Value readFragment(OpBuilder &builder, Location loc, Value accumulator,
                            int64_t first, Type type) {
    Type rowType = cast<LLVM::LLVMArrayType>(type).getElementType();
    Value fragment = LLVM::PoisonOp::create(builder, loc, type);
    for (int64_t i = 0; i < 2; ++i) {
      Value row = LLVM::PoisonOp::create(builder, loc, rowType);
      for (int64_t j = 0; j < 2; ++j) {
        Value element = LLVM::ExtractValueOp::create(builder, loc, accumulator,
                                                     first + 2 * i + j);
        Value lane = LLVM::ConstantOp::create(builder, loc,
                                              builder.getI32IntegerAttr(j));
        row = LLVM::InsertElementOp::create(builder, loc, row, element, lane);
      }
      fragment = LLVM::InsertValueOp::create(builder, loc, fragment, row, i);
    }
    return fragment;
  }
};

struct StoreMatricesPattern : ConvertOpToLLVMPattern<StoreMatricesOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(StoreMatricesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value row = getStridedElementPtr(rewriter, loc,
                                     cast<MemRefType>(op.getDest().getType()),
                                     adaptor.getDest(), adaptor.getElement());
    SmallVector<Value> registers;
    for (Value matrix : adaptor.getMatrices())
      registers.push_back(LLVM::BitcastOp::create(
          rewriter, loc, rewriter.getI32Type(), matrix));
    constexpr int extent = 8;
    rewriter.replaceOpWithNewOp<NVVM::StMatrixOp>(
        op, row, registers,
        op.getTransposed() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(getContext(), extent, extent),
        NVVM::LdStMatrixEltType::B16);
    return success();
  }
};

} // namespace

void conv::addHopperTypeConversions(LLVMTypeConverter &converter) {
  MLIRContext *context = &converter.getContext();
  converter.addConversion([context](nvgpu::TensorMapDescriptorType) -> Type {
    return LLVM::LLVMPointerType::get(context);
  });
  converter.addConversion([&converter,
                           context](nvgpu::MBarrierGroupType type) -> Type {
    return converter.convertType(nvgpu::getMBarrierMemrefType(context, type));
  });
  converter.addConversion([context](nvgpu::MBarrierTokenType) -> Type {
    return IntegerType::get(context, 64);
  });
  converter.addConversion([context](nvgpu::WarpgroupAccumulatorType type) {
    VectorType matrix = type.getFragmented();
    constexpr int64_t threads = 128;
    SmallVector<Type> elements(matrix.getNumElements() / threads,
                               matrix.getElementType());
    return LLVM::LLVMStructType::getLiteral(context, elements);
  });
}

void conv::populateWarpgroupPatterns(const LLVMTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns
      .add<WarpgroupMmaPattern, ZeroAccumulatorPattern, ReadAccumulatorPattern,
           StoreMatricesPattern>(converter);
  populateWindowPatterns(converter, patterns);
  populateRegisterPatterns(converter, patterns);
}
