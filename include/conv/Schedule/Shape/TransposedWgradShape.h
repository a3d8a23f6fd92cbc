//===- TransposedWgradShape.h - wgrad as forward of copies ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` multiplies operands of other widths than 16 bits only where gemm-k is
// contiguous. That of wgrad are positions, which in neither operand are. So it
// reads copies of both in which the images N are the contiguous dimension:
//
//   X[c, h, w, n] = x[n, h, w, c],   D[k, p, q, n] = dy[n, p, q, k]
//   dW[k, r, s, c] = sum over p, q, n of X[c, h(p, r), w(q, s), n] *
//                                        D[k, p, q, n],
//
// where h = p * stride + r * dilation - pad: a forward convolution of X, whose
// images are c and whose channels are n, with the filters D, whose taps are
// (p, q). Its stride is the dilation of wgrad and its dilation the stride, and
// its output positions are (r, s).
//
// Few images are too few channels, and taps of large images are farther away
// than TMA reaches. Then images are cut into patches, which are images of their
// own: I along a dimension, of P / I output positions and all input positions
// that these read. Patches of one position of the last dimension have its taps
// in the place of input positions, and these go to the images: (c, s).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_TRANSPOSEDWGRADSHAPE_H
#define CONV_SCHEDULE_SHAPE_TRANSPOSEDWGRADSHAPE_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include <array>

namespace mlir::conv {

/// Whether kernels of `op` with such an instruction compute it this way, where
/// its shape is `wgrad`.
bool transposesWgrad(ConvOpInterface op, const convmlir::ConvGeometry &wgrad,
                     MmaKind mma);

struct TransposedWgrad {
  convmlir::ConvGeometry forward;
  /// Patches of an image along each dimension, and the output positions of one;
  /// the last patch may have some that are not there.
  convmlir::Spatial patches{1, 1, 1}, outputs{1, 1, 1};
  std::array<bool, 3> isCut{};
  /// Whether the last dimension has taps only, which are images of `forward`.
  bool dropsLast = false;
  /// Whether a copy is more than a transposition: patches overlap, or have a
  /// border of zeros, or are no rows of the tensor.
  bool gathersInput = false, gathersOutput = false;

  /// Whether patches have one output position along `dim`, and input positions
  /// for the taps of the filter only.
  bool hasTapsOnly(int dim) const { return outputs[dim] == 1; }
};

/// The form with the fewest bytes to copy, where the shape of `op` is `wgrad`.
TransposedWgrad getTransposedWgrad(ConvOpInterface op,
                                   const convmlir::ConvGeometry &wgrad);

/// Elements that the copies read and write.
int64_t countCopiedElements(const TransposedWgrad &wgrad);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_TRANSPOSEDWGRADSHAPE_H
