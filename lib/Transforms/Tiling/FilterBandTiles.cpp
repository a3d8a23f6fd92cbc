//===- FilterBandTiles.cpp - workgroups of images in bands ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  conv.depthwise of a forward or dgrad whose schedule multiplies bands,
//         and the elementwise operations that alone read it.
// Output: F3, an scf.forall over images, lines, columns and channels with tiles
//         of them; F4, vectors of the tile's shape, and one store.
//
// Tiles at the end of a dimension are smaller, so that their sizes are
// computed. Their vectors are as large as any other: what lies past the end is
// not read and not written.
//
//===----------------------------------------------------------------------===//

#include "FilterBandTiles.h"
#include "BlockMapping.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"
#include "conv/Schedule/Shape/FilterBands.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// What goes with the sums
//===----------------------------------------------------------------------===//

/// Dimensions along which an epilogue reads vectors: channels.
static SmallVector<int64_t> getVectorDims(Value sums) {
  return {cast<ShapedType>(sums.getType()).getRank() - 1};
}

/// Whether a tensor is, or may be, a slice of a larger one. A workgroup counts
/// places as in the results.
static bool isSlice(Value tensor) {
  Operation *producer = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                         tensor::CastOp>(producer))
    producer = producer->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::ExtractSliceOp>(producer);
}

/// The operations behind the sums that a workgroup computes on its tile, in
/// their order. One that reads a slice is a kernel of its own.
static SmallVector<linalg::GenericOp> findEpilogue(DepthwiseOp op) {
  SmallVector<linalg::GenericOp> chain;
  SmallVector<int64_t> dims = getVectorDims(op.getResult());
  Value value = op.getResult();
  while (linalg::GenericOp next = getEpilogue(value, dims)) {
    if (next->getBlock() != op->getBlock() ||
        llvm::any_of(next.getInputs(), isSlice))
      break;
    chain.push_back(next);
    value = next.getResult(0);
  }
  return chain;
}

//===----------------------------------------------------------------------===//
// F3
//===----------------------------------------------------------------------===//

namespace {
/// A tile of a tensor of the sums' shape.
struct Place {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

static Place getPlace(RewriterBase &rewriter, Location loc, ValueRange numbers,
                      ArrayRef<int64_t> tile, ArrayRef<int64_t> extents) {
  Place place;
  for (auto [number, size, extent] : llvm::zip_equal(numbers, tile, extents)) {
    AffineExpr first = rewriter.getAffineDimExpr(0) * size;
    place.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, first, {OpFoldResult(number)}));
    place.strides.push_back(rewriter.getIndexAttr(1));
    if (extent <= size || extent % size == 0) {
      place.sizes.push_back(rewriter.getIndexAttr(std::min(size, extent)));
      continue;
    }
    AffineExpr left = rewriter.getAffineConstantExpr(extent) - first;
    place.sizes.push_back(affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(1, 0, {rewriter.getAffineConstantExpr(size), left},
                       rewriter.getContext()),
        {OpFoldResult(number)}));
  }
  return place;
}

/// The part of an operand of such an operation that its tile reads.
static Value sliceOperand(RewriterBase &rewriter, Location loc, Value operand,
                          AffineMap map, const Place &place) {
  if (map.getNumResults() == 0)
    return operand;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (AffineExpr index : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(index).getPosition();
    offsets.push_back(place.offsets[loop]);
    sizes.push_back(place.sizes[loop]);
    strides.push_back(place.strides[loop]);
  }
  return tensor::ExtractSliceOp::create(rewriter, loc, operand, offsets, sizes,
                                        strides);
}

/// The same operation on tiles; `tiles` has that of the value in front of it.
static Value tileElementwise(RewriterBase &rewriter, linalg::GenericOp op,
                             const Place &place, Value dest,
                             DenseMap<Value, Value> &tiles) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value tile = tiles.lookup(input->get());
    operands.push_back(
        tile ? tile
             : sliceOperand(rewriter, loc, input->get(),
                            op.getMatchingIndexingMap(input), place));
  }
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  operands.push_back(
      dest ? sliceOperand(rewriter, loc, dest,
                          rewriter.getMultiDimIdentityMap(type.getRank()),
                          place)
           : tensor::EmptyOp::create(rewriter, loc, place.sizes,
                                     type.getElementType())
                 .getResult());
  Operation *tiled =
      mlir::clone(rewriter, op, TypeRange{operands.back().getType()}, operands);
  tiles[op.getResult(0)] = tiled->getResult(0);
  return tiled->getResult(0);
}

