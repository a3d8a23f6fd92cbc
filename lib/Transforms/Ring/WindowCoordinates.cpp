//===- WindowCoordinates.cpp - where a window reads -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowCoordinates.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::WindowTile;

SmallVector<Value> conv::emitPosition(IndexMath &math, ViewAttr view,
                                      Value row) {
  int64_t rank = view.getSpatialRank(), strips = view.getStrips();
  SmallVector<Value> coordinates(rank + 1);
  for (int64_t d = rank - 1; d >= 0; --d) {
    Value index = math.rem(row, view.getRows()[d]);
    row = math.div(row, view.getRows()[d]);
    coordinates[d + 1] =
        math.add(math.mul(index, view.getStride()[d]), view.getOffset()[d]);
  }
  if (strips > 1) {
    Value first = math.mul(math.rem(row, strips),
                           view.getRows().back() * view.getStride().back());
    row = math.div(row, strips);
    coordinates.back() = math.add(coordinates.back(), first);
  }
  coordinates.front() = row;
  return coordinates;
}

SmallVector<Value> conv::emitTapDistance(IndexMath &math, ViewAttr view,
                                         Value tap) {
  SmallVector<Value> distance(view.getSpatialRank());
  for (int64_t d = view.getSpatialRank() - 1; d >= 0; --d) {
    Value index = d == 0 ? tap : math.rem(tap, view.getTaps()[d]);
    tap = math.div(tap, view.getTaps()[d]);
    distance[d] = math.mul(index, view.getStep()[d]);
  }
  return distance;
}

Value conv::emitPackedLine(IndexMath &math, const WindowTile &tile,
                           ArrayRef<Value> distance) {
  Value line = math.constant(0);
  int64_t ofNext[] = {tile.getPitch(), 1};
  for (auto [d, positions] : llvm::enumerate(distance)) {
    Value phase = math.rem(positions, tile.stride[d]);
    line = math.add(line, math.mul(phase, tile.phaseLines[d]));
    Value next = math.div(positions, tile.stride[d]);
    line = math.add(line, math.mul(next, ofNext[d]));
  }
  return line;
}
