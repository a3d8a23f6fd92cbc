//===- PhaseCount.h - how many phases an operation has ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those that ask whether there is one: phases are large, and many.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_PHASECOUNT_H
#define CONV_GEOMETRY_PHASECOUNT_H

#include "conv/Geometry/ConvGeometry.h"

namespace convmlir {

/// The size of geometry.phases(kind), or INT64_MAX where that is larger.
int64_t countAllPhases(const ConvGeometry &geometry, ConvKind kind);

} // namespace convmlir

#endif // CONV_GEOMETRY_PHASECOUNT_H
