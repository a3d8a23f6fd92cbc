//===- MatrixView.h - a tensor seen as a matrix of taps ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index map that every implicit-GEMM operand shares. A channels-last tensor
// [batch, extent..., channels] is seen as the matrix [row, tap, channel]:
//
//   row m  = (n, p...)   row-major over batch and `rows`
//   tap t  = (r...)      row-major over `taps`
//   view[m, t, c] = tensor[n, p_i * stride_i + r_i * step_i + offset_i, c]
//
// and zero where a coordinate leaves the tensor. The innermost dimension may be
// cut into strips of `rows` positions, each walked over whole before the next:
// then m = (n, strip, p...), and strip * rows is added to the innermost p.
// `conv.im2col` reads through it, `conv.scatter` writes through it (taps all
// 1). The operands:
//
//   operand             tensor  rows    taps      stride  step       offset
//   forward A, wgrad B  x       P Q     R S       stride  dilation   -padLow
//   dgrad A, phase a    dy      H_a     taps_a    1       see phases see phases
//   filter, all taps    w       1       R S       1       1          0
//   filter, phase a     w       1       taps_a    1       negative   last tap
//   plain matrix        dy, y   P Q     1         1       1          0
//   dgrad result        dx      H_a     1         stride  1          a
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_MATRIXVIEW_H
#define CONV_GEOMETRY_MATRIXVIEW_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace convmlir {

/// Spatial dimensions a convolution can have.
inline constexpr int kMaxSpatialRank = 3;

/// One number per spatial dimension, outermost (D or H) first; entries at and
/// past the spatial rank are ignored.
using Spatial = std::array<int64_t, kMaxSpatialRank>;

/// See the file comment. Extents are in elements.
struct MatrixView {
  int spatialRank = 2;
  int64_t batch = 1;
  int64_t channels = 1;
  Spatial extent{1, 1, 1};
  Spatial rows{1, 1, 1};
  Spatial taps{1, 1, 1};
  Spatial stride{1, 1, 1};
  Spatial step{1, 1, 1};
  Spatial offset{0, 0, 0};
  int64_t strips = 1;

  /// A row and a tap of the view.
  struct RowTap {
    int64_t row, tap;
    bool operator==(const RowTap &) const = default;
  };

  /// batch * strips * product of rows.
  int64_t numRows() const;
  /// Product of taps.
  int64_t numTaps() const;
  /// Elements of the tensor behind the view.
  int64_t tensorElements() const;
  /// Elements of the view if it were materialised: numRows * numTaps *
  /// channels, or INT64_MAX where that is larger.
  int64_t viewElements() const;

  /// The linear element index in the dense channels-last tensor that
  /// view[row, tap, channel] names; nothing where the view is zero or the
  /// indices lie past the view (padding of a tile).
  std::optional<int64_t> element(int64_t row, int64_t tap,
                                 int64_t channel) const;

  /// The other direction: every (row, tap) through which the view reads the
  /// tensor position that holds the linear element index, by row, then tap.
  /// Empty where no window touches the position.
  std::vector<RowTap> readers(int64_t element) const;

  bool operator==(const MatrixView &) const = default;
};

} // namespace convmlir

#endif // CONV_GEOMETRY_MATRIXVIEW_H
