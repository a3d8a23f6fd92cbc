//===- ProducerModel.h - time of kernels with TMA and mma.sync *- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_PRODUCERMODEL_H
#define CONV_SCHEDULE_MODEL_PRODUCERMODEL_H

#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Of a legal schedule, in cycles of a multiprocessor.
double getProducerCycles(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip, TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_PRODUCERMODEL_H
