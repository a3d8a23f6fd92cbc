//===- WarpgroupToNVVM.cpp - products of warpgroups -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `conv.warpgroup_mma`, `conv.read_accumulator`, `conv.store_matrices`
// and values of accumulator type. Output: `nvvm.wgmma.mma_async` on a structure
// of floats, `nvvm.stmatrix`.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "MatrixDescriptor.h"

#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

/// Extents of one instruction on 16-bit operands.
static constexpr int64_t kInstructionM = 64, kInstructionK = 16;

/// Shared memory is far smaller than the 2^18 bytes that a descriptor reaches.
static constexpr int64_t kAddressMask = 0x3FFFF;

/// 32-bit arithmetic on addresses. The two words of a descriptor are joined
/// last: LLVM would fold steps along gemm-k into 64-bit additions of constants
/// with a high word, and ptxas 13.0 crashes on some of these.
namespace {
class AddressMath {
public:
  AddressMath(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), i32(builder.getI32Type()) {}

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i32,
                                    builder.getI32IntegerAttr(value));
  }
  Value add(Value a, int64_t b) {
    return b == 0 ? a : LLVM::AddOp::create(builder, loc, a, constant(b));
  }

  /// The low word of the descriptor of a matrix that begins at row `mn` (null
  /// is row 0) of the tile at element `offset` of the memory at `start`. Only
  /// the start is masked, and what a loop over slots does not change is added
  /// first: little is left in the loop.
  Value lowWord(const MatrixDescriptor &matrix, Value start, Value mn,
                Value offset, int64_t elementBytes) {
    Value address = LLVM::PtrToIntOp::create(builder, loc, i32, start);
    address =
        LLVM::AndOp::create(builder, loc, address, constant(kAddressMask));
    Value low = LLVM::OrOp::create(builder, loc, toUnits(address, 1),
                                   constant(matrix.getLowWord()));
    if (mn) {
      int64_t units = matrix.getBytesPerMn() >> MatrixDescriptor::kShift;
      Value distance =
          LLVM::MulOp::create(builder, loc, toInt32(mn), constant(units));
      low = LLVM::AddOp::create(builder, loc, low, distance);
    }
    return LLVM::AddOp::create(builder, loc, low,
                               toUnits(toInt32(offset), elementBytes));
  }

  Value join(Value low, int64_t high) {
    Type i64 = builder.getI64Type();
    Value wide = LLVM::ZExtOp::create(builder, loc, i64, low);
    Value constant = LLVM::ConstantOp::create(
        builder, loc, i64,
        builder.getI64IntegerAttr(int64_t(uint64_t(high) << 32)));
    return LLVM::OrOp::create(builder, loc, wide, constant);
  }

private:
  Value toInt32(Value index) {
    return index.getType() == i32
               ? index
               : LLVM::TruncOp::create(builder, loc, i32, index);
  }
  /// `number` elements of `bytes` each, a multiple of 16 bytes.
  Value toUnits(Value number, int64_t bytes) {
    int64_t perUnit = MatrixDescriptor::kUnit / bytes;
    return LLVM::LShrOp::create(builder, loc, number,
                                constant(llvm::Log2_64(perUnit)));
  }

  OpBuilder &builder;
  Location loc;
  Type i32;
};
} // namespace

/// The layout of a tile's operand, if its rows follow each other.
static std::optional<MatrixDescriptor> getMatrix(Value operand,
                                                 bool isMnMajor) {
  auto type = cast<MemRefType>(operand.getType());
  int64_t offset, columns = type.getDimSize(1);
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      strides != ArrayRef<int64_t>{columns, 1})
    return std::nullopt;
  return MatrixDescriptor(
      PanelTile(type.getDimSize(0), columns, type.getElementTypeBitWidth() / 8),
      isMnMajor);
}

namespace {

struct WarpgroupMmaPattern : ConvertOpToLLVMPattern<WarpgroupMmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WarpgroupMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto a = getMatrix(op.getA(), op.getTransposeA());
    auto b = getMatrix(op.getB(), op.getTransposeB());
    if (!a || !b)
      return op.emitOpError("needs operands whose rows follow each other");
    Location loc = op.getLoc();
    AddressMath math(rewriter, loc);
    int64_t elementBytes =
        cast<MemRefType>(op.getA().getType()).getElementTypeBitWidth() / 8;
    auto lowWord = [&](const MatrixDescriptor &matrix, Value operand,
                       Value mn) {
      MemRefDescriptor memory(operand);
      return math.lowWord(matrix, memory.alignedPtr(rewriter, loc), mn,
                          memory.offset(rewriter, loc), elementBytes);
    };
    Value lowA = lowWord(*a, adaptor.getA(), adaptor.getRow());
    Value lowB = lowWord(*b, adaptor.getB(), /*mn=*/Value());

    Value accumulator = adaptor.getAccumulator();
    bool startsAtZero = isa_and_nonnull<nvgpu::WarpgroupMmaInitAccumulatorOp>(
        op.getAccumulator().getDefiningOp());
    for (int64_t k = 0; k < op.getK(); k += kInstructionK) {
      auto operandAt = [&](const MatrixDescriptor &matrix, Value low) {
        int64_t units = matrix.getBytesOfK(k) >> MatrixDescriptor::kShift;
        return math.join(math.add(low, units), matrix.getHighWord());
      };
      accumulator = createMma(rewriter, op, accumulator, operandAt(*a, lowA),
                              operandAt(*b, lowB), startsAtZero && k == 0);
    }
    rewriter.replaceOp(op, accumulator);
    return success();
  }

private:
  static Value createMma(OpBuilder &builder, WarpgroupMmaOp op,
                         Value accumulator, Value a, Value b, bool overwrite) {
    MLIRContext *context = op.getContext();
    Type element = cast<MemRefType>(op.getA().getType()).getElementType();
    auto operandType = NVVM::WGMMATypesAttr::get(
        context,
        element.isBF16() ? NVVM::WGMMATypes::bf16 : NVVM::WGMMATypes::f16);
    auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    // `row` is K-major for A, MN-major for B.
    auto layout = [&](bool isRow) {
      return NVVM::MMALayoutAttr::get(context, isRow ? NVVM::MMALayout::row
                                                     : NVVM::MMALayout::col);
    };
    return NVVM::WgmmaMmaAsyncOp::create(
        builder, op.getLoc(), accumulator.getType(), accumulator, a, b,
        NVVM::MMAShapeAttr::get(context, kInstructionM, op.getN(),
                                kInstructionK),
        operandType, operandType,
        NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32),
        NVVM::WGMMAScaleOutAttr::get(context, overwrite
                                                  ? NVVM::WGMMAScaleOut::zero
                                                  : NVVM::WGMMAScaleOut::one),
        one, one, layout(!op.getTransposeA()), layout(op.getTransposeB()),
        /*satfinite=*/nullptr);
  }
};

struct InitAccumulatorPattern
    : ConvertOpToLLVMPattern<nvgpu::WarpgroupMmaInitAccumulatorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::WarpgroupMmaInitAccumulatorOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = typeConverter->convertType(op.getMatrixC().getType());
    if (!type)
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, type);
    return success();
  }
};

/// Of eight columns a thread has four floats: two columns of a row, then the
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
        op, row, registers, NVVM::MMALayout::row,
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
      .add<WarpgroupMmaPattern, ReadAccumulatorPattern, StoreMatricesPattern>(
          converter);
  // Preferred to the upstream pattern, whose accumulator is nested.
  patterns.add<InitAccumulatorPattern>(converter, /*benefit=*/2);
}
