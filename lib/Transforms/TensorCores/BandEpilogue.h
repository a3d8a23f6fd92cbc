//===- BandEpilogue.h - what is computed of sums in bands ----- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_BANDEPILOGUE_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_BANDEPILOGUE_H

#include "Support/IndexMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::conv {

class DepthwiseOp;

/// The elementwise operations between the sums of a workgroup, a vector of
/// images, lines, columns and channels, and their store. A thread has pieces of
/// the tile: some neighbouring channels of one place.
class BandEpilogue {
public:
  /// Of `channels` channels from number `channel` of the tensors on; an error
  /// where an operation has no piece.
  static FailureOr<BandEpilogue> find(DepthwiseOp sums, int64_t channels);

  vector::TransferWriteOp getStore() const { return store; }
  /// The tensor of the results, of which the tile is a part.
  Value getResult() { return getTensor(store.getBase()); }

  /// What the channels have in common, whatever the place. Goes in front of all
  /// pieces.
  void prepare(IndexMath &math, Value channel);
  /// What is stored of a vector of sums. `element` is the number of the first
  /// one in a tensor of the results' shape.
  Value compute(IndexMath &math, Value sums, Value element);
  /// Erases what was replaced.
  void erase();

private:
  BandEpilogue(DepthwiseOp sums, vector::TransferWriteOp store,
               int64_t channels);

  LogicalResult collect(Operation *op);
  static Value getTensor(Value base);
  VectorType getPieceType(Type tile) const {
    return VectorType::get(channels, getElementTypeOrSelf(tile));
  }
  Operation *clonePiece(OpBuilder &builder, Operation *op,
                        const DenseMap<Value, Value> &pieces);

  Value sums;
  vector::TransferWriteOp store;
  int64_t channels;
  /// In their order; those of channels alone, and of places.
  llvm::SetVector<Operation *> ofChannels, ofPlaces;
  DenseMap<Value, Value> prepared;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_BANDEPILOGUE_H
