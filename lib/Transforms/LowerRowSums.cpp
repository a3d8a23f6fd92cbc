//===- LowerRowSums.cpp - F6c to F7, sums of helpers ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-row-sums. Input: the branch of a kernel's helpers, which carries a
// vector of sums along the columns of a tile, adds rows of the tile to it, and
// scatters it. Output: what a lane does, by RowSumLayout.
//
// Sums are added in an order that depends on the tile alone: a lane adds its
// rows in ascending order, block by block, and a butterfly adds the lanes.
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"
#include "RowSumLayout.h"
#include "TileChunks.h"
#include "ViewAddressing.h"
#include "Warpgroups.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/HopperPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

#include <numeric>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERROWSUMS
#include "conv/Transforms/HopperPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

namespace {
/// What a lane has of the tile, known at the start of the branch.
struct HelperLane {
  RowSumLayout layout;
  VectorType tileSums; ///< Along all columns.
  VectorType sums;     ///< Of the lane.
  Value column, row;   ///< The first ones.
  Value isFirstGroup;  ///< Of rows.
  Value isUsed;        ///< Whether its warp has chunks; null: always.
};
} // namespace

static Value load(OpBuilder &builder, Location loc, VectorType type,
                  Value buffer, Value index) {
  return vector::LoadOp::create(builder, loc, type, buffer, index,
                                /*nontemporal=*/false,
                                llvm::Align(convmlir::kChunkBytes));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

template <typename OpTy> struct HelperPattern : OpConversionPattern<OpTy> {
  HelperPattern(const TypeConverter &converter, const HelperLane &lane)
      : OpConversionPattern<OpTy>(converter, lane.tileSums.getContext()),
        lane(lane) {}
  const HelperLane &lane;
};

struct LowerConstant : HelperPattern<arith::ConstantOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!value)
      return rewriter.notifyMatchFailure(op, "sums do not begin alike");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op,
        DenseElementsAttr::get(lane.sums, value.getSplatValue<Attribute>()));
    return success();
  }
};

/// The lane's rows of a tile in shared memory.
struct LowerRowSum : HelperPattern<vector::MultiDimReductionOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(vector::MultiDimReductionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto widen = op.getSource().getDefiningOp<arith::ExtFOp>();
    auto read =
        widen ? widen.getIn().getDefiningOp<vector::TransferReadOp>() : nullptr;
    auto type = read ? dyn_cast<MemRefType>(read.getBase().getType()) : nullptr;
    if (op.getKind() != vector::CombiningKind::ADD || !type ||
        type.getRank() != 2)
      return rewriter.notifyMatchFailure(
          op, "does not add widened rows of a tile in workgroup memory");
    Value result = guardUnused(rewriter, op, adaptor.getAcc(), [&](Value sums) {
      return addRows(rewriter, op.getLoc(),
                     cast<TypedValue<MemRefType>>(read.getBase()), sums);
    });
    rewriter.replaceOp(op, result);
    rewriter.eraseOp(widen);
    rewriter.eraseOp(read);
    return success();
  }

