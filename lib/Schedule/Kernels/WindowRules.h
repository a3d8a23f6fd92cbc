//===- WindowRules.h - what windows of the input share ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule of `forward` or `dgrad` whose taps share a window
// (Windows.h). Rows of the tiles are those of the padded view.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_KERNELS_WINDOWRULES_H
#define CONV_LIB_SCHEDULE_KERNELS_WINDOWRULES_H

#include "RingRules.h"

namespace mlir::conv {

class WindowRules : public RingRules {
public:
  int64_t countTiles(ScheduleAttr schedule, const GemmShape &gemm) const final;
  ArrayRef<OperandCopy> getCopies(bool channelsFirst) const final;
  PartUnits getUnits(ScheduleAttr schedule, const GemmShape &gemm) const final;
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const final;
};

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_KERNELS_WINDOWRULES_H
