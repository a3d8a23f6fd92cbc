//===- WindowContraction.cpp - contractions over a window as wgmma --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `vector.contract` of 64 rows of dy and all taps of a tile, which
// `engine.read_taps` reads from a window. Output: one `engine.window_mma` for
// each run of the warpgroup's taps.
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "WindowTaps.h"

using namespace mlir;
using namespace mlir::conv;

/// A[p, m] * B[p, t, n], summed over the positions p; or A[m, p], K-major.
/// Nothing for any other.
static std::optional<Major> matchWindowProduct(vector::ContractionOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap result = maps[2];
  if (result.getNumDims() != 4 || result.getNumResults() != 3)
    return std::nullopt;
  AffineExpr m = result.getResult(0), t = result.getResult(1),
             n = result.getResult(2);
  for (unsigned dim = 0; dim < 4; ++dim)
    if (!result.isFunctionOfDim(dim)) {
      AffineExpr p = getAffineDimExpr(dim, context);
      if (maps[1].getResults() != ArrayRef({p, t, n}))
        return std::nullopt;
      if (maps[0].getResults() == ArrayRef({p, m}))
        return Major::MN;
      if (maps[0].getResults() == ArrayRef({m, p}))
        return Major::K;
    }
  return std::nullopt;
}

LogicalResult mlir::conv::distributeWindow(vector::ContractionOp op,
                                           TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  auto a = op.getLhs().getDefiningOp<vector::TransferReadOp>();
  auto b = op.getRhs().getDefiningOp<ReadTapsOp>();
  std::optional<Major> major = matchWindowProduct(op);
  if (!a || !b || !major || layout.getBlocksM() != 1)
    return op.emitOpError("must be the product of 64 rows, read from workgroup "
                          "memory, and the taps of a window");
  FailureOr<TapRuns> found = getTapRuns(b, layout);
  if (failed(found))
    return failure();
  ArrayRef<TapRun> runs = *found;
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  Value first = math.mul(distribution.getWarpgroup(), layout.getNumTaps());
  SmallVector<int64_t> columns;
  SmallVector<Value> lines;
  for (TapRun run : runs) {
    columns.push_back(run.number * layout.getTapColumns());
    lines.push_back(getTapLine(math, b, math.add(first, run.first)));
  }
  return distributeProducts(
      op, columns, distribution,
      [&](OpBuilder &builder, int64_t i, Value accumulator) {
        return WindowMmaOp::create(builder, op.getLoc(), accumulator.getType(),
                                   a.getBase(), b.getWindow(), lines[i],
                                   b.getBox(), runs[i].distance, accumulator,
                                   /*k_major=*/*major == Major::K);
      });
}
