//===- TmaDimensions.h - dimensions of a TMA tensor -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tensor maps of matrix views and of boxes are made of.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GEOMETRY_TMADIMENSIONS_H
#define CONV_LIB_GEOMETRY_TMADIMENSIONS_H

#include "conv/Geometry/TmaView.h"
#include "conv/Support/Result.h"

#include <cstdint>

namespace convmlir {

/// Byte strides are multiples of this.
inline constexpr int64_t kStrideUnit = 16;

/// Adds a dimension of a dense tensor outside of those that are there.
void addDimension(TmaView &tma, int64_t extent, int64_t elementBytes);

/// Positions of so many channels must be a multiple of kStrideUnit bytes apart.
Status checkStride(int64_t channels, int64_t elementBytes);

/// Strides have 40 bits.
Status checkLargestStride(const TmaView &tma);

} // namespace convmlir

#endif // CONV_LIB_GEOMETRY_TMADIMENSIONS_H
