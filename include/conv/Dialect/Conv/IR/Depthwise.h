//===- Depthwise.h - depthwise convolutions without matrices ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where every channel has one filter of its own there is nothing that a matrix
// instruction could share: each product is of an element of x and one of w that
// no other result of this channel's position needs. Such an operation is the
// sum
//
//   y[n, p..., c] = sum over t of view(x)[(n, p...), t, c] * w[t, c]
//
// and the gradient of w is one over the images of
//
//   dw[n, r..., c] = sum over t of view(x)[(n, r...), t, c] * dy[n, t, c]
//
// whose positions are the taps of w, and whose taps the positions of y. With a
// stride of dgrad, and with input dilation, x (or dy) has zeros between its
// elements: the view counts these, too.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DEPTHWISE_H
#define CONV_DIALECT_CONV_IR_DEPTHWISE_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include <map>
#include <optional>

namespace mlir::conv {

class DepthwiseOp;

/// The view of x (dgrad: of dy) in this sum, whose taps are in the order of the
/// filter's, and whose rows are the positions of y (of dx); the other way round
/// for wgrad. `row * stride + tap * step + offset` is a place, of which each
/// element of the tensor, whose extents are the view's, has `dilation`.
struct DepthwiseSum {
  convmlir::MatrixView view;
  convmlir::Spatial dilation{1, 1, 1};

  /// From one tile of so many rows of a line to the next, in elements of the
  /// tensor; 0 where there is one tile. Nothing where they differ in the taps
  /// that meet an element.
  std::optional<int64_t> getTileStep(int64_t rows) const;
  /// The same of blocks of so many taps.
  std::optional<int64_t> getBlockStep(int64_t taps) const;

  /// A row of a tile and a tap of a block that meet in a column.
  struct RowTap {
    int64_t row, tap;
  };
  /// A column, counted in elements of a line, that the first tile and the first
  /// block read; all others have it between `lowest` and `highest`.
  struct Column {
    int64_t lowest, highest;
    SmallVector<RowTap> readers;
  };
  /// Those of tiles of so many rows and blocks of so many taps, which have
  /// steps, but for those that are outside of all lines.
  std::map<int64_t, Column> getColumns(int64_t rows, int64_t taps) const;
  /// What divides the elements of a line, and the steps of such tiles and
  /// blocks in it, up to `most`, a power of two.
  int64_t getColumnDivisor(int64_t rows, int64_t taps, int64_t most) const;
};

/// That of `op`, or why, in either layout, it is no such sum: it has other
/// groups, no images, no results, or elements of another type than f16, bf16
/// and f32 (tf32 too).
convmlir::Result<DepthwiseSum> getDepthwiseSum(ConvOpInterface op);
/// The sum that `op` is.
DepthwiseSum getDepthwiseSum(DepthwiseOp op);

/// Whether the sums of algorithm loops are products of tensor cores: bands of
/// lines, of 16 images at a time.
bool multipliesBands(ScheduleAttr schedule);

/// Whether algorithm loops reads images with their channels first, as they lie.
bool gathersLoops(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DEPTHWISE_H
