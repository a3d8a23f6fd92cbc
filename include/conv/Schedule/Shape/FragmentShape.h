//===- FragmentShape.h - what a thread holds of a block ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's part of a tile is cut into blocks, of which each thread holds the
// same number of elements. Where they are: FragmentLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_FRAGMENTSHAPE_H
#define CONV_SCHEDULE_SHAPE_FRAGMENTSHAPE_H

#include <cstdint>

namespace mlir::conv {

enum class Operand { A, B };

/// Which of its two dimensions an operand tile has contiguous in memory.
enum class Major { K, MN };

struct FragmentShape {
  /// Of one block.
  static constexpr int64_t kBlockM = 16, kBlockN = 8;
  /// Elements of one block that a thread holds, along gemm-m and gemm-n, and
  /// the distance of those along gemm-m.
  static constexpr int64_t kHeldM = 2, kHeldN = 2, kHeldStepM = 8;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_FRAGMENTSHAPE_H
