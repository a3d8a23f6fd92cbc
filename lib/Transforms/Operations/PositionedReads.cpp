//===- PositionedReads.cpp - elements at computed positions ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PositionedReads.h"
#include "PieceLoops.h"
#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/LinearIndex.h"
#include "conv/Dialect/Conv/IR/Reversal.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether a loop walks it as it is: a constant, or a sum of loops.
static bool isWalk(AffineExpr index, unsigned loops) {
  std::optional<SmallVector<int64_t>> factors = getFactors(index, loops);
  if (!factors)
    return false;
  auto terms = ArrayRef(*factors).drop_back();
  return llvm::all_of(terms, [](int64_t factor) { return factor >= 0; }) &&
         (factors->back() == 0 ||
          llvm::all_of(terms, [](int64_t factor) { return factor == 0; }));
}

static bool isWalked(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr index) {
    return isWalk(index, map.getNumDims());
  });
}

static void setMap(linalg::GenericOp op, unsigned operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand] = map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// The element that the map of an input names, computed in the body.
static Value emitRead(OpBuilder &builder, linalg::GenericOp op,
                      OpOperand *input) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(input);
  SmallVector<Value> loops, indices;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(linalg::IndexOp::create(builder, loc, loop));
  for (AffineExpr index : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(builder, loc, index, loops, ValueRange()));
  return tensor::ExtractOp::create(builder, loc, input->get(), indices);
}

/// Takes away inputs that the body does not name.
static void dropInputs(linalg::GenericOp op,
                       const llvm::SmallBitVector &dropped) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [i, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    bool isInput = i < dropped.size();
    if (isInput && dropped.test(i))
      continue;
    maps.push_back(map);
    if (isInput)
      inputs.push_back(op.getDpsInputOperand(i)->get());
  }
  for (unsigned i = dropped.size(); i-- > 0;)
    if (dropped.test(i))
      op.getBody()->eraseArgument(i);
  op.getInputsMutable().assign(inputs);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

static void readElements(linalg::GenericOp op) {
  llvm::SmallBitVector dropped(op.getNumDpsInputs());
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isWalked(op.getMatchingIndexingMap(input)))
      continue;
    op.getMatchingBlockArgument(input).replaceAllUsesWith(
        emitRead(builder, op, input));
    dropped.set(input->getOperandNumber());
  }
  if (dropped.any())
    dropInputs(op, dropped);
}

//===----------------------------------------------------------------------===//
// Loops, and inputs of sums
//===----------------------------------------------------------------------===//

/// Whether some index of the maps has the loop backwards.
static bool runsBackwards(ArrayRef<AffineMap> maps, unsigned loop) {
  return llvm::any_of(maps, [&](AffineMap map) {
    return llvm::any_of(map.getResults(), [&](AffineExpr index) {
      auto factors = getFactors(index, map.getNumDims());
      return factors && (*factors)[loop] < 0;
    });
  });
}

/// The maps with loops turned around: of the result those that it has
/// backwards, of sums those that any operand has.
static SmallVector<AffineMap> turnLoops(linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.hasIndexSemantics())
    return maps;
  SmallVector<AffineExpr> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    AffineExpr forwards = getAffineDimExpr(loop, op.getContext());
    ArrayRef<AffineMap> read = maps;
    if (kind == utils::IteratorType::parallel)
      read = read.drop_front(op.getNumDpsInputs());
    loops.push_back(runsBackwards(read, loop) ? extents[loop] - 1 - forwards
                                              : forwards);
  }
  for (AffineMap &map : maps)
    map = simplifyAffineMap(
        map.replaceDimsAndSymbols(loops, {}, extents.size(), 0));
  return maps;
}

/// An index of an input of a sum, from the other end of its dimension.
static AffineExpr turnIndex(AffineExpr index, int64_t extent, unsigned loops) {
  return simplifyAffineExpr(extent - 1 - index, loops, 0);
}

/// Whether an index walks the dimension once that is turned around or cropped.
static bool canMove(AffineExpr index, int64_t extent, unsigned loops) {
  if (isWalk(index, loops) || isWalk(turnIndex(index, extent, loops), loops))
    return true;
  auto factors = getFactors(index, loops);
  return factors &&
         llvm::all_of(*factors, [](int64_t factor) { return factor >= 0; });
}

