//===- Schedule.h - legality and choice of schedules ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is decided about a kernel before any code is made. Legality
// is a function of the problem, the chip and the schedule; the choice ranks
// legal candidates by a model of their time.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULE_H
#define CONV_SCHEDULE_SCHEDULE_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Schedule/Shape/ComputedGeometry.h"
#include "conv/Schedule/Shape/GemmShape.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace mlir::conv {

using convmlir::ChipInfo;
using convmlir::lookupChip;
using convmlir::supportedChips;

/// Explicit im2col makes one dimension of taps and channels. Each `merge`
/// groups are one, and `fold` taps channels. Some instructions need transposed
/// copies of the operands: then the shape is that of what is computed with
/// them. With `kMajor`, dy of wgrad is read with its channels first, and with
/// `kn2row` taps along a line have sums of their own, which must be possible.
GemmShape getGemmShape(ConvOpInterface op,
                       Algorithm algorithm = Algorithm::ImplicitGemm,
                       int64_t merge = 1, MmaKind mma = MmaKind::MmaSync,
                       ArrayRef<int64_t> fold = {}, bool kMajor = false,
                       bool kn2row = false);
/// With the algorithm, the merged groups, the folded taps, the instruction, the
/// order of dy and the form of a schedule.
GemmShape getGemmShape(ConvOpInterface op, ScheduleAttr schedule);

/// Why `op` has no kernel on this chip whatever the schedule; empty if it has
/// one.
std::string whyUnsupported(ConvOpInterface op, const ChipInfo &chip);

/// Which limit the schedule breaks and by how much; empty if it is legal.
std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                       const ChipInfo &chip);

/// Bytes of shared memory that the ring of a schedule takes.
int64_t getRingBytes(ScheduleAttr schedule, int64_t elementBytes);

/// Why `schedule` cannot compute `op`: the limits of whyIllegal(), and those of
/// the engine that copies its operands. Empty if it can.
std::string whyCannotRun(ConvOpInterface op, ScheduleAttr schedule,
                         const ChipInfo &chip);

/// A legal schedule and its modelled time, which has no unit: it orders the
/// schedules of one matrix instruction.
struct RankedSchedule {
  ScheduleAttr schedule;
  double time;
};

/// The legal candidates for `op` by an algorithm, best first; the first is what
/// selection chooses. f32 has those with mma=fma only. Those with TMA and wgmma
/// come before those with mma.sync, which have half the rate, but where they
/// need copies that take longer than they save. Where the chip has wgmma but
/// the first does not use it, `whyNot` becomes the reason. Empty only where the
/// chip runs no candidate at all. Groups are merged and taps folded as is
/// best, or as `merge` and `fold` say.
SmallVector<RankedSchedule>
rankSchedules(ConvOpInterface op, const ChipInfo &chip,
              Algorithm algorithm = Algorithm::ImplicitGemm,
              std::string *whyNot = nullptr,
              std::optional<int64_t> merge = std::nullopt,
              std::optional<SmallVector<int64_t>> fold = std::nullopt);

/// The same by whichever algorithm is fastest: implicit GEMM, or loops without
/// matrices for what they can compute.
SmallVector<RankedSchedule> rankAllSchedules(ConvOpInterface op,
                                             const ChipInfo &chip,
                                             std::string *whyNot = nullptr);

/// `base` with the keys of `text` replaced, as on the command line:
/// "tile=128x256x64 warps=2x4 stages=4 copy=cp_async mma=mma_sync split-k=2
/// merge=8 fold=2x2", and for kernels with TMA and wgmma "cluster=2x1
/// resident=2 staging=64 tail=4 gather=true k-major=true kn2row=true". A
/// missing `warps` follows from a given `tile`.
FailureOr<ScheduleAttr>
parseSchedule(llvm::StringRef text, ScheduleAttr base,
              llvm::function_ref<InFlightDiagnostic()> emitError);

/// Why such a text is none, whatever the schedule that it changes; empty if it
/// is one.
std::string whyNoKeys(llvm::StringRef text);

/// The algorithm that such a text names, or `otherwise`.
Algorithm getNamedAlgorithm(llvm::StringRef text, Algorithm otherwise);

/// The merged groups that such a text names; one where it names a tile only.
std::optional<int64_t> getNamedMerge(llvm::StringRef text);

/// The folded taps that such a text names; none, an empty list, where it names
/// a tile only.
std::optional<SmallVector<int64_t>> getNamedFold(llvm::StringRef text);

/// Whether such a text says `false` of a form that the schedule has: `window`,
/// `gather`, `k-major` or `kn2row`.
bool turnsOff(llvm::StringRef text, ScheduleAttr schedule);

/// The same spelling, complete.
std::string toString(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULE_H
