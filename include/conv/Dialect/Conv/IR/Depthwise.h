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
// whose positions are the taps of w, and whose taps the positions of y.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DEPTHWISE_H
#define CONV_DIALECT_CONV_IR_DEPTHWISE_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// The view of x (dgrad: of dy) in this sum, whose taps are in the order of the
/// filter's, and whose rows are the positions of y (of dx); the other way round
/// for wgrad. Or why `op`, in either layout, is no such sum: it has other
/// groups, a stride of dgrad, input dilation, no images, no results, or
/// elements of another type than f16, bf16 and f32 (tf32 too).
convmlir::Result<convmlir::MatrixView> getDepthwiseView(ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DEPTHWISE_H