private:
  Value guardUnused(OpBuilder &builder, Operation *op, Value sums,
                    function_ref<Value(Value)> add) const {
    if (!lane.isUsed)
      return add(sums);
    Location loc = op->getLoc();
    auto branch = scf::IfOp::create(builder, loc, sums.getType(), lane.isUsed,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, add(sums));
    return branch.getResult(0);
  }

  Value addRows(OpBuilder &builder, Location loc, TypedValue<MemRefType> memref,
                Value sums) const {
    MemRefType type = memref.getType();
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    int64_t panel = PanelTile(rows, columns, bytes).getPanelColumns();
    OperandTile tile = {Operand::A,
                        Major::MN,
                        memref,
                        type.getElementType(),
                        SharedTile(rows, panel, bytes),
                        columns};
    OpBuilder entry(builder.getContext());
    entry.setInsertionPointAfterValue(lane.row);
    OperandPositions positions(loc, tile, entry);
    Value flat = getFlatView(memref);
    auto chunk = VectorType::get(lane.sums.getShape(), type.getElementType());
    int64_t loads = lane.layout.getLoadsTogether(rows);
    int64_t rowsTogether = loads * lane.layout.rowGroups;

    IndexMath math(builder, loc);
    auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                   math.constant(rows / rowsTogether),
                                   math.constant(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value first = math.mul(loop.getInductionVar(), rowsTogether * panel);
    SmallVector<Value> chunks;
    for (int64_t i = 0; i < loads; ++i) {
      Value element = positions.get(builder, lane.column, /*mn=*/0, lane.row,
                                    i * lane.layout.rowGroups);
      chunks.push_back(
          load(builder, loc, chunk, flat, math.add(first, element)));
    }
    Value next = loop.getRegionIterArg(0);
    for (Value elements : chunks)
      next = arith::AddFOp::create(
          builder, loc, next,
          arith::ExtFOp::create(builder, loc, lane.sums, elements));
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }
};

