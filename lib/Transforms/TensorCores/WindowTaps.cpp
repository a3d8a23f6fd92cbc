//===- WindowTaps.cpp - taps of a window among warpgroups -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowTaps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Spatial;

FailureOr<TapRuns> conv::getTapRuns(ReadTapsOp read,
                                    const FragmentLayout &layout) {
  Spatial taps{1, 1, 1};
  llvm::copy(read.getTaps(), taps.begin());
  size_t rank = read.getTaps().size();
  SmallVector<int64_t> stride(rank, 1), phaseLines(rank, 0), pitch;
  if (read.getStride()) {
    stride = SmallVector<int64_t>(*read.getStride());
    phaseLines = SmallVector<int64_t>(*read.getPhaseLines());
  }
  for (size_t dim = 0; dim < rank; ++dim)
    pitch.push_back(read.getPitch(dim));
  auto runs = getTapRuns(
      taps, rank,
      getTapLines(read.getTaps(), read.getStep(), stride, phaseLines, pitch),
      layout.getWarpgroupsN(), layout.getTapColumns());
  if (!runs)
    return read.emitOpError() << "cannot be multiplied: " << runs.error();
  return std::move(*runs);
}

Value conv::getTapLine(IndexMath &math, ReadTapsOp read, Value tap) {
  ArrayRef<int64_t> taps = read.getTaps(), step = read.getStep();
  Value line = math.constant(0);
  for (size_t dim = taps.size(); dim-- > 0;) {
    // The outermost index is what is left.
    Value index = dim == 0 ? tap : math.rem(tap, taps[dim]);
    tap = math.div(tap, taps[dim]);
    int64_t pitch = read.getPitch(dim);
    if (!read.getStride()) {
      line = math.add(line, math.mul(index, step[dim] * pitch));
      continue;
    }
    int64_t stride = (*read.getStride())[dim];
    Value distance = math.mul(index, step[dim]);
    line = math.add(line, math.mul(math.div(distance, stride), pitch));
    line = math.add(line, math.mul(math.rem(distance, stride),
                                   (*read.getPhaseLines())[dim]));
  }
  return line;
}
