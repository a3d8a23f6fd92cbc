//===- ChannelScatters.cpp - results with channels first, by threads ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a plain kernel a thread has neighbouring channels of one position. Where
// channels are first, they are images apart: one store each. Neighbours in the
// warp have neighbouring positions (TailSums.cpp).
//
//===----------------------------------------------------------------------===//

#include "ChannelScatters.h"
#include "PlainKernels.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

void conv::lowerChannelsFirstScatter(ScatterOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  IndexMath math(builder, loc);
  auto type = cast<VectorType>(op.getValueType());
  int64_t columns = type.getNumElements();
  ViewAddressing addressing(ViewTile(op), op.getTensorShape(), /*tileRows=*/1,
                            columns, ChangingOffsets(),
                            /*channelsFirst=*/true);
  Value dest = getFlatView(op.getDest());
  Value values = vector::ShapeCastOp::create(
      builder, loc, VectorType::get(columns, type.getElementType()),
      op.getValue());
  auto row = addressing.getRow(math, math.constant(0));
  auto origin = addressing.getOrigin(math);
  math.guard(addressing.isInside(math, row, origin), [&] {
    for (int64_t i = 0; i < columns; ++i) {
      Value element =
          addressing.getElement(math, row, origin, math.constant(i));
      Value value = vector::ExtractOp::create(builder, loc, values, i);
      memref::StoreOp::create(builder, loc, value, dest, element);
    }
  });
  op.erase();
}
