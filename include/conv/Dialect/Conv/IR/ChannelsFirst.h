//===- ChannelsFirst.h - convolutions that stay nchw ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image with its channels first is a matrix [channel, position]. Where each
// position of x meets one of y, a convolution multiplies such matrices by the
// filter as they are, and nothing needs to be transposed.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CHANNELSFIRST_H
#define CONV_DIALECT_CONV_IR_CHANNELSFIRST_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/ConvGeometry.h"

namespace mlir::conv {

/// Whether windows along spatial dimension `d` are single positions, none of
/// them outside of the tensor.
bool hasOneTap(const convmlir::ConvGeometry &geometry, int d);

/// Whether `op`, a convolution on tensors with the layout nchw, is computed in
/// this layout: its filter is 1x1, without stride, padding, input dilation and
/// groups, its images are rows of whole 16 bytes, and its elements such that
/// kernels take images as they lie: of wgrad any, else those of 16 bits, f32
/// and f64, and tf32 where the result has few channels. The same before and
/// after its spatial dimensions became one.
bool isComputedChannelsFirst(ConvOpInterface op);

/// For each spatial dimension of a forward or wgrad with channels first: the
/// stride at which positions of x are used and others are not, since the filter
/// has one tap there; 1 where all are, or where such positions are no equal
/// parts of x.
SmallVector<int64_t> getUnusedStrides(ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CHANNELSFIRST_H
