//===- ChannelScatters.h - results with channels first ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` with channels_first in plain kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_CHANNELSCATTERS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_CHANNELSCATTERS_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

/// Stores a row of neighbouring channels of a result with its channels first.
void lowerChannelsFirstScatter(ScatterOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_CHANNELSCATTERS_H
