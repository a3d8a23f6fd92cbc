//===- ChannelsFirstResult.cpp - transpositions of results ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/ChannelsFirstResult.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Schedule/Model/Rates.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::conv::h200;

bool conv::makesChannelsFirst(linalg::TransposeOp op) {
  int64_t rank = op.getPermutation().size();
  return rank >= 3 && invertPermutationVector(op.getPermutation()) ==
                          getToChannelsLast(rank);
}

int64_t conv::getNeighbouringRows(const convmlir::MatrixView &view) {
  int last = view.spatialRank - 1;
  if (view.stride[last] != 1 || view.offset[last] != 0)
    return 1;
  int64_t run = 1;
  for (int dim = last; dim >= 0; --dim) {
    run *= std::gcd(view.extent[dim], view.rows[dim]);
    if (view.rows[dim] != view.extent[dim] || view.stride[dim] != 1 ||
        view.offset[dim] != 0)
      break;
  }
  return run & -run;
}

bool conv::namesAllPositions(const convmlir::MatrixView &view) {
  bool all = view.strips == 1;
  for (int dim = 0; dim < view.spatialRank; ++dim)
    all &= view.rows[dim] == view.extent[dim] && view.stride[dim] == 1 &&
           view.offset[dim] == 0;
  return all;
}

int64_t conv::getImagePositions(ScatterOp op) {
  bool isWhole =
      op.getChannelsFirst() && op.getAllViews().size() == 1 &&
      op.getView().getGroups() == 1 &&
      namesAllPositions(op.getView().getMatrixView(op.getTensorShape()));
  return isWhole ? llvm::product_of(op.getDestType().getShape().drop_front(2),
                                    int64_t(1))
                 : 0;
}

double conv::getProductCycles(double products, int64_t factorBytes) {
  return products * factorBytes / kFactorBytesPerCycle;
}

double conv::getExposedCycles(const ChannelsFirstStores &stores) {
  double sectors = stores.partialSectors.value_or(std::min(
      1.0, double(stores.distance * stores.elementBytes) / kSectorBytes));
  return std::max(0.0,
                  sectors * kCyclesPerPartialSector - stores.productCycles);
}

/// What transposes a result reads and writes it at the rate of memory.
bool conv::isWorthStoring(const ChannelsFirstStores &stores) {
  constexpr int64_t leastBytes = 8, leastElementBytes = 2;
  int64_t bytes = stores.elementBytes;
  if (bytes < leastElementBytes && stores.neighbours * bytes < leastBytes)
    return false;
  return stores.distance == 1 ||
         getExposedCycles(stores) < bytes / kTransposedResultBytesPerCycle;
}
