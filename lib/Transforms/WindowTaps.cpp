//===- WindowTaps.cpp - taps of a window among warpgroups -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowTaps.h"

#include "conv/Geometry/WindowBlock.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Spatial;

convmlir::Result<TapRuns> conv::getTapRuns(const Spatial &taps, int spatialRank,
                                           int64_t warpgroups,
                                           int64_t tapColumns) {
  int64_t number = 1;
  for (int d = 0; d < spatialRank; ++d)
    number *= taps[d];
  if (number % warpgroups != 0)
    return convmlir::Error{std::to_string(number) +
                           " taps cannot be divided among " +
                           std::to_string(warpgroups) + " warpgroups"};
  auto box = convmlir::getTapBox(taps, spatialRank, number / warpgroups);
  if (!box)
    return box.takeError();
  TapRuns result;
  result.dim = spatialRank - 1;
  while (result.dim > 0 && (*box)[result.dim] == 1)
    --result.dim;
  int64_t length = (*box)[result.dim];
  int64_t parts = llvm::divideCeil(length * tapColumns, kMaxInstructionColumns);
  for (int64_t row = 0; row < number / warpgroups; row += length)
    for (int64_t part = 0, first = 0; part < parts; ++part) {
      int64_t taken = (length - first + parts - part - 1) / (parts - part);
      result.runs.push_back({row + first, taken});
      first += taken;
    }
  return result;
}

FailureOr<TapRuns> conv::getTapRuns(ReadTapsOp read,
                                    const FragmentLayout &layout) {
  Spatial taps{1, 1, 1};
  llvm::copy(read.getTaps(), taps.begin());
  auto runs = getTapRuns(taps, read.getTaps().size(), layout.getWarpgroupsN(),
                         layout.getTapColumns());
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
    line = math.add(line, math.mul(index, step[dim] * read.getPitch(dim)));
  }
  return line;
}
