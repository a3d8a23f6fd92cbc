//===- PhasePairs.h - phases that are stored two by two ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a result with its channels first and a stride of two, a phase has every
// other element of a line. Stored alone, it writes each sector in part. So the
// tiles of two phases that have the same lines, the even and the odd columns of
// them, follow each other in a warpgroup: the first one stays in shared memory,
// and with the second one whole lines are stored.
//
// What conv-fuse-transposition, conv-tile-to-workgroups, the stores and the
// model of time must agree on.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_PHASEPAIRS_H
#define CONV_SCHEDULE_FORMS_PHASEPAIRS_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/ConvGeometry.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Phases, by their number.
struct PhasePairs {
  struct Pair {
    unsigned even, odd; ///< Of such columns.
  };
  SmallVector<Pair> pairs;
  SmallVector<int64_t> isOdd; ///< 1 for phases of odd columns, else 0.
  int64_t line = 0;           ///< Elements of a line of the result.

  /// The most neighbouring positions of a phase, a power of two, that are one
  /// aligned store of at most 16 bytes with those of the other phase.
  int64_t getRun() const;
};

/// Pairs of all phases that are scattered through these views of a tensor,
/// which are seen with its channels last; nothing where some has no partner
/// with as many rows.
std::optional<PhasePairs>
findPhasePairs(ArrayRef<convmlir::MatrixView> results);

/// The same of a kernel with this schedule that scatters through these views
/// into a tensor of 16-bit elements, with its channels first. Nothing where it
/// stores phases one by one: shared memory has no room for two staged tiles
/// beside the ring.
std::optional<PhasePairs> findPhasePairs(ScheduleAttr schedule,
                                         ArrayRef<ViewAttr> views,
                                         ArrayRef<int64_t> tensorShape);
/// The same of a kernel in F2, whose phases are scattered so and multiply
/// elements of the type `factor`.
std::optional<PhasePairs>
findPhasePairs(ScheduleAttr schedule, ArrayRef<ScatterOp> phases, Type factor);
/// Whether it is not for the shape of the schedule that phases are stored one
/// by one.
bool hasRoomForPairs(ScheduleAttr schedule);

/// See GemmShape::Stored: of the views of the result's phases, whose
/// elements take so many cycles to multiply.
int64_t getPairedLine(const GemmShape &gemm,
                      ArrayRef<convmlir::GemmPhase> phases,
                      double productCycles);

/// Whether the kernel of a schedule stores the result of an operation so.
bool pairsPhases(ScheduleAttr schedule, const GemmShape &gemm);

/// What the model counts for a schedule, of a shape with a `pairedLine`: that
/// is 0 where the kernel stores phases one by one.
GemmShape getPairedShape(ScheduleAttr schedule, const GemmShape &gemm);

/// What the stores of such lines take longer than products, for each element.
double getExposedCyclesOfLines(const GemmShape &gemm);

/// Rounds of a kernel's workgroups in which each takes one pair of tiles, or
/// where teams take turns, each team one.
int64_t countPairRounds(ScheduleAttr schedule, int64_t pairs,
                        const convmlir::ChipInfo &chip);

/// Sectors that are written in part, for each element of a result with lines of
/// so many elements of 16 bits that are stored as a whole.
double countPartialSectorsOfLines(int64_t line);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_PHASEPAIRS_H