static Value emptyLike(RewriterBase &rewriter, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                 type.getElementType());
}

LogicalResult conv::tileFilterBands(RewriterBase &rewriter, DepthwiseOp op) {
  if (std::string why = whyIllegalBands(op, getChip(op)); !why.empty())
    return op.emitOpError(why);
  Location loc = op.getLoc();
  FilterBands bands(getDepthwiseSum(op), op.getScheduleAttr());
  SmallVector<linalg::GenericOp> epilogue = findEpilogue(op);
  Value result =
      epilogue.empty() ? op.getResult() : epilogue.back().getResult(0);
  auto sumType = cast<RankedTensorType>(op.getResultType());
  std::array<int64_t, 4> tile = bands.getTile();
  rewriter.setInsertionPointAfter(result.getDefiningOp());
  Value dest = emptyLike(rewriter, loc, result);
  SmallVector<OpFoldResult> counts;
  for (auto [size, extent] : llvm::zip_equal(tile, sumType.getShape()))
    counts.push_back(rewriter.getIndexAttr(llvm::divideCeil(extent, size)));
  auto forall = scf::ForallOp::create(rewriter, loc, counts, dest,
                                      getBlockMapping(rewriter, counts.size()));
  forall->setAttr(kLoopsAttrName, op.getScheduleAttr());
  rewriter.setInsertionPointToStart(forall.getBody());
  Place place = getPlace(rewriter, loc, forall.getInductionVars(), tile,
                         sumType.getShape());
  SmallVector<Value> offsets;
  for (OpFoldResult offset : place.offsets)
    offsets.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, offset));
  auto [shape, dynamic] = decomposeMixedValues(place.sizes);
  DenseMap<Value, Value> tiles;
  Value value = DepthwiseOp::create(
      rewriter, loc, RankedTensorType::get(shape, sumType.getElementType()),
      op.getSource(), op.getFilter(), offsets, op.getView(),
      op.getDilationAttr(), op.getChannelsFirst(), op.getScheduleAttr(),
      op.getPrecisionTypeAttr());
  tiles[op.getResult()] = value;
  for (linalg::GenericOp next : epilogue)
    value = tileElementwise(rewriter, next, place,
                            next == epilogue.back()
                                ? forall.getRegionIterArgs().front()
                                : Value(),
                            tiles);
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, loc, value,
                                        forall.getRegionIterArgs().front(),
                                        place.offsets, place.sizes,
                                        place.strides);
  rewriter.replaceAllUsesWith(result, forall.getResult(0));
  for (linalg::GenericOp old : llvm::reverse(epilogue))
    rewriter.eraseOp(old);
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// F4
//===----------------------------------------------------------------------===//

namespace {
/// The vectors of a workgroup's tile.
class TileVectors {
public:
  TileVectors(RewriterBase &rewriter, DepthwiseOp op);

  void addElementwise(linalg::GenericOp op);
  void write(tensor::ParallelInsertSliceOp insert);

private:
  VectorType getType(Type element) const {
    return VectorType::get(shape, element);
  }
  Value read(OpOperand &input, AffineMap map);
  SmallVector<bool> getInBounds(Value tile) const;
  SmallVector<Value> getZeros(Location loc, size_t number) {
    return SmallVector<Value>(
        number, arith::ConstantIndexOp::create(rewriter, loc, 0));
  }

  RewriterBase &rewriter;
  SmallVector<int64_t> shape;
  DenseMap<Value, Value> vectors; ///< By tile.
};
} // namespace

TileVectors::TileVectors(RewriterBase &rewriter, DepthwiseOp op)
    : rewriter(rewriter) {
  FilterBands bands(getDepthwiseSum(op), op.getScheduleAttr());
  llvm::append_range(shape, bands.getTile());
  rewriter.setInsertionPoint(op);
  Type vector = getType(op.getResultType().getElementType());
  vectors[op.getResult()] =
      mlir::clone(rewriter, op, TypeRange(vector), op->getOperands())
          ->getResult(0);
}

