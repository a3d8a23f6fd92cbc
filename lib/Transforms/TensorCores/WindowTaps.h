//===- WindowTaps.h - taps of a window among warpgroups ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runs of taps (TapRuns.h) of a kernel's contraction, and where they begin.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_WINDOWTAPS_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_WINDOWTAPS_H

#include "FragmentLayout.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Shape/TapRuns.h"

namespace mlir::conv {

/// The runs of the taps that a kernel's contraction reads; an error on `read`.
FailureOr<TapRuns> getTapRuns(ReadTapsOp read, const FragmentLayout &layout);

/// Lines from the first position of a window to that of a tap, counted from
/// the first.
Value getTapLine(IndexMath &math, ReadTapsOp read, Value tap);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_WINDOWTAPS_H
