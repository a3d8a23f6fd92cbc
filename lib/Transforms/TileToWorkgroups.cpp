//===- TileToWorkgroups.cpp - F2 to F3 ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The root conv.scatter becomes an scf.forall. Its value is then tiled backwards
// through the producers: every producer of a tile is cloned at the tile's
// offsets with constant sizes. Since a virtual matrix is padded by reading zero,
// sizes need no bounds; upstream's tile-and-fuse would clamp them, and make every
// shape dynamic. The gemm-k loops inside come from upstream's tiling.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTILETOWORKGROUPS
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A box of a tensor or of an iteration space. The value that is made of it
/// leaves dimensions of extent 1 out: a tile has rows, columns, and at most taps.
struct Tile {
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;

  SmallVector<OpFoldResult> mixedSizes(Builder &builder) const {
    return getAsIndexOpFoldResult(builder.getContext(), sizes);
  }
  SmallVector<int64_t> shape() const {
    return llvm::filter_to_vector(sizes, [](int64_t s) { return s != 1; });
  }
};

/// Clones the producers of a tile, from the scatter back to the tensors that
/// are real.
class ProducerTiler {
public:
  ProducerTiler(RewriterBase &rewriter, linalg::LinalgOp contraction,
                ScheduleAttr schedule)
      : rewriter(rewriter), contraction(contraction), schedule(schedule) {}

  FailureOr<Value> tile(Value value, const Tile &tile);

  /// The clone of the contraction, once it has been reached.
  linalg::LinalgOp getTiledContraction() const { return tiledContraction; }

private:
  FailureOr<Value> tileIm2col(Im2colOp op, const Tile &tile);
  FailureOr<Value> tileLinalg(linalg::LinalgOp op, const Tile &tile);
  FailureOr<Value> tileRow(Value value, const Tile &tile);
  linalg::LinalgOp cloneTile(linalg::LinalgOp op, ArrayRef<Value> operands,
                             const Tile &iteration);
  Tile getIterationTile(linalg::LinalgOp op, AffineMap resultMap,
                        const Tile &tile);
  Tile getOperandTile(Location loc, AffineMap map, const Tile &iteration);

  RewriterBase &rewriter;
  linalg::LinalgOp contraction, tiledContraction;
  ScheduleAttr schedule;
};

} // namespace

FailureOr<Value> ProducerTiler::tile(Value value, const Tile &tile) {
  Operation *op = value.getDefiningOp();
  if (auto im2col = dyn_cast_or_null<Im2colOp>(op))
    return tileIm2col(im2col, tile);
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return Value(tensor::EmptyOp::create(rewriter, empty.getLoc(), tile.shape(),
                                         empty.getType().getElementType()));
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
    return tileLinalg(linalgOp, tile);
  return tileRow(value, tile);
}

FailureOr<Value> ProducerTiler::tileIm2col(Im2colOp op, const Tile &tile) {
  if (!op.getOffsets().empty() || op.getDest())
    return op->emitOpError("is tiled already");
  SmallVector<OpFoldResult> offsets = tile.offsets;
  if (offsets.size() + 1 == op.getFullShape().size()) // the unit tap
    offsets.insert(offsets.begin() + 1, rewriter.getIndexAttr(0));
  auto type = RankedTensorType::get(tile.shape(),
                                    op.getSourceType().getElementType());
  return Im2colOp::create(
             rewriter, op.getLoc(), type, op.getSource(),
             getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), offsets),
             /*dest=*/Value(), op.getView(), op.getAsyncAttr())
      .getResult();
}

/// The part of the iteration space that computes `tile` of a result. Reductions
/// are whole; the contraction's channels are padded to whole blocks.
Tile ProducerTiler::getIterationTile(linalg::LinalgOp op, AffineMap resultMap,
                                     const Tile &tile) {
  Tile iteration;
  for (int64_t extent : op.getStaticLoopRanges()) {
    iteration.offsets.push_back(rewriter.getIndexAttr(0));
    iteration.sizes.push_back(extent);
  }
  if (op == contraction)
    iteration.sizes.back() =
        llvm::alignTo(iteration.sizes.back(), schedule.getTile()[2]);
  for (auto [i, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    iteration.offsets[dim] = tile.offsets[i];
    iteration.sizes[dim] = tile.sizes[i];
  }
  return iteration;
}

/// The part of an operand that an iteration tile reads: the map at the
/// offsets, and as far as the map moves over the sizes.
Tile ProducerTiler::getOperandTile(Location loc, AffineMap map,
                                   const Tile &iteration) {
  Tile tile;
  SmallVector<int64_t> zeros(iteration.sizes.size(), 0);
  SmallVector<int64_t> last = llvm::map_to_vector(
      iteration.sizes, [](int64_t size) { return size - 1; });
  SmallVector<int64_t> low = map.compose(zeros), high = map.compose(last);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    tile.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, map.getSubMap(unsigned(i)), iteration.offsets));
    tile.sizes.push_back(high[i] - low[i] + 1);
  }
  return tile;
}

