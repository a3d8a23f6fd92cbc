//===- BoxOperand.h - an operand of wgrad with windows ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dy or x of a wgrad whose taps share a window (WindowOperands.cpp), and what
// of it a block of gemm-k has in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_BOXOPERAND_H
#define CONV_LIB_TRANSFORMS_RING_BOXOPERAND_H

#include "RawWindows.h"
#include "conv/Geometry/WindowBlock.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// One operand: its copy in the nest, and the box that is copied instead.
struct BoxOperand {
  Im2colOp copy;
  convmlir::Spatial taps{1, 1, 1};
  convmlir::WindowBlock block;
  Value ring; ///< Slots of lines, or of tiles K-major.
  /// Whether positions are columns of the tile, and not rows.
  bool isKMajor = false;
  int64_t storedPositions = 0;   ///< Columns of the tile in memory.
  std::optional<RawWindows> raw; ///< Of positions that lie channels first.

  ViewAttr getView() { return copy.getView(); }
  bool isGathered() const {
    return const_cast<Im2colOp &>(copy).getChannelsFirst();
  }
  MemRefType getTileType() {
    return cast<MemRefType>(copy.getDest().getType());
  }
  /// Of a tile K-major.
  MemRefType getStoredType() {
    return MemRefType::get({getTileType().getDimSize(0), storedPositions},
                           getTileType().getElementType(), AffineMap(),
                           getTileType().getMemorySpace());
  }
  int64_t getChannels() { return getTileType().getShape().back(); }
  /// Of a slot, which begins at a multiple of eight, as the swizzle repeats.
  int64_t getSlotLines() const {
    return raw ? raw->getSlotLines() : llvm::alignTo(block.getWindowLines(), 8);
  }
  /// Extents of the box in shared memory.
  SmallVector<int64_t> getExtents();
  int64_t getBytes() {
    if (isKMajor)
      return getTileBytes(getStoredType());
    return block.getWindowLines() * getLineBytes();
  }
  int64_t getLineBytes() {
    return getChannels() * getTileType().getElementTypeBitWidth() / 8;
  }
};

inline SmallVector<int64_t> BoxOperand::getExtents() {
  SmallVector<int64_t> extents = {block.images};
  if (block.packed)
    llvm::append_values(extents,
                        block.packed->packedLines / block.packed->pitch,
                        block.packed->pitch);
  else
    llvm::append_range(extents,
                       ArrayRef(block.window).take_front(block.spatialRank));
  extents.push_back(getChannels());
  return extents;
}

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_BOXOPERAND_H
