//===- BandRules.h - rules of kernels with bands ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What schedules of both kernels with bands (Shape/Bands.h) must keep, and what
// their candidates have in common. Each `why` is empty where nothing is broken.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_BANDRULES_H
#define CONV_SCHEDULE_FORMS_BANDRULES_H

#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/Bands.h"

namespace mlir::conv {

class DepthwiseOp;

/// The form, as a user writes it.
inline constexpr char kBandForm[] = "algorithm=loops with mma=mma_sync";

/// A schedule of bands with these numbers, and nothing else that is named.
ScheduleAttr getBandSchedule(MLIRContext *context, int64_t lines,
                             int64_t channels, int64_t columns, int64_t warps,
                             int64_t stages, int64_t parts = 1);

/// Why `op`, which is this sum, has no such kernel whatever the schedule.
std::string whyNoBands(ConvOpInterface op, const DepthwiseSum &form);
std::string whyNoBands(DepthwiseOp op);

/// How a workgroup divides its channels among warps.
std::string whyWrongBandChannels(const Bands &bands);
/// Registers and shared memory, of which a workgroup takes `sharedBytes`.
std::string whyNoBandRoom(const Bands &bands, int64_t sharedBytes,
                          const ChipInfo &chip);

/// Heights of bands to try: all lines, half and a quarter of them, so that the
/// last band alone may be lower.
SmallVector<int64_t> getBandHeights(int64_t lines);
/// As many columns at a time as there can be with so many taps, evenly.
int64_t getEvenBandColumns(int64_t columns, int64_t lineTaps);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_BANDRULES_H
