//===- WideIndices.h - kernels whose indices take 64 bits -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices of kernels have 32 bits, which cost half the registers, and 64 where
// they must: where a buffer has kWideIndices elements or more, or a view counts
// as far (`conv.wide_indices` on the gpu.module). Positions past a tensor have
// as much again.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_WIDEINDICES_H
#define CONV_DIALECT_CONV_IR_WIDEINDICES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir::conv {

/// The first number of elements, rows or positions that is too large for
/// 32 bits with a bit to spare.
inline constexpr int64_t kWideIndices = int64_t(1) << 30;

/// Of a gpu.module: rows, taps or coordinates of its views count to
/// kWideIndices or further, whatever the sizes of the buffers.
inline constexpr llvm::StringLiteral kWideIndicesAttrName = "conv.wide_indices";

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_WIDEINDICES_H
