//===- ChannelPairs.cpp - two phases of columns, channels first -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `conv.scatter` with channels_first of the second one of two tiles, which
// are staged: those of the even columns of some lines, and of the odd ones. A
// thread stores up to 16 bytes of a line, half of them of each tile.
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"
#include "ThreadPieces.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

void ChannelRows::storePairs(OpBuilder &builder, int64_t run, Value even,
                             Value odd, Value flatDest, Value thread,
                             int64_t numThreads, Value firstRow) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ViewAddressing::Origin origin = view.getOrigin(math);
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  auto type = VectorType::get(run, elementType);
  SmallVector<int64_t> inTurns;
  for (int64_t i = 0; i < run; ++i)
    inTurns.append({i, run + i});
  ThreadPieces pieces(math, tile, run, thread, numThreads);
  int64_t step = pieces.getRowStep() * view.getColumnPitch();
  auto load = [&](Value buffer, Value element) -> Value {
    return vector::LoadOp::create(builder, loc, type, buffer, element,
                                  /*nontemporal=*/false,
                                  llvm::MaybeAlign(run * bytes));
  };
  for (int64_t i = 0; i < pieces.getNumInRow(); ++i) {
    Value column = pieces.getColumn(i);
    auto row = view.getRow(math, math.add(firstRow, column));
    math.guard(view.isInside(math, row, origin), [&] {
      // Of the even column in front of the row's own.
      Value first =
          math.sub(view.getElement(math, row, origin, pieces.getRow(0)),
                   math.constant(1));
      for (int64_t j = 0; j < pieces.getNumInColumn(); ++j) {
        Value exists =
            math.both(pieces.exists(j),
                      view.isColumnInside(math, origin, pieces.getRow(j)));
        math.guard(exists, [&] {
          Value element = pieces.getElement(column, j);
          Value a = load(even, element), b = load(odd, element);
          Value both = vector::ShuffleOp::create(builder, loc, a, b, inTurns);
          vector::StoreOp::create(
              builder, loc, both, flatDest, math.add(first, j * step),
              /*nontemporal=*/false, llvm::MaybeAlign(2 * run * bytes));
        });
      }
    });
  }
}
