//===- TransposedWgrad.h - wgrad as forward of transposed copies -*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` multiplies operands of other widths than 16 bits only where gemm-k is
// contiguous. That of wgrad are positions, which in neither operand are. So it
// reads copies of both in which they are: with the last spatial dimension W,
// and its output positions Q, next to the images N,
//
//   X[c, s, h, n Q + q] = x[n, h, q * stride + s * dilation - pad, c]
//   D[k, p, n Q + q]    = dy[n, p, q, k]
//   dW[k, r, s, c]      = sum over p, n, q of X[c, s, h(p, r), …] * D[k, p, …].
//
// Along the other spatial dimensions, h = p * stride + r * dilation - pad: this
// is a forward convolution of X, whose images are (c, s) and whose channels are
// (n, q), with the filters D, whose taps are p. Its stride is the dilation of
// wgrad and its dilation the stride, and its output positions are r.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TRANSPOSEDWGRAD_H
#define CONV_LIB_TRANSFORMS_TRANSPOSEDWGRAD_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

namespace mlir::conv {

/// Whether kernels of `op` with such an instruction compute it this way.
bool transposesWgrad(ConvOpInterface op, MmaKind mma);

struct TransposedWgrad {
  convmlir::ConvGeometry forward;
  /// Q; or more, where the channels would else be no multiple of 16 bytes.
  int64_t columns;
  /// Whether a copy is more than a transposition: columns are picked for each
  /// tap, or padded.
  bool gathersInput, gathersOutput;
};

TransposedWgrad getTransposedWgrad(ConvOpInterface op);

/// Elements that the copies read and write.
int64_t countCopiedElements(const TransposedWgrad &wgrad);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TRANSPOSEDWGRAD_H
