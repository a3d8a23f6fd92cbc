//===- VectorizeTiles.cpp - F3 to the tensor half of F4 -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contraction is rewritten here, since its operands change place (shared
// memory) at the same moment; the elementwise operations go through upstream's
// vectoriser. Transfers that write a tile only to read it again then fold, and
// the accumulator is hoisted out of the loops as an iteration argument.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseTiles.h"
#include "Support/OperandConversion.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVVECTORIZETILES
#include "conv/Transforms/Tiling/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static Value zeroIndex(OpBuilder &builder, Location loc) {
  return arith::ConstantIndexOp::create(builder, loc, 0);
}

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Reads all of a static tensor.
static Value readTile(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto vectorType = VectorType::get(type.getShape(), type.getElementType());
  SmallVector<Value> indices(type.getRank(), zeroIndex(builder, loc));
  return vector::TransferReadOp::create(
      builder, loc, vectorType, tensor, indices,
      zeroOf(builder, loc, type.getElementType()),
      SmallVector<bool>(type.getRank(), true));
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// A place in shared memory that lasts as long as the workgroup.
static Value allocTile(RewriterBase &rewriter, Location loc,
                       scf::ForallOp block, RankedTensorType type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(block.getBody());
  auto alloc = bufferization::AllocTensorOp::create(
      rewriter, loc, type, /*dynamicSizes=*/ValueRange());
  alloc.setMemorySpaceAttr(gpu::AddressSpaceAttr::get(
      rewriter.getContext(), gpu::AddressSpace::Workgroup));
  return alloc;
}

/// By what they are read from.
using OperandTiles = llvm::SmallDenseMap<Value, Value, 2>;

/// An operand tile as a vector read from a tile of its own in shared memory.
/// Unit dimensions (one tap) are left out.
static FailureOr<Value> promoteOperand(RewriterBase &rewriter, Value operand) {
  auto block = operand.getDefiningOp()->getParentOfType<scf::ForallOp>();
  auto im2col = operand.getDefiningOp<Im2colOp>();
  if (!im2col || im2col.getOffsets().empty())
    return emitError(operand.getLoc())
           << "an operand of the contraction must be a tile of a conv.im2col";
  Location loc = im2col.getLoc();
  ShapedType type = im2col.getMatrixType();
  SmallVector<int64_t> shape =
      llvm::filter_to_vector(type.getShape(), [](int64_t s) { return s != 1; });
  auto tileType = RankedTensorType::get(shape, type.getElementType());
  Value dest = allocTile(rewriter, loc, block, tileType);
  auto promoted = Im2colOp::create(
      rewriter, loc, TypeRange{tileType}, im2col.getSource(),
      im2col.getOffsets(), dest, im2col.getPhase(), im2col.getViews(),
      im2col.getAsyncAttr(), im2col.getChannelsFirstAttr());
  return readTile(rewriter, loc, promoted.getResult());
}

static FailureOr<Value> promoteOnce(RewriterBase &rewriter, Value operand,
                                    OperandTiles &tiles) {
  Value &tile = tiles[operand];
  if (!tile) {
    FailureOr<Value> vector = promoteOperand(rewriter, operand);
    if (failed(vector))
      return failure();
    tile = *vector;
  }
  return tile;
}

/// The type to which the body of a contraction rounds an input before it is
/// multiplied; null where it does not.
static Type getRoundedType(linalg::LinalgOp op, OpOperand &input) {
  BlockArgument element = op.getMatchingBlockArgument(&input);
  if (!element.hasOneUse())
    return nullptr;
  auto round = dyn_cast<arith::TruncFOp>(*element.user_begin());
  return round ? round.getType() : Type();
}

/// `map` without the loops of extent 1.
static AffineMap dropUnitLoops(AffineMap map, ArrayRef<int64_t> extents) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  unsigned kept = 0;
  for (int64_t extent : extents)
    dims.push_back(extent == 1 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(kept++, context));
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    if (AffineExpr reduced = expr.replaceDims(dims);
        !isa<AffineConstantExpr>(reduced))
      results.push_back(reduced);
  return AffineMap::get(kept, 0, results, context);
}

