//===- Transpositions.h - tensors with channels first -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operands and results of an operation have their channels first, and are
// transposed: by kernels of their own, or by its kernel (GatherSchedule.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_TRANSPOSITIONS_H
#define CONV_SCHEDULE_SHAPE_TRANSPOSITIONS_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Whether an operand with channels last is a transposition, or becomes one.
/// Those of results of other operations may cancel.
bool isTransposition(ConvOpInterface op, Value operand);

/// Why `op`, in either layout, is not computed on images with their channels
/// first, as they lie, which `form` asks for: some of them, of wgrad x and dy,
/// have their channels last here. Empty if none does.
std::string whyChannelsLast(ConvOpInterface op, StringRef form);

/// Whether the result, behind its epilogue, has its channels first.
bool endsChannelsFirst(ConvOpInterface op);

/// Whether rows of the view are all positions of the tensor, one by one.
bool hasAllPositions(const convmlir::MatrixView &view);
/// Positions of an image, where they are; else 0.
int64_t countImagePositions(const convmlir::MatrixView &view);
/// The same of what a window could hold.
int64_t countWindowPositions(const GemmShape &gemm);

/// Says in `shape` which images of the operation stand behind transpositions to
/// channels last, or will do.
void addTranspositions(GemmShape &shape, ConvOpInterface op,
                       const convmlir::ConvGeometry &geometry);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_TRANSPOSITIONS_H
