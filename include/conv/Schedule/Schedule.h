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
#include "conv/Geometry/ConvGeometry.h"
#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace mlir::conv {

class ConvOpInterface;

using convmlir::ChipInfo;
using convmlir::lookupChip;
using convmlir::supportedChips;

/// The shape of `op` with `fold` taps of each dimension as channels
/// (conv-fold-taps), which are then a multiple of 32 bytes; or why they cannot
/// be.
convmlir::Result<convmlir::ConvGeometry>
getFoldedGeometry(ConvOpInterface op, ArrayRef<int64_t> fold);

/// The shape of `op` after its taps were folded, unless `fold` is empty, and
/// each `merge` groups became one (conv-merge-groups). `merge` must divide the
/// number of groups, and getFoldedGeometry() must succeed.
convmlir::ConvGeometry getComputedGeometry(ConvOpInterface op, int64_t merge,
                                           ArrayRef<int64_t> fold);

/// The implicit GEMMs of one operation. Each group has one (for dgrad, one of
/// each stride phase): `m` x `n` times `resultTaps` sums of `taps` times
/// `channels` products.
struct GemmShape {
  /// What differs between phases. A phase that no tap reaches has 0.
  struct Phase {
    int64_t m, taps;
  };
  SmallVector<Phase, 1> phases; ///< Most taps first.
  int64_t n;
  int64_t resultTaps; ///< Of wgrad: no tile has columns of two taps.
  int64_t channels;   ///< The reduction in blocks; for wgrad, pixels.
  int64_t groups;
  int64_t elementBytes; ///< Of the operands.
  /// The view of the operand with taps whose positions a window can hold, of
  /// an operation with one phase, or of the positions that one among zeros has.
  std::optional<convmlir::MatrixView> windowView = std::nullopt;

  /// Of dgrad whose taps reach one phase: the view of the result that it is
  /// scattered through, if all other phases stay zeros and lie between its
  /// rows. Some kernels store them with it (ZeroFill.h).
  std::optional<convmlir::MatrixView> cellView = std::nullopt;

  bool reducesRows = false; ///< Of wgrad: `channels` are pixels.
  int64_t merge = 1;        ///< Groups of the operation in each of `groups`.
  SmallVector<int64_t, 3> fold = {}; ///< Taps that are channels; or empty.

  /// Of the tensors that are read and written, in memory.
  int64_t readBytes = 0, writtenBytes = 0;
  /// Whether rows of an operand's tile are along gemm-k: MN-major.
  bool isMnMajorA = false, isMnMajorB = false;
  /// Bytes of an operand that one access reads where its channels are last: the
  /// largest power of two, at most 16, that divides its rows in memory.
  int64_t accessBytesA = 16, accessBytesB = 16;
  /// Whether rows of an operand (wgrad: of B, else of A) are gathered from
  /// images of three dimensions.
  bool gathersVolumes = false;
  /// Whether the operand is a tensor with channels first that is transposed.
  bool isTransposedA = false, isTransposedB = false;
  /// Bytes of those tensors. Where rows of their tiles are the positions of
  /// images in their order, the largest power of two, at most 8, that divides
  /// an image: so many are copied at once if they are gathered.
  int64_t transposedBytes = 0, neighbours = 1;
  /// Whether images are matrices [channel, position]: gemm-n is along the
  /// positions of one of them, which is a group (wgrad: what is reduced, and
  /// images are taps). Tiles of them end where the image does.
  bool isChannelsFirst = false;

  /// Of wgrad: whether dy is such a matrix for each image, and x has its
  /// channels last. Then gemm-k are images, which are taps here, and the
  /// positions of one, where blocks end with the image.
  bool isKMajor = false;

  /// Taps along a line of so many positions that have sums of their own, of
  /// such images (Kn2row.h): gemm-m counts filters, of which a tile multiplies
  /// so many rows each. One where none have.
  int64_t tapSums = 1, line = 1;

  /// Whether wgrad has a sum of dy beside it that its kernel with `wgmma` can
  /// make (conv-fuse-bias-gradient).
  bool sumsRows = false;

  /// Of the operands, as they are multiplied: tf32 where they are f32 in
  /// memory.
  Type factorType = {};
  /// Of an element of what the kernel stores, behind its epilogue.
  int64_t resultBytes = 2;
  /// Tensors of the same shape that the epilogue reads: residuals.
  int64_t readResults = 0;
  /// Whether it reads others, of fewer dimensions: biases.
  bool readsVectors = false;

  /// Whether the result is transposed, to have its channels first.
  bool transposesResult = false;
  /// Positions that the kernel stores at a time where it transposes the result
  /// itself; 0 where another one does, or none.
  int64_t storedPositions = 0;
  /// How far apart in memory they and others are: more than one in phases.
  int64_t storedDistance = 1;
  /// Positions of an image of such a result, if rows of the matrix are all of
  /// them in their order; else 0.
  int64_t imagePositions = 0;
  /// Elements of a line of such a result whose phases are pairs of columns, and
  /// which some kernels store as a whole (PhasePairs.h); 0 where none do.
  int64_t pairedLine = 0;

  /// That of the operation's module: kernels whose warps have roles have as
  /// many workgroups as are resident there.
  ChipInfo chip = convmlir::getFullestChip();

  /// Elements of the result, in all groups.
  int64_t getResults() const;
  /// Whether operands have 16 bits, and all tensors their channels last: what
  /// choices were measured most widely with (docs/Performance.md).
  bool isPlain() const {
    constexpr int64_t bytes = 2;
    return elementBytes == bytes && !isChannelsFirst && !isTransposedA &&
           !isTransposedB && !transposesResult;
  }

  /// Whether parts may have taps each: of few channels with many taps, which
  /// are what wgrad becomes with transposed copies.
  bool hasPartsOfTaps = false;

  /// Whether gemm-k has several images of blocks of positions, which are
  /// counted through.
  bool hasImages() const {
    return (isChannelsFirst || isKMajor) && reducesRows &&
           phases.front().taps > 1;
  }
  /// Whether so many parts have taps each, in blocks of so many channels.
  bool dividesTaps(int64_t split, int64_t blockK) const;
  /// The parts that gemm-k can have, in blocks of so many channels.
  int64_t getMostParts(int64_t blockK) const;
  /// Blocks that the longest of so many parts of a phase has.
  int64_t getLongestPart(Phase phase, int64_t parts, int64_t blockK) const;
};

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