/// The sum over the rows (or columns) of an operand's tile, which the
/// contraction behind it multiplies.
static LogicalResult vectorizeRowSum(RewriterBase &rewriter,
                                     linalg::LinalgOp op, OperandTiles &tiles) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  FailureOr<Value> tile = promoteOnce(rewriter, op.getDpsInputs()[0], tiles);
  if (failed(tile))
    return failure();
  Value init = op.getDpsInits()[0];
  Value sums = readTile(rewriter, loc, init);
  Value rows = *tile;
  auto type = cast<VectorType>(rows.getType())
                  .clone(getElementTypeOrSelf(sums.getType()));
  if (rows.getType() != type)
    rows = arith::ExtFOp::create(rewriter, loc, type, rows);
  OpOperand &input = *op.getDpsInputOperand(0);
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto isSummed = llvm::map_to_vector(map.getResults(), [&](AffineExpr index) {
    return op.getIteratorTypesArray()[cast<AffineDimExpr>(index)
                                          .getPosition()] ==
           utils::IteratorType::reduction;
  });
  Value result = vector::MultiDimReductionOp::create(
      rewriter, loc, rows, sums, isSummed, vector::CombiningKind::ADD);
  // Where another tile has this block, the sums stay as they are.
  Operation *yield = op->getRegion(0).front().getTerminator();
  if (auto share = yield->getOperand(0).getDefiningOp<arith::SelectOp>())
    result = arith::SelectOp::create(rewriter, loc, share.getCondition(),
                                     result, sums);
  auto write = vector::TransferWriteOp::create(rewriter, loc, result, init,
                                               zeroIndex(rewriter, loc),
                                               SmallVector<bool>{true});
  rewriter.replaceOp(op, write.getResult());
  return success();
}

/// The type to which a tile's elements are converted in front of a contraction,
/// or their own. `vector.contract` has operands of one type: those of two
/// (8-bit floats) are widened to that of the sums, which rounds nothing.
static Type getContractedType(linalg::LinalgOp op, OpOperand &input) {
  if (Type rounded = getRoundedType(op, input))
    return rounded;
  auto typeOf = [](Value tensor) { return getElementTypeOrSelf(tensor); };
  bool isOneType = llvm::all_equal(llvm::map_range(op.getDpsInputs(), typeOf));
  return typeOf(isOneType ? input.get() : op.getDpsInits().front());
}

static LogicalResult vectorizeContraction(RewriterBase &rewriter,
                                          linalg::LinalgOp op,
                                          OperandTiles &tiles) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    FailureOr<Value> promoted = promoteOnce(rewriter, input->get(), tiles);
    if (failed(promoted))
      return failure();
    operands.push_back(convertOperand(rewriter, loc, *promoted,
                                      getContractedType(op, *input)));
  }
  Value init = op.getDpsInits()[0];
  Value acc = readTile(rewriter, loc, init);

  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands())
    maps.push_back(dropUnitLoops(op.getMatchingIndexingMap(&operand), extents));
  SmallVector<Attribute> iterators;
  for (auto [extent, kind] :
       llvm::zip_equal(extents, op.getIteratorTypesArray()))
    if (extent != 1)
      iterators.push_back(vector::IteratorTypeAttr::get(
          rewriter.getContext(), kind == utils::IteratorType::parallel
                                     ? vector::IteratorType::parallel
                                     : vector::IteratorType::reduction));
  Value result = vector::ContractionOp::create(
      rewriter, loc, operands[0], operands[1], acc,
      rewriter.getAffineMapArrayAttr(maps), rewriter.getArrayAttr(iterators));
  SmallVector<Value> indices(cast<ShapedType>(init.getType()).getRank(),
                             zeroIndex(rewriter, loc));
  auto write =
      vector::TransferWriteOp::create(rewriter, loc, result, init, indices,
                                      SmallVector<bool>(indices.size(), true));
  rewriter.replaceOp(op, write.getResult());
  return success();
}