FailureOr<Value> ProducerTiler::tileLinalg(linalg::LinalgOp op,
                                           const Tile &tile) {
  if (op.getNumDpsInits() != 1)
    return op->emitOpError("cannot be tiled: it has more than one result");
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!resultMap.isProjectedPermutation())
    return op->emitOpError("cannot be tiled: its result is not indexed by a "
                           "permutation of its loops");
  Tile iteration = getIterationTile(op, resultMap, tile);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType())) {
      operands.push_back(operand.get());
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    FailureOr<Value> tiled =
        this->tile(operand.get(), getOperandTile(op.getLoc(), map, iteration));
    if (failed(tiled))
      return failure();
    operands.push_back(*tiled);
  }
  linalg::LinalgOp clone = cloneTile(op, operands, iteration);
  if (op == contraction)
    tiledContraction = clone;
  return clone->getResult(0);
}

/// `op` on tiles, its unit loops left out.
linalg::LinalgOp ProducerTiler::cloneTile(linalg::LinalgOp op,
                                          ArrayRef<Value> operands,
                                          const Tile &iteration) {
  Type type = operands.back().getType();
  if (!isa<linalg::GenericOp>(op))
    return cast<linalg::LinalgOp>(mlir::clone(rewriter, op, TypeRange(type), operands));
  SmallVector<AffineExpr> newDims;
  SmallVector<utils::IteratorType> iterators;
  for (auto [size, kind] :
       llvm::zip_equal(iteration.sizes, op.getIteratorTypesArray())) {
    newDims.push_back(size == 1 ? rewriter.getAffineConstantExpr(0)
                                : rewriter.getAffineDimExpr(iterators.size()));
    if (size != 1)
      iterators.push_back(kind);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    AffineMap reduced =
        map.replaceDimsAndSymbols(newDims, {}, iterators.size(), 0);
    SmallVector<AffineExpr> results = llvm::filter_to_vector(
        reduced.getResults(),
        [](AffineExpr expr) { return !isa<AffineConstantExpr>(expr); });
    maps.push_back(
        AffineMap::get(iterators.size(), 0, results, rewriter.getContext()));
  }
  ArrayRef<Value> inputs = operands.drop_back();
  auto clone = linalg::GenericOp::create(rewriter, op.getLoc(), type, inputs,
                                         operands.take_back(), maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), clone.getRegion(),
                             clone.getRegion().end());
  return cast<linalg::LinalgOp>(clone.getOperation());
}

/// Whether a tile's offset is known to be a multiple of its size; those of
/// groups that are narrower than a tile are not.
static bool isMultipleOf(OpFoldResult offset, int64_t size) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant % size == 0;
  auto apply = cast<Value>(offset).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(size);
}

/// A real tensor that the epilogue reads: a row of per-channel values. Its last
/// tile is padded with zeros.
FailureOr<Value> ProducerTiler::tileRow(Value value, const Tile &tile) {
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  if (type.getRank() != 1)
    return emitError(loc) << "an epilogue operand must be a row of channels or "
                             "a conv.im2col, but is "
                          << type;
  int64_t size = tile.sizes[0];
  if (type.getDimSize(0) % size == 0 && isMultipleOf(tile.offsets[0], size))
    return Value(tensor::ExtractSliceOp::create(
        rewriter, loc, value, tile.offsets, tile.mixedSizes(rewriter),
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)}));
  AffineExpr offset;
  bindDims(rewriter.getContext(), offset);
  AffineMap clamp = AffineMap::get(
      1, 0,
      {rewriter.getAffineConstantExpr(size), type.getDimSize(0) - offset},
      rewriter.getContext());
  OpFoldResult real = affine::makeComposedFoldedAffineMin(
      rewriter, loc, clamp, {tile.offsets[0]});
  Value slice = tensor::ExtractSliceOp::create(
      rewriter, loc, value, tile.offsets, ArrayRef<OpFoldResult>{real},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  OpFoldResult high = affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineConstantExpr(size) - offset, {real});
  return Value(tensor::PadOp::create(
      rewriter, loc, RankedTensorType::get(size, type.getElementType()), slice,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{high}, zero));
}

//===----------------------------------------------------------------------===//
// The root
//===----------------------------------------------------------------------===//

