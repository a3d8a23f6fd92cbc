//===- ComputedGeometry.h - folded taps and merged groups -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape of a convolution as a schedule has it computed.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_COMPUTEDGEOMETRY_H
#define CONV_SCHEDULE_SHAPE_COMPUTEDGEOMETRY_H

#include "conv/Geometry/ConvGeometry.h"
#include "conv/Support/Result.h"

#include "mlir/Support/LLVM.h"

namespace mlir::conv {

class ConvOpInterface;

/// The shape of `op` with `fold` taps of each dimension as channels
/// (conv-fold-taps), which are then a multiple of 32 bytes; or why they cannot
/// be.
convmlir::Result<convmlir::ConvGeometry>
getFoldedGeometry(ConvOpInterface op, ArrayRef<int64_t> fold);

/// The shape of `op` after its taps were folded, unless `fold` is empty, and
/// each `merge` groups became one (conv-merge-groups). `merge` must divide the
/// number of groups, and getFoldedGeometry() must succeed.
convmlir::ConvGeometry getComputedGeometry(ConvOpInterface op, int64_t merge,
                                           ArrayRef<int64_t> fold);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_COMPUTEDGEOMETRY_H
