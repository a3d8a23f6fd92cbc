//===- GemmShape.cpp - what an operation multiplies -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/GemmShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

int64_t GemmShape::getResults() const {
  int64_t rows = 0;
  for (Phase phase : phases)
    rows += phase.m;
  return rows * n * wgrad.resultTaps * groups;
}

bool GemmShape::isPlain() const {
  constexpr int64_t bytes = 2;
  return elementBytes == bytes && !isChannelsFirst && !a.isTransposed &&
         !b.isTransposed && !stored.isTransposed;
}

bool GemmShape::hasImages() const {
  return (isChannelsFirst || wgrad.isKMajor) && wgrad.reducesRows &&
         phases.front().taps > 1;
}

int64_t GemmShape::getMostParts(int64_t blockK) const {
  int64_t taps = phases.front().taps;
  int64_t blocks = std::max<int64_t>(llvm::divideCeil(channels, blockK), 1);
  if (hasImages())
    return taps * blocks;
  return wgrad.hasPartsOfTaps ? std::max(blocks, taps) : blocks;
}

bool GemmShape::dividesTaps(int64_t split, int64_t blockK) const {
  int64_t blocks = llvm::divideCeil(channels, blockK);
  return wgrad.hasPartsOfTaps && split > blocks;
}

int64_t GemmShape::getLongestPart(Phase phase, int64_t parts,
                                  int64_t blockK) const {
  int64_t blocks = llvm::divideCeil(channels, blockK);
  if (hasImages())
    return llvm::divideCeil(phase.taps * blocks, parts);
  return dividesTaps(parts, blockK)
             ? llvm::divideCeil(phase.taps, parts) * blocks
             : phase.taps * llvm::divideCeil(blocks, parts);
}
