//===- TapRuns.cpp - taps of a window among warpgroups --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/TapRuns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Spatial;

/// Of the tap with these indices.
static int64_t getTapLine(ArrayRef<int64_t> indices, ArrayRef<int64_t> step,
                          ArrayRef<int64_t> stride,
                          ArrayRef<int64_t> phaseLines,
                          ArrayRef<int64_t> pitch) {
  int64_t line = 0;
  for (auto [d, index] : llvm::enumerate(indices)) {
    int64_t distance = index * step[d];
    line +=
        distance / stride[d] * pitch[d] + distance % stride[d] * phaseLines[d];
  }
  return line;
}

SmallVector<int64_t> conv::getTapLines(ArrayRef<int64_t> taps,
                                       ArrayRef<int64_t> step,
                                       ArrayRef<int64_t> stride,
                                       ArrayRef<int64_t> phaseLines,
                                       ArrayRef<int64_t> pitch) {
  SmallVector<int64_t> lines, indices(taps.size());
  int64_t number = llvm::product_of(taps, int64_t(1));
  for (int64_t tap = 0; tap < number; ++tap) {
    int64_t rest = tap;
    for (size_t d = taps.size(); d-- > 0; rest /= taps[d])
      indices[d] = rest % taps[d];
    lines.push_back(getTapLine(indices, step, stride, phaseLines, pitch));
  }
  return lines;
}

SmallVector<int64_t> conv::getTapLines(const convmlir::MatrixView &view,
                                       const Spatial &taps,
                                       const convmlir::WindowBlock &block) {
  size_t rank = view.spatialRank;
  SmallVector<int64_t> stride(rank, 1), phaseLines(rank, 0), pitch(rank, 1);
  for (size_t d = rank - 1; d-- > 0;)
    pitch[d] = pitch[d + 1] * block.window[d + 1];
  if (block.packed) {
    llvm::copy(ArrayRef(block.packed->stride).take_front(rank), stride.begin());
    llvm::copy(ArrayRef(block.packed->phaseLines).take_front(rank),
               phaseLines.begin());
    pitch = {block.packed->getPitch(), 1};
  }
  return getTapLines(ArrayRef(taps).take_front(rank), view.step, stride,
                     phaseLines, pitch);
}

/// Lines from each tap of a warpgroup to the next one; 0 where they are not the
/// same for all warpgroups, or the next one is in front.
static SmallVector<int64_t> getDistances(ArrayRef<int64_t> lines,
                                         int64_t perWarpgroup) {
  SmallVector<int64_t> distances;
  for (int64_t tap = 0; tap + 1 < perWarpgroup; ++tap) {
    int64_t distance = std::max<int64_t>(lines[tap + 1] - lines[tap], 0);
    for (size_t first = 0; first < lines.size(); first += perWarpgroup)
      if (lines[first + tap + 1] - lines[first + tap] != distance)
        distance = 0;
    distances.push_back(distance);
  }
  return distances;
}

convmlir::Result<TapRuns> conv::getTapRuns(const Spatial &taps, int spatialRank,
                                           ArrayRef<int64_t> lines,
                                           int64_t warpgroups,
                                           int64_t tapColumns) {
  int64_t number = lines.size();
  if (number % warpgroups != 0)
    return convmlir::Error{std::to_string(number) +
                           " taps cannot be divided among " +
                           std::to_string(warpgroups) + " warpgroups"};
  int64_t all = number / warpgroups;
  if (auto box = convmlir::getTapBox(taps, spatialRank, all); !box)
    return box.takeError();
  SmallVector<int64_t> distances = getDistances(lines, all);
  TapRuns runs;
  for (int64_t first = 0, length = 1; first < all; first += length) {
    // One tap has no distance that matters.
    int64_t distance = first + 1 < all ? distances[first] : 0;
    length = distance > 0 ? 2 : 1;
    while (length > 1 && first + length < all &&
           distances[first + length - 1] == distance)
      ++length;
    int64_t parts =
        llvm::divideCeil(length * tapColumns, kMaxInstructionColumns);
    for (int64_t part = 0, done = 0; part < parts; ++part) {
      int64_t taken = (length - done + parts - part - 1) / (parts - part);
      runs.push_back({first + done, taken, std::max<int64_t>(distance, 1)});
      done += taken;
    }
  }
  return runs;
}
