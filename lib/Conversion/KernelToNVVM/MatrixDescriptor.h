//===- MatrixDescriptor.h - wgmma's view of a tile --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the 64-bit matrix descriptor of `wgmma` (PTX ISA, "Matrix descriptor
// format") names a part of a tile in panels. In units of 16 bytes:
//
//   bits 0-13   start address
//   bits 16-29  leading dimension: MN-major, from one panel to the next
//   bits 32-45  stride: from eight rows of a panel to the next eight
//   bits 62-63  swizzle: 1, 2 or 3 for a span of 128, 64 or 32 bytes
//
// The low word is an address plus a constant; the high word is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXDESCRIPTOR_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXDESCRIPTOR_H

#include "conv/Geometry/SharedTile.h"

#include <cassert>
#include <cstdint>

namespace mlir::conv {

/// A tile that is stored K-major, as (mn, k), or MN-major, as (k, mn).
class MatrixDescriptor {
public:
  /// Addresses and distances are in units of 16 bytes.
  static constexpr int64_t kShift = 4, kUnit = 1 << kShift;

  MatrixDescriptor(const convmlir::PanelTile &tile, bool isMnMajor)
      : tile(tile), isMnMajor(isMnMajor) {}

  /// Word without the address.
  int64_t getLowWord() const {
    // Ignored for K-major operands with a swizzle; one unit by convention.
    int64_t leading = isMnMajor ? tile.getPanelBytes() : kUnit;
    return leading / kUnit << 16;
  }
  int64_t getHighWord() const {
    int64_t stride = 8 * tile.getSpanBytes();
    return stride / kUnit | getSwizzleCode() << 30;
  }

  /// Bytes from the tile's start to row or column `mn` of the matrix, for each
  /// of `mn`: linear for multiples of 64.
  int64_t getBytesPerMn() const {
    return isMnMajor ? tile.getPanelBytes() / tile.getPanelColumns()
                     : tile.getSpanBytes();
  }
  /// Bytes from the tile's start to gemm-k index `k`: that of a
  /// multiple of 32 bytes where gemm-k is contiguous, else a multiple of 16.
  int64_t getBytesOfK(int64_t k) const {
    if (isMnMajor)
      return k * tile.getSpanBytes();
    int64_t panel = k / tile.getPanelColumns(),
            column = k % tile.getPanelColumns();
    return panel * tile.getPanelBytes() +
           column * (tile.getSpanBytes() / tile.getPanelColumns());
  }

private:
  int64_t getSwizzleCode() const {
    int64_t span = tile.getSpanBytes();
    assert((span == 32 || span == 64 || span == 128) && "no such swizzle");
    return span == 128 ? 1 : span == 64 ? 2 : 3;
  }

  convmlir::PanelTile tile;
  bool isMnMajor;
};

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXDESCRIPTOR_H
