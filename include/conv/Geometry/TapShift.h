//===- TapShift.h - where the taps of a filter read -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_TAPSHIFT_H
#define CONV_GEOMETRY_TAPSHIFT_H

#include "conv/Geometry/ConvGeometry.h"

namespace convmlir {

/// What the taps of a filter in one dimension add to a position times its
/// stride: tap r, counted as in memory, `offset + r * step`.
struct TapShift {
  int64_t offset, step;
};

/// That of a phase of forward or dgrad which reads each tap once. Its views
/// number taps alike, the filter's perhaps in reverse.
inline TapShift getTapShift(const GemmPhase &phase, int dim) {
  int64_t step = phase.a.step[dim] * phase.b.step[dim];
  return {phase.a.offset[dim] - step * phase.b.offset[dim], step};
}

} // namespace convmlir

#endif // CONV_GEOMETRY_TAPSHIFT_H