/// On registers, between a read and a write that fold.
static void vectorizeAddTaps(RewriterBase &rewriter, AddTapsOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Value sums = readTile(rewriter, loc, op.getSource());
  Value added = AddTapsOp::create(
      rewriter, loc, VectorType::get(type.getShape(), type.getElementType()),
      sums, op.getLine(), op.getShifts());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<Value> indices(type.getRank(), zeroIndex(rewriter, loc));
  auto write =
      vector::TransferWriteOp::create(rewriter, loc, added, empty, indices,
                                      SmallVector<bool>(type.getRank(), true));
  rewriter.replaceOp(op, write.getResult());
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

namespace {

/// A tile that only the epilogue reads goes straight to registers.
struct ReadIm2colIntoVector : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto im2col = read.getBase().getDefiningOp<Im2colOp>();
    if (!im2col || im2col.getDest())
      return rewriter.notifyMatchFailure(read, "not of a conv.im2col tile "
                                               "without a place of its own");
    if (read.getVectorType().getShape() != im2col.getMatrixType().getShape() ||
        !read.getPermutationMap().isIdentity())
      return rewriter.notifyMatchFailure(read, "not of the whole tile");
    rewriter.replaceOpWithNewOp<Im2colOp>(
        read, TypeRange{read.getVectorType()}, im2col.getSource(),
        im2col.getOffsets(), Value(), im2col.getPhase(), im2col.getViews(),
        UnitAttr());
    return success();
  }
};

/// Per-channel values, along the columns of the tile or along its rows: read
/// once, the padded tail as the padding value of the read, and broadcast.
struct ReadRow : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    Value source = read.getBase();
    bool inBounds = true;
    if (auto pad = source.getDefiningOp<tensor::PadOp>()) {
      if (!pad.getConstantPaddingValue())
        return rewriter.notifyMatchFailure(pad, "padding is not constant");
      source = pad.getSource();
      inBounds = false;
    }
    // A slice of the whole row was folded away.
    OpFoldResult start = rewriter.getIndexAttr(0);
    auto slice = source.getDefiningOp<tensor::ExtractSliceOp>();
    if (slice && slice.hasUnitStride()) {
      source = slice.getSource();
      start = slice.getMixedOffsets().front();
    }
    VectorType type = read.getVectorType();
    VectorType valuesType = getValuesType(type, read.getPermutationMap());
    bool isRead = source == read.getBase() && valuesType == type;
    if (isRead || !valuesType ||
        cast<ShapedType>(source.getType()).getRank() != 1)
      return rewriter.notifyMatchFailure(read, "not of a slice of a row");
    Location loc = read.getLoc();
    Value offset = getValueOrCreateConstantIndexOp(rewriter, loc, start);
    AffineMap map =
        read.getPermutationMap().getMinorSubMap(valuesType.getRank());
    SmallVector<bool> bounds(valuesType.getRank(), true);
    bounds.front() = inBounds;
    Value values = vector::TransferReadOp::create(
        rewriter, loc, valuesType, source, ValueRange{offset},
        zeroOf(rewriter, loc, type.getElementType()), map,
        ArrayRef<bool>(bounds));
    if (valuesType != type)
      values = vector::BroadcastOp::create(rewriter, loc, type, values);
    rewriter.replaceOp(read, values);
    return success();
  }

  /// vector<nxT> of values for each column, vector<mx1xT> of values for each
  /// row; null where the map is neither.
  static VectorType getValuesType(VectorType type, AffineMap map) {
    auto isIndex = [](AffineExpr expr) { return isa<AffineDimExpr>(expr); };
    ArrayRef<int64_t> shape = type.getShape();
    if (isIndex(map.getResults().back()))
      return VectorType::get(shape.back(), type.getElementType());
    if (shape.size() < 2 || !isIndex(map.getResults().drop_back().back()))
      return nullptr;
    return VectorType::get({shape[shape.size() - 2], 1}, type.getElementType());
  }
};