/// Whether a tile is as large as its vector, along each dimension.
SmallVector<bool> TileVectors::getInBounds(Value tile) const {
  return llvm::map_to_vector(
      llvm::zip_equal(cast<ShapedType>(tile.getType()).getShape(), shape),
      [](auto sizes) { return std::get<0>(sizes) == std::get<1>(sizes); });
}

Value TileVectors::read(OpOperand &input, AffineMap map) {
  Value tile = input.get();
  Location loc = input.getOwner()->getLoc();
  Type element = getElementTypeOrSelf(tile.getType());
  if (Value known = vectors.lookup(tile))
    return known;
  if (map.getNumResults() == 0) {
    Value scalar = tile;
    if (isa<RankedTensorType>(tile.getType()))
      scalar = tensor::ExtractOp::create(rewriter, loc, tile, ValueRange());
    return vector::BroadcastOp::create(rewriter, loc, getType(element), scalar);
  }
  Value padding =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  if (map.isIdentity())
    return vector::TransferReadOp::create(
        rewriter, loc, getType(element), tile, getZeros(loc, shape.size()),
        padding, ArrayRef<bool>(getInBounds(tile)));
  Value row = vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(shape.back(), element), tile,
      getZeros(loc, 1), padding, ArrayRef<bool>{true});
  return vector::BroadcastOp::create(rewriter, loc, getType(element), row);
}

void TileVectors::addElementwise(linalg::GenericOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    mapping.map(op.getMatchingBlockArgument(input),
                read(*input, op.getMatchingIndexingMap(input)));
  auto toVector = [&](Value scalar) -> Value {
    Value known = mapping.lookupOrDefault(scalar);
    if (isa<VectorType>(known.getType()))
      return known;
    return vector::BroadcastOp::create(rewriter, loc,
                                       getType(scalar.getType()), known);
  };
  for (Operation &scalar : op.getBody()->without_terminator()) {
    if (matchPattern(&scalar, m_Constant())) {
      rewriter.clone(scalar, mapping);
      continue;
    }
    IRMapping operands;
    for (Value operand : scalar.getOperands())
      operands.map(operand, toVector(operand));
    Operation *vector = rewriter.clone(scalar, operands);
    for (auto [result, old] :
         llvm::zip_equal(vector->getResults(), scalar.getResults())) {
      result.setType(getType(old.getType()));
      mapping.map(old, result);
    }
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  vectors[op.getResult(0)] = toVector(yielded);
}

void TileVectors::write(tensor::ParallelInsertSliceOp insert) {
  Location loc = insert.getLoc();
  Value tile = insert.getSource();
  rewriter.setInsertionPointAfterValue(vectors.lookup(tile));
  Value place = tensor::ExtractSliceOp::create(
      rewriter, loc, cast<RankedTensorType>(tile.getType()), insert.getDest(),
      insert.getMixedOffsets(), insert.getMixedSizes(),
      insert.getMixedStrides());
  auto written = vector::TransferWriteOp::create(
      rewriter, loc, vectors.lookup(tile), place, getZeros(loc, shape.size()),
      ArrayRef<bool>(getInBounds(tile)));
  rewriter.modifyOpInPlace(insert, [&] {
    insert.getSourceMutable().assign(written.getResult());
  });
}

LogicalResult conv::vectorizeFilterBands(RewriterBase &rewriter,
                                         scf::ForallOp block, DepthwiseOp op) {
  auto inserts =
      block.getTerminator().getBody()->getOps<tensor::ParallelInsertSliceOp>();
  auto epilogue = llvm::to_vector(block.getBody()->getOps<linalg::GenericOp>());
  auto insert = *inserts.begin();
  Value last = epilogue.empty() ? op.getResult() : epilogue.back().getResult(0);
  if (insert.getSource() != last ||
      !llvm::all_of(epilogue, [&](linalg::GenericOp next) {
        return isEpilogue(next, getVectorDims(op.getResult()));
      }))
    return block.emitOpError("must put a tile of a conv.depthwise, or what "
                             "elementwise operations compute of it, in its "
                             "place");
  TileVectors vectors(rewriter, op);
  for (linalg::GenericOp next : epilogue)
    vectors.addElementwise(next);
  vectors.write(insert);
  for (linalg::GenericOp old : llvm::reverse(epilogue))
    rewriter.eraseOp(old);
  rewriter.eraseOp(op);
  return success();
}