/// The scheduled contraction behind `value`, through elementwise operations.
static linalg::LinalgOp findContraction(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return nullptr;
  if (op->hasAttr(ScheduleAttr::attributeName()))
    return op;
  for (Value input : op.getDpsInputs())
    if (linalg::LinalgOp found = findContraction(input))
      return found;
  return nullptr;
}

/// Tile of the scatter's value: rows and channels by the schedule, one tap and
/// one group at a time.
static SmallVector<int64_t> getWorkgroupTile(ScatterOp scatter,
                                             ScheduleAttr schedule) {
  SmallVector<int64_t> tile(scatter.getValueType().getRank(), 1);
  tile.front() = schedule.getTile()[0];
  tile.back() = schedule.getTile()[1];
  return tile;
}

/// One mapping attribute per dimension, the last one on x.
static ArrayAttr getMapping(Builder &builder, size_t rank) {
  SmallVector<Attribute> mapping;
  for (size_t i = rank; i-- > 0;)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        builder.getContext(),
        static_cast<gpu::MappingId>(static_cast<size_t>(gpu::MappingId::DimX) + i)));
  return builder.getArrayAttr(mapping);
}

/// Loops over the reduction dimensions of a tiled contraction: blocks of the
/// last one (channels) outside, single steps of the others (taps) inside.
static LogicalResult tileReductions(RewriterBase &rewriter,
                                    linalg::LinalgOp contraction,
                                    ScheduleAttr schedule) {
  SmallVector<int64_t> sizes(contraction.getNumLoops(), 0);
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  for (unsigned dim : reductions)
    sizes[dim] = 1;
  sizes.back() = schedule.getTile()[2];
  SmallVector<int64_t> order;
  order.push_back(contraction.getNumLoops() - 1);
  for (int64_t i = 0, e = contraction.getNumLoops() - 1; i < e; ++i)
    order.push_back(i);
  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), sizes))
      .setInterchange(order);
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling).setFusionControlFn(
      [](tensor::ExtractSliceOp, OpResult producer, bool)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isa<Im2colOp>(producer.getOwner()))
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        return std::nullopt;
      });
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(contraction.getOperation()), options);
  if (failed(result))
    return contraction->emitOpError("could not be tiled along gemm-k");
  rewriter.replaceOp(contraction,
                     result->replacements.lookup(contraction->getResult(0)));
  return success();
}

static LogicalResult tileScatter(RewriterBase &rewriter, ScatterOp scatter,
                                 linalg::LinalgOp contraction) {
  auto schedule = contraction->getAttrOfType<ScheduleAttr>(
      ScheduleAttr::attributeName());
  Location loc = scatter.getLoc();
  SmallVector<int64_t> sizes = getWorkgroupTile(scatter, schedule);
  SmallVector<OpFoldResult> counts;
  for (auto [extent, size] :
       llvm::zip_equal(scatter.getValueType().getShape(), sizes))
    counts.push_back(rewriter.getIndexAttr(llvm::divideCeil(extent, size)));

  rewriter.setInsertionPoint(scatter);
  auto forall =
      scf::ForallOp::create(rewriter, loc, counts, scatter.getDest(),
                            getMapping(rewriter, counts.size()));
  forall->setAttr(ScheduleAttr::attributeName(), schedule);
  rewriter.setInsertionPointToStart(forall.getBody());
  Tile tile;
  tile.sizes = sizes;
  for (auto [index, size] : llvm::zip_equal(forall.getInductionVars(), sizes))
    tile.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0) * size, {index}));

  ProducerTiler tiler(rewriter, contraction, schedule);
  FailureOr<Value> value = tiler.tile(scatter.getValue(), tile);
  if (failed(value))
    return failure();
  SmallVector<OpFoldResult> offsets = tile.offsets;
  if (offsets.size() + 1 == scatter.getFullShape().size())
    offsets.insert(offsets.begin() + 1, rewriter.getIndexAttr(0));
  SmallVector<Value> offsetValues;
  for (OpFoldResult offset : offsets)
    offsetValues.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, offset));
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), *value,
                    forall.getRegionIterArgs().front(), offsetValues,
                    scatter.getView());
  rewriter.replaceOp(scatter, forall.getResults());

  linalg::LinalgOp tiled = tiler.getTiledContraction();
  rewriter.setInsertionPoint(tiled);
  return tileReductions(rewriter, tiled, schedule);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvTileToWorkgroups
    : public conv::impl::ConvTileToWorkgroupsBase<ConvTileToWorkgroups> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ScatterOp> roots;
    getOperation().walk([&](ScatterOp op) { roots.push_back(op); });
    for (ScatterOp scatter : roots)
      if (linalg::LinalgOp contraction = findContraction(scatter.getValue()))
        if (failed(tileScatter(rewriter, scatter, contraction)))
          return signalPassFailure();
  }
};
} // namespace
