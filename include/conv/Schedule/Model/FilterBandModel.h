//===- FilterBandModel.h - what depthwise images in bands take -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of depthwise forward and dgrad on tensor cores (FilterBands.h). Its
// numbers are in Rates.def.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_FILTERBANDMODEL_H
#define CONV_SCHEDULE_MODEL_FILTERBANDMODEL_H

#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/FilterBands.h"

namespace mlir::conv {

/// Workgroups that a multiprocessor of the chip has at a time, by registers and
/// shared memory; at least one.
int64_t countResidentBands(const FilterBands &bands, const ChipInfo &chip);

/// Cycles of an H200. `parts`: of what, if asked.
double getFilterBandCycles(const FilterBands &bands, const ChipInfo &chip,
                           TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_FILTERBANDMODEL_H