/// Whether all inputs can be moved so that these maps walk them.
static bool canMove(linalg::GenericOp op, ArrayRef<AffineMap> maps) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = maps[input->getOperandNumber()];
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (type && type.getNumElements() == 0)
      return false;
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (!canMove(index, type.getDimSize(dim), map.getNumDims()))
        return false;
  }
  return true;
}

/// An input as its map walks it: dimensions that are indexed backwards turned
/// around, and cropped in front of the first position.
static void moveInput(OpBuilder &builder, linalg::GenericOp op,
                      OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  auto type = cast<RankedTensorType>(input->get().getType());
  unsigned loops = map.getNumDims();
  SmallVector<int64_t> dims, offsets(type.getRank(), 0),
      shape(type.getShape());
  SmallVector<AffineExpr> indices(map.getResults());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    AffineExpr turned = turnIndex(index, type.getDimSize(dim), loops);
    if (isWalk(index, loops))
      continue;
    if (isWalk(turned, loops)) {
      dims.push_back(dim);
      index = turned;
      continue;
    }
    offsets[dim] = getFactors(index, loops)->back();
    shape[dim] -= offsets[dim];
    index = simplifyAffineExpr(index - offsets[dim], loops, 0);
  }
  Location loc = op.getLoc();
  Value moved = emitReverse(builder, loc, input->get(), dims);
  if (shape != type.getShape())
    moved = emitPart(builder, loc, type.clone(shape), moved, offsets,
                     SmallVector<int64_t>(type.getRank(), 1),
                     llvm::SmallBitVector(type.getRank()));
  setMap(op, input->getOperandNumber(),
         AffineMap::get(loops, 0, indices, op.getContext()));
  input->set(moved);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isWalked(linalg::GenericOp op) {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return isWalked(map); });
}

void conv::readByPosition(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  for (Block &block : function.getBody())
    for (auto op : block.getOps<linalg::GenericOp>())
      if (op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
          !isWalked(op))
        ops.push_back(op);
  for (linalg::GenericOp op : ops) {
    SmallVector<AffineMap> maps = turnLoops(op);
    bool isSum = op.getNumReductionLoops() > 0;
    if (isSum && !canMove(op, maps))
      continue;
    OpBuilder builder(op);
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    if (!isSum) {
      readElements(op);
      continue;
    }
    for (OpOperand *input : op.getDpsInputOperands())
      if (!isWalked(op.getMatchingIndexingMap(input)))
        moveInput(builder, op, input);
  }
}

/// A position in a row, of one in a tensor of several dimensions: upstream's
/// vectoriser gathers from rows.
static void flattenRead(OpBuilder &builder, tensor::ExtractOp read) {
  auto type = cast<RankedTensorType>(read.getTensor().getType());
  Location loc = read.getLoc();
  builder.setInsertionPoint(read->getParentOp());
  Value row = flattenTensor(builder, loc, read.getTensor());
  builder.setInsertionPoint(read);
  IndexMath math(builder, loc);
  Value position = math.constant(0);
  for (auto [index, suffix] :
       llvm::zip(read.getIndices(), computeSuffixProduct(type.getShape())))
    position = math.add(position, math.mul(index, suffix));
  read.getTensorMutable().assign(row);
  read.getIndicesMutable().assign(position);
}

void conv::flattenReads(func::FuncOp function) {
  SmallVector<tensor::ExtractOp> reads;
  function.walk([&](tensor::ExtractOp read) {
    auto type = dyn_cast<RankedTensorType>(read.getTensor().getType());
    bool isFlat = !type || type.getRank() < 2 || !type.hasStaticShape();
    Operation *parent = read->getParentOp();
    if (!isFlat && isa<linalg::LinalgOp>(parent) &&
        parent->getParentOp() == function)
      reads.push_back(read);
  });
  OpBuilder builder(function.getContext());
  for (tensor::ExtractOp read : reads)
    flattenRead(builder, read);
}
