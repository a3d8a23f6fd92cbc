//===- TailParts.h - how a schedule divides its last tiles ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tail` of a schedule: the parts of each tile that is left after whole rounds
// of workgroups. One part is no tail, and `even` stands for as many as give
// each workgroup the same share of all these tiles.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TAILPARTS_H
#define CONV_DIALECT_CONV_IR_TAILPARTS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include <string>

namespace mlir::conv {

inline bool hasTail(ScheduleAttr schedule) { return schedule.getTail() != 1; }

/// Whether each tile has so many parts.
inline bool hasNumberedTail(ScheduleAttr schedule) {
  return schedule.getTail() > 1;
}

inline bool hasEvenTail(ScheduleAttr schedule) {
  return schedule.getTail() == kEvenTail;
}

/// As users write it.
inline std::string getTailText(ScheduleAttr schedule) {
  return hasEvenTail(schedule) ? kEvenTailName.str()
                               : std::to_string(schedule.getTail());
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TAILPARTS_H
