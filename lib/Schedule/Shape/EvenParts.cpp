//===- EvenParts.cpp - tiles in even parts --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/EvenParts.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;
using llvm::divideCeil;
using llvm::formatv;

/// What a filler needs to go on to another tile, in blocks: it stores sums that
/// nothing hides.
static constexpr int64_t kBlocksPerItem = 3;

/// With x blocks of each of R tiles, E fillers have R x / E, and (R - 1) / E
/// tiles more than one; the p parts of a tile have (B - x) / p. These are
/// equal.
int64_t EvenParts::getFilled() const {
  return (blocks * getFillers() - getBlocksBetween()) / workgroups;
}

int64_t EvenParts::getBlocksBetween() const {
  return kBlocksPerItem * getParts() * (tiles - 1);
}

int64_t EvenParts::getLeastBlocks() const {
  return divideCeil(workgroups + getBlocksBetween(), getFillers());
}

// Filler f of E has the blocks f T / E to (f + 1) T / E of T = R x.

int64_t EvenParts::getMostItems() const {
  int64_t fillers = getFillers(), filled = getFilled(), all = getAllFilled();
  int64_t most = 0;
  for (int64_t filler = 0; filler < fillers; ++filler) {
    int64_t first = filler * all / fillers;
    int64_t last = (filler + 1) * all / fillers - 1;
    most = std::max(most, last / filled - first / filled + 1);
  }
  return most;
}

int64_t EvenParts::getMostFillersOfTile() const {
  int64_t fillers = getFillers(), filled = getFilled(), all = getAllFilled();
  int64_t most = 0;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t first = ((tile * filled + 1) * fillers - 1) / all;
    int64_t last = ((tile + 1) * filled * fillers - 1) / all;
    most = std::max(most, last - first + 1);
  }
  return most;
}

double EvenParts::getCycles(double block, double end) const {
  double part = divideCeil(getFirstFilled(), getParts()) * block + end;
  double filler =
      divideCeil(getAllFilled(), getFillers()) * block + getMostItems() * end;
  return std::max(part, filler);
}

std::string conv::whyNoEvenParts(const EvenParts &parts) {
  if (parts.tiles == 0 || parts.getFillers() == 0)
    return formatv("of tiles that are left after whole rounds of {0} "
                   "workgroups, of a number that does not divide {0}, but "
                   "{1} are",
                   parts.workgroups, parts.tiles);
  if (int64_t least = parts.getLeastBlocks(); parts.blocks < least)
    return formatv("{0} tiles want at least {1} blocks of gemm-k for {2} "
                   "workgroups, but have {3}",
                   parts.tiles, least, parts.workgroups, parts.blocks);
  // The numbers that kernels count with have 31 bits.
  if (parts.workgroups * parts.getAllFilled() > INT32_MAX)
    return formatv("{0} blocks of gemm-k for {1} workgroups are more than "
                   "kernels can count",
                   parts.blocks, parts.workgroups);
  return "";
}
