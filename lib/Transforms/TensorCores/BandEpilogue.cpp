//===- BandEpilogue.cpp - what is computed of sums in bands ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BandEpilogue.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// The store of all that is computed of the sums; null if there is none.
static vector::TransferWriteOp findStore(Value sums) {
  Value value = sums;
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto store = dyn_cast<vector::TransferWriteOp>(user))
      return store;
    if (user->getNumResults() != 1)
      return nullptr;
    value = user->getResult(0);
  }
  return nullptr;
}

BandEpilogue::BandEpilogue(DepthwiseOp sums, vector::TransferWriteOp store,
                           int64_t channels)
    : sums(sums.getResult()), store(store), channels(channels) {}

FailureOr<BandEpilogue> BandEpilogue::find(DepthwiseOp sums, int64_t channels) {
  vector::TransferWriteOp store = findStore(sums.getResult());
  if (!store || store.getMask() || !store.getPermutationMap().isIdentity() ||
      !isa<MemRefType>(store.getBase().getType()))
    return sums.emitOpError("must have sums that a vector.transfer_write "
                            "stores, behind elementwise operations at most");
  BandEpilogue epilogue(sums, store, channels);
  if (Operation *last = store.getVector().getDefiningOp();
      last != sums && failed(epilogue.collect(last)))
    return failure();
  return epilogue;
}

/// The tensor behind a tile of it.
Value BandEpilogue::getTensor(Value base) {
  auto part = base.getDefiningOp<memref::SubViewOp>();
  return part ? part.getSource() : base;
}

/// Whether a read has its tile or row at the place of the stored tile: where
/// the tensor behind it is as large as the results, or their channels, its part
/// cannot begin elsewhere. A slice of a larger tensor can.
static bool isAtPlace(Type whole, Type results, bool isTile) {
  auto type = dyn_cast<MemRefType>(whole);
  auto ofResults = cast<MemRefType>(results);
  if (!type || !type.getLayout().isIdentity())
    return false;
  ArrayRef<int64_t> shape = ofResults.getShape();
  return type.getShape() == (isTile ? shape : shape.take_back());
}

/// Operations on which a value of the tile depends come before it.
LogicalResult BandEpilogue::collect(Operation *op) {
  if (ofChannels.contains(op) || ofPlaces.contains(op))
    return success();
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  auto tile = cast<VectorType>(sums.getType());
  bool isTile = type && type.getShape() == tile.getShape();
  bool isRow = type && type.getShape() == tile.getShape().take_back();
  auto read = dyn_cast<vector::TransferReadOp>(op);
  bool isWholeRead = read && !read.getMask() &&
                     read.getPermutationMap().isIdentity();
  bool isKnown = isWholeRead || matchPattern(op, m_Constant()) ||
                 isa<vector::BroadcastOp>(op) ||
                 OpTrait::hasElementwiseMappableTraits(op);
  if (op->getNumResults() != 1 || !(isTile || isRow) || !isKnown)
    return op->emitOpError("has no piece of a tile in bands");
  if (isWholeRead && !isAtPlace(getTensor(read.getBase()).getType(),
                                getResult().getType(), isTile))
    return op->emitOpError("must read a tensor as large as the results, or as "
                           "their channels, and no slice of a larger one");
  bool ofPlace = isWholeRead && isTile;
  if (!read)
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (operand == sums) {
        ofPlace = true;
        continue;
      }
      if (!isa<VectorType>(operand.getType()))
        continue;
      if (!producer)
        return op->emitOpError("has an operand from outside of the kernel");
      if (failed(collect(producer)))
        return failure();
      ofPlace |= ofPlaces.contains(producer);
    }
  (ofPlace ? ofPlaces : ofChannels).insert(op);
  return success();
}

/// The same operation on pieces.
Operation *BandEpilogue::clonePiece(OpBuilder &builder, Operation *op,
                                    const DenseMap<Value, Value> &pieces) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (Value piece = pieces.lookup(operand))
      mapping.map(operand, piece);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(getPieceType(op->getResult(0).getType()));
  return clone;
}

static Value loadChannels(IndexMath &math, Value memory, Value first,
                          VectorType type) {
  return vector::LoadOp::create(math.getBuilder(), math.getLoc(), type, memory,
                                first);
}

void BandEpilogue::prepare(IndexMath &math, Value channel) {
  OpBuilder &builder = math.getBuilder();
  for (Operation *op : ofChannels) {
    Value result = op->getResult(0);
    VectorType type = getPieceType(result.getType());
    Value &piece = prepared[result];
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant))) {
      piece = arith::ConstantOp::create(builder, math.getLoc(),
                                        constant.resizeSplat(type));
    } else if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      Value flat = getFlatView(getTensor(read.getBase()));
      piece = loadChannels(math, flat, channel, type);
    } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op);
               broadcast && isa<VectorType>(broadcast.getSourceType())) {
      piece = prepared.lookup(broadcast.getSource());
    } else {
      piece = clonePiece(builder, op, prepared)->getResult(0);
    }
  }
}

Value BandEpilogue::compute(IndexMath &math, Value piece, Value element) {
  DenseMap<Value, Value> pieces = prepared;
  pieces[sums] = piece;
  for (Operation *op : ofPlaces) {
    Value result = op->getResult(0);
    if (auto read = dyn_cast<vector::TransferReadOp>(op))
      pieces[result] =
          loadChannels(math, getFlatView(getTensor(read.getBase())), element,
                       getPieceType(result.getType()));
    else
      pieces[result] =
          clonePiece(math.getBuilder(), op, pieces)->getResult(0);
  }
  return pieces.lookup(store.getVector());
}

void BandEpilogue::erase() {
  store.erase();
  for (auto *ops : {&ofPlaces, &ofChannels})
    for (Operation *op : llvm::reverse(*ops))
      if (op->use_empty())
        op->erase();
}
