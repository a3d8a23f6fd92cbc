//===- DepthwiseModel.h - what depthwise sums take --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_DEPTHWISEMODEL_H
#define CONV_SCHEDULE_MODEL_DEPTHWISEMODEL_H

#include "conv/Schedule/Shape/TensorBytes.h"

#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Of an element that `op` reads.
inline int64_t getElementBytes(ConvOpInterface op) {
  return getElementBytes(op.getSourceElementType());
}

/// Cycles that `op`, of this form, takes with a legal schedule of algorithm
/// loops (HopperModel.h), with the kernels that transpose what it reads and
/// writes.
double getDepthwiseCycles(ConvOpInterface op, const DepthwiseSum &form,
                          ScheduleAttr schedule, const ChipInfo &chip,
                          TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_DEPTHWISEMODEL_H