/// The sum of all lanes with the same columns, stored by the first of them.
struct LowerScatter : HelperPattern<ScatterOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexMath math(rewriter, loc);
    math.guard(lane.isUsed, [&] {
      Value sums = addLanes(rewriter, loc, adaptor.getValue());
      math.guard(lane.isFirstGroup, [&] { store(math, op, sums); });
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  Value addLanes(OpBuilder &builder, Location loc, Value sums) const {
    IndexMath math(builder, loc);
    for (int64_t distance = lane.layout.chunksPerWarp;
         distance < conv::kWarpSize; distance *= 2) {
      SmallVector<Value> others;
      for (int64_t i = 0; i < lane.sums.getNumElements(); ++i) {
        Value own = vector::ExtractOp::create(builder, loc, sums, i);
        others.push_back(NVVM::ShflOp::create(
            builder, loc, own.getType(), math.constant32(-1), own,
            math.constant32(distance), math.constant32(conv::kWarpSize - 1),
            NVVM::ShflKind::bfly, UnitAttr()));
      }
      Value other =
          vector::FromElementsOp::create(builder, loc, lane.sums, others);
      sums = arith::AddFOp::create(builder, loc, sums, other);
    }
    return sums;
  }

  void store(IndexMath &math, ScatterOp op, Value sums) const {
    OpBuilder &builder = math.getBuilder();
    Location loc = op.getLoc();
    int64_t held = lane.sums.getNumElements();
    ViewAddressing addressing(ViewTile(op), op.getTensorShape(),
                              /*tileRows=*/1, lane.tileSums.getNumElements());
    auto row = addressing.getRow(math, math.constant(0));
    auto origin = addressing.getOrigin(math);
    int64_t together =
        std::gcd(addressing.getAlignment(held), op.getFullShape().back());
    Value flat = getFlatView(op.getDest());
    int64_t bytes = lane.sums.getElementTypeBitWidth() / 8;
    for (int64_t i = 0; i < held; i += together) {
      Value column = math.add(lane.column, i);
      Value isInside = addressing.isElementInside(math, row, origin, column);
      math.guard(isInside, [&] {
        Value elements = vector::ExtractStridedSliceOp::create(
            builder, loc, sums, ArrayRef{i}, ArrayRef{together},
            ArrayRef<int64_t>{1});
        vector::StoreOp::create(
            builder, loc, elements, flat,
            addressing.getElement(math, row, origin, column),
            /*nontemporal=*/false,
            llvm::Align(
                std::min<int64_t>(together * bytes, convmlir::kChunkBytes)));
      });
    }
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The branch
//===----------------------------------------------------------------------===//

/// Lanes that load together, eight of them, have the chunks of whole lines; or
/// of two half lines whose rows differ by four, and so by a half line in the
/// permutation.
static Value getFirstRow(IndexMath &math, const RowSumLayout &layout,
                         Value group) {
  constexpr int64_t period = SharedTile::kSwizzlePeriod;
  if (layout.chunksPerWarp >= period)
    return group;
  return math.add(math.mul(math.rem(group, 2), period / 2), math.div(group, 2));
}

static HelperLane findLane(scf::IfOp branch, RowSumLayout layout,
                           VectorType tileSums, int64_t columns) {
  OpBuilder builder = OpBuilder::atBlockBegin(branch.thenBlock());
  Location loc = branch.getLoc();
  IndexMath math(builder, loc);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  // The first warp of the warpgroup copies.
  Value warp =
      math.sub(math.div(math.rem(thread, kWarpgroupSize), conv::kWarpSize),
               math.constant(1));
  Value number = math.rem(thread, conv::kWarpSize);
  HelperLane lane = {
      layout,  tileSums, VectorType::get(columns, tileSums.getElementType()),
      Value(), Value(),  Value(),
      Value()};
  Value chunk = math.add(math.mul(warp, layout.chunksPerWarp),
                         math.rem(number, layout.chunksPerWarp));
  lane.column = math.mul(chunk, columns);
  Value group = math.div(number, layout.chunksPerWarp);
  lane.isFirstGroup = math.isBelow(group, 1);
  if (layout.warps < kHelperWarps)
    lane.isUsed = math.isBelow(warp, layout.warps);
  lane.row = getFirstRow(math, layout, group);
  return lane;
}

/// Constants stand at the start of the kernel, where others may use them.
static void takeConstants(scf::IfOp branch, Type type) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(branch.getThenRegion(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(branch.thenBlock());
  for (Value value : captured)
    if (auto constant = value.getDefiningOp<arith::ConstantOp>();
        constant && value.getType() == type)
      replaceAllUsesInRegionWith(value, builder.clone(*constant)->getResult(0),
                                 branch.getThenRegion());
}

static LogicalResult lowerBranch(scf::IfOp branch) {
  vector::MultiDimReductionOp sum;
  branch.walk([&](vector::MultiDimReductionOp op) { sum = op; });
  if (!sum)
    return success();
  auto widen = sum.getSource().getDefiningOp<arith::ExtFOp>();
  VectorType rows = sum.getSourceVectorType();
  auto tileSums = dyn_cast<VectorType>(sum.getDestType());
  std::optional<RowSumLayout> layout;
  int64_t bytes = 0;
  if (widen && tileSums && rows.getRank() == 2) {
    bytes = getElementTypeOrSelf(widen.getIn()).getIntOrFloatBitWidth() / 8;
    layout = RowSumLayout::get(rows.getDimSize(0), rows.getDimSize(1), bytes);
  }
  if (!layout)
    return sum.emitOpError("must add widened rows of a tile whose chunks the "
                           "helpers can share out evenly");
  Builder builder(branch.getContext());
  branch->getParentOfType<gpu::GPUFuncOp>()->setAttr(
      kRowSumsAttrName, builder.getI64IntegerAttr(layout->rowGroups));
  takeConstants(branch, tileSums);
  HelperLane lane =
      findLane(branch, *layout, tileSums, convmlir::kChunkBytes / bytes);
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([&](VectorType type) -> std::optional<Type> {
    if (type == lane.tileSums)
      return lane.sums;
    return std::nullopt;
  });
  ConversionTarget target(*branch.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  RewritePatternSet patterns(branch.getContext());
  patterns.add<LowerConstant, LowerRowSum, LowerScatter>(converter, lane);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  return applyPartialConversion(branch, target, std::move(patterns));
}

namespace {
struct ConvLowerRowSums
    : public conv::impl::ConvLowerRowSumsBase<ConvLowerRowSums> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::IfOp op) {
      if (!op->hasAttr(kHelperAttrName))
        return WalkResult::advance();
      branches.push_back(op);
      return WalkResult::skip();
    });
    for (scf::IfOp branch : branches)
      if (failed(lowerBranch(branch)))
        return signalPassFailure();
  }
};
} // namespace
