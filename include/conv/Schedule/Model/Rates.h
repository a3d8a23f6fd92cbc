//===- Rates.h - rates that models of time share ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an H200 (docs/Performance.md), in cycles of a multiprocessor.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_RATES_H
#define CONV_SCHEDULE_MODEL_RATES_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Rates of a multiprocessor in the model of time: bytes a cycle that come from
/// the L2 cache and that leave.
inline constexpr double kCopyBytesPerCycle = 78, kStoreBytesPerCycle = 22.6;
/// Of a row of a panel that is copied, however short.
inline constexpr double kCyclesPerPanelRow = 1.43;
/// The more where one is partly outside of the tensor.
inline constexpr double kCyclesPerClippedRow = 5;
/// From the release of a slot to its next block, and slots that the products of
/// one block hold.
inline constexpr double kSlotCycles = 1650, kHeldSlots = 0.81;
/// Parts of a split gemm-k are f32; a second kernel adds them.
inline constexpr double kPartBytes = 4;
/// Of the kernel that adds parts, and of what parts take elsewhere.
inline constexpr double kCyclesPerSum = 4050, kSumBytesPerCycle = 8;
/// Of a tile whatever its size: barriers, the first products, the loop's ends.
inline constexpr double kCyclesPerTile = 158;
/// Of the cycles of a copy, those by which products at the same time are slowed
/// down.
inline constexpr double kPowerOfCopies = 0.116;

/// A tile's end: what its stores take, of results of so many bytes, and what
/// does not depend on its size.
double getStoreCycles(ScheduleAttr schedule, double resultBytes);

/// What the kernel takes that adds so many sums of parts.
double getSumCycles(double sums, const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_RATES_H
