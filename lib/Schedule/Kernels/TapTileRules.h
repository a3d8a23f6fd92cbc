//===- TapTileRules.h - tiles of several taps of dw ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_KERNELS_TAPTILERULES_H
#define CONV_LIB_SCHEDULE_KERNELS_TAPTILERULES_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// Tiles of wgrad whose columns are lines of channels, one for each of several
/// taps.
class TapTileRules : public KernelRules {
public:
  bool copiesTiles() const final { return false; }
  int64_t countTiles(ScheduleAttr schedule, const GemmShape &gemm) const final;
};

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_KERNELS_TAPTILERULES_H
