//===- Bands.h - what kernels with bands have in common --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise sums on tensor cores, one instruction for a channel and a line of
// the filter: DepthwiseBands for wgrad, FilterBands for forward and dgrad. A
// band is some lines of a tensor of images: of dy in wgrad, else of the result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_BANDS_H
#define CONV_SCHEDULE_SHAPE_BANDS_H

#include "conv/Dialect/Conv/IR/Depthwise.h"

namespace mlir::conv {

struct Bands {
  /// Of f16 and bf16, the types that are multiplied.
  static constexpr int64_t kElementBytes = 2;
  /// What an instruction has of the columns of x, and of the tensor with bands.
  static constexpr int64_t kColumnsOfX = 16, kColumns = 8;
  /// Of the latter where lines have so many taps, which are at most
  /// kColumnsOfX.
  static constexpr int64_t getMostColumns(int64_t lineTaps) {
    return std::min(kColumns, kColumnsOfX + 1 - lineTaps);
  }

  /// `filter` and `image` are extents of the filter and of the tensor with
  /// bands.
  Bands(const DepthwiseSum &form, ScheduleAttr schedule,
        const convmlir::Spatial &filter, const convmlir::Spatial &image);

  convmlir::MatrixView view;
  convmlir::Spatial filter, image;
  int64_t lines;    ///< In a band: gemm-m of the tile.
  int64_t channels; ///< Of a workgroup: gemm-n.
  int64_t columns;  ///< Of an instruction: gemm-k.
  int64_t warps, stages;

  int64_t getFilterLines() const { return filter[0]; }
  int64_t getLineTaps() const { return filter[1]; }
  int64_t getWarpChannels() const { return channels / warps; }
  int64_t getThreads() const;
  /// Of a thread, at least, with what ptxas needs beside: for a line of the
  /// filter and a channel four sums, and two that are multiplied.
  int64_t countRegisters() const;
  int64_t countBands() const;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_BANDS_H