/// One value for all of the tile.
struct ReadScalar : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    if (cast<ShapedType>(read.getBase().getType()).getRank() != 0)
      return rewriter.notifyMatchFailure(read, "not of one value");
    Value scalar = tensor::ExtractOp::create(rewriter, read.getLoc(),
                                             read.getBase(), ValueRange());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(read, read.getVectorType(),
                                                     scalar);
    return success();
  }
};

/// The result tile is scattered from registers.
struct ScatterVector : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    auto write = scatter.getValue().getDefiningOp<vector::TransferWriteOp>();
    if (!write)
      return rewriter.notifyMatchFailure(scatter, "value is not a vector");
    if (write.getVectorType().getShape() != scatter.getValueType().getShape())
      return rewriter.notifyMatchFailure(scatter, "vector is not the tile");
    rewriter.modifyOpInPlace(
        scatter, [&] { scatter.getValueMutable().assign(write.getVector()); });
    return success();
  }
};

} // namespace

static LogicalResult foldTransfers(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<ReadIm2colIntoVector, ReadRow, ReadScalar, ScatterVector>(
      root->getContext());
  vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                      root->getContext());
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                       root->getContext());
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                      root->getContext());
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns,
                                                     root->getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, root->getContext());
  return applyPatternsGreedily(root, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Moves index arithmetic that no block of gemm-k changes in front of the loop:
/// the place of a tile, which rings of windows ask for outside of it.
static void hoistIndices(LoopLikeOpInterface loop) {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [](Operation *op, Region *) {
        return isPure(op) && op->getNumRegions() == 0 &&
               llvm::all_of(op->getResultTypes(), llvm::IsaPred<IndexType>);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

static LogicalResult vectorizeBlock(RewriterBase &rewriter,
                                    scf::ForallOp block) {
  SmallVector<linalg::LinalgOp> ops;
  block.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  OperandTiles tiles;
  for (linalg::LinalgOp op : ops) {
    if (op.getNumReductionLoops() > 0) {
      if (failed(op.getNumDpsInputs() == 1
                     ? vectorizeRowSum(rewriter, op, tiles)
                     : vectorizeContraction(rewriter, op, tiles)))
        return failure();
      continue;
    }
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::VectorizationResult> result =
        linalg::vectorize(rewriter, op);
    if (failed(result))
      return op->emitOpError("cannot be vectorised on a tile");
    rewriter.replaceOp(op, result->replacements);
  }
  SmallVector<AddTapsOp> addTaps;
  block.walk([&](AddTapsOp op) { addTaps.push_back(op); });
  for (AddTapsOp op : addTaps)
    vectorizeAddTaps(rewriter, op);
  if (failed(foldTransfers(block)))
    return failure();
  // Innermost loops first, so that the accumulator climbs all the way.
  block.walk([&](scf::ForOp loop) {
    auto loopLike = cast<LoopLikeOpInterface>(loop.getOperation());
    hoistIndices(loopLike);
    (void)hoistLoopInvariantSubsets(rewriter, loopLike);
  });
  return foldTransfers(block);
}

namespace {
struct ConvVectorizeTiles
    : public conv::impl::ConvVectorizeTilesBase<ConvVectorizeTiles> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> blocks;
    getOperation().walk([&](scf::ForallOp op) {
      if (op->hasAttr(ScheduleAttr::attributeName()) ||
          op->hasAttr(kLoopsAttrName))
        blocks.push_back(op);
    });
    for (scf::ForallOp block : blocks)
      if (failed(block->hasAttr(kLoopsAttrName)
                     ? vectorizeDepthwise(rewriter, block)
                     : vectorizeBlock(rewriter, block)))
        return signalPassFailure();
  }
};
} // namespace
