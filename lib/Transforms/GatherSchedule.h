//===- GatherSchedule.h - schedules that transpose tiles --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors with channels first are transposed by a kernel of their own, or tile
// by tile on their way into shared memory, by threads of the producer: what a
// schedule with `gather` says.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_GATHERSCHEDULE_H
#define CONV_LIB_TRANSFORMS_GATHERSCHEDULE_H

#include "ImageSlots.h"
#include "RawRowSlots.h"
#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Whether an operand with channels last is a transposition, or becomes one.
/// Those of results of other operations may cancel.
bool isTransposition(ConvOpInterface op, Value operand);

/// Why `op`, in either layout, is not computed on images with their channels
/// first, as they lie, which `form` asks for: some of them, of wgrad x and dy,
/// have their channels last here. Empty if none does.
std::string whyChannelsLast(ConvOpInterface op, StringRef form);

/// What a kernel takes that transposes so many bytes.
double getTranspositionCycles(double bytes);

/// Whether the result, behind its epilogue, has its channels first.
bool endsChannelsFirst(ConvOpInterface op);

/// Whether rows of the view are all positions of the tensor, one by one.
bool hasAllPositions(const convmlir::MatrixView &view);
/// Positions of an image, where they are; else 0.
int64_t countImagePositions(const convmlir::MatrixView &view);

/// Says in `shape` which images of the operation stand behind transpositions to
/// channels last, or will do.
void addTranspositions(GemmShape &shape, ConvOpInterface op,
                       const convmlir::ConvGeometry &geometry);

/// Why the kernel of the schedule, which says `gather`, cannot transpose tiles;
/// empty if it can.
std::string whyNoGather(ScheduleAttr schedule, const GemmShape &gemm);

/// Whether the tiles of an operand are gathered.
bool gathersA(ScheduleAttr schedule, const GemmShape &gemm);
bool gathersB(ScheduleAttr schedule, const GemmShape &gemm);

/// Of `copiedRows` rows of operands that a block copies, those that are
/// gathered.
double getGatheredRows(ScheduleAttr schedule, const GemmShape &gemm,
                       double copiedRows);
/// Whether gathered tiles are copied as they are, in pieces (Pieces.h).
bool copiesPieces(ScheduleAttr schedule, const GemmShape &gemm);

/// The boxes of images that come by TMA, of which warps make the gathered tiles
/// (RawRowSlots.h); nothing where there are none.
std::optional<RawRowSlots> getRawRowSlots(ScheduleAttr schedule,
                                          const GemmShape &gemm);
/// The same of whole images (ImageSlots.h).
convmlir::Result<ImageSlots> getImageSlots(ScheduleAttr schedule,
                                           const GemmShape &gemm);

/// Cycles of a multiprocessor that a gather of so many bytes takes, beside
/// products that read `readBytes` of shared memory.
double getGatherCycles(ScheduleAttr schedule, const GemmShape &gemm,
                       double bytes, double readBytes);
/// From one block of wgrad to the next where boxes of so many bytes come as
/// they lie and warps transpose them, for one or two blocks at a time.
double getBoxCycles(double bytes, int64_t blocks);
/// What the kernel takes that transposes operands in front of one that does not
/// gather them.
double getOperandTranspositionCycles(ScheduleAttr schedule,
                                     const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_GATHERSCHEDULE_H
