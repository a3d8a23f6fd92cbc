//===- WrittenResult.h - what a kernel stores -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a GemmShape that say what follows the sums in their kernel, and
// how it stores a result that gets its channels first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_WRITTENRESULT_H
#define CONV_SCHEDULE_SHAPE_WRITTENRESULT_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Fills `epilogue`, and the bytes that are written, with what follows `op` in
/// its kernel (Epilogue.h). Returns the last result.
Value addWritten(GemmShape &shape, ConvOpInterface op);

/// The same, and `stored`: a transposition behind it. The extents of the shape
/// are those that the kernel computes.
void addEpilogue(GemmShape &shape, ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_WRITTENRESULT_H
