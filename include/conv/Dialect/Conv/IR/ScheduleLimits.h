//===- ScheduleLimits.h - numbers of schedules ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SCHEDULELIMITS_H
#define CONV_DIALECT_CONV_IR_SCHEDULELIMITS_H

#include <cstdint>

namespace mlir::conv {

/// Of each number of a schedule, in IR and as text, so that products of a few
/// of them do not overflow.
inline constexpr int64_t kLargestScheduleNumber = int64_t(1) << 20;

/// For those that derive one of a problem, whose extents may be any.
inline constexpr bool isScheduleNumber(int64_t number) {
  return number >= 1 && number <= kLargestScheduleNumber;
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SCHEDULELIMITS_H
