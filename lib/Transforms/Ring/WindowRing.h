//===- WindowRing.h - rings of windows and of filter tiles ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_WINDOWRING_H
#define CONV_LIB_TRANSFORMS_RING_WINDOWRING_H

#include "GemmKNest.h"

namespace mlir::conv {

/// The slots that buildWindowRing() gives the ring of windows. An error as
/// there.
FailureOr<int64_t> countWindowSlots(gpu::GPUFuncOp kernel, GemmKNest &nest,
                                    ScheduleAttr schedule);

/// The part of conv-pipeline-barriers for kernels whose taps read one window
/// (docs/forms/window.md): creates both rings and the loop over blocks in
/// front of the nest, and returns what the nest computed. An error on the
/// kernel whose nest is not over the taps of one view.
FailureOr<Value> buildWindowRing(gpu::GPUFuncOp kernel, GemmKNest &nest,
                                 ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_WINDOWRING_H
