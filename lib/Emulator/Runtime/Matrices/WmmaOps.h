//===- WmmaOps.h - wmma.load, wmma.mma, wmma.store --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices in the registers of a warp whose elements no program
// knows the place of (PTX ISA, "Matrix Fragments for WMMA": "the distribution
// of fragments loaded by the threads in a warp is unspecified"). Here lane by
// lane holds neighbours in the order of memory, which no hardware does: what
// takes another order for granted computes something else.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_WMMAOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_WMMAOPS_H

#include "MmaOps.h"

namespace convmlir::emu {

/// A matrix in the registers of a warp.
struct WmmaMatrix {
  unsigned rows = 16, columns = 16;
  bool isColumnMajor = false; ///< As it lies in memory.
  unsigned elementBytes = 2;
  /// Elements of a lane: more than a share, where several lanes hold the same.
  unsigned laneElements = 16;

  unsigned count() const { return rows * columns; }
  /// Lines that are neighbours in memory, and elements of one.
  unsigned lines() const { return isColumnMajor ? columns : rows; }
  unsigned lineElements() const { return isColumnMajor ? rows : columns; }
  unsigned lineBytes() const { return lineElements() * elementBytes; }
  unsigned laneBytes() const { return laneElements * elementBytes; }
  /// The element that a lane holds, by its number in memory.
  unsigned numberOf(unsigned lane, unsigned index) const {
    return (lane * laneElements + index) % count();
  }
};

/// Operands: the address, for a store the registers, and elements between
/// lines.
struct WmmaMemorySite : Site {
  WmmaMatrix matrix;
};

/// Operands: the registers of A, of B and of C. The sums are f32.
struct WmmaProductSite : Site {
  MmaElement element = MmaElement::F16;
  WmmaMatrix a, b, c;
  unsigned aRegisters = 0, bRegisters = 0;
};

void loadWmma(Thread *thread, const Site *site, std::byte *mailbox);
void storeWmma(Thread *thread, const Site *site, std::byte *mailbox);
void multiplyWmma(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_WMMAOPS_H
