//===- RingRules.h - kernels whose warpgroups share a ring --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with TMA and wgmma whose tiles are the slots of one ring, or of two:
// panels, windows of the input, filters as rows, sums for taps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_KERNELS_RINGRULES_H
#define CONV_LIB_SCHEDULE_KERNELS_RINGRULES_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

class RingRules : public KernelRules {
public:
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const final;
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override;
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const final;

protected:
  /// Of tiles and warps: by default the rules of panels.
  virtual std::string whyIllegalShape(ScheduleAttr schedule,
                                      const GemmShape &gemm) const;
  /// Of what is staged: by default rows of instructions, or parts of them.
  virtual std::string whyIllegalStaging(ScheduleAttr schedule) const;
};

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_KERNELS_RINGRULES_H
