//===- WmmaShape.h - the matrices of wmma -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `gpu.subgroup_mma_compute` multiplies: matrices of 16 rows of A and 16
// columns of B, whose place in registers is not known (PTX ISA, "Matrix
// Fragments for WMMA"). They come from shared memory, and the sums go there.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_WMMASHAPE_H
#define CONV_SCHEDULE_SHAPE_WMMASHAPE_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include <optional>
#include <string>

namespace mlir::conv {

struct WmmaShape {
  /// Rows and columns of the sums.
  static constexpr int64_t kBlock = 16;

  Type element; ///< Of the factors, as upstream's matrices have it.
  int64_t stepK;

  /// Of factors of a type; nothing where there is no such product.
  static std::optional<WmmaShape> lookup(Type factor);
};

/// Why there is no such product; empty if there is.
std::string whyNoWmma(Type factor);

/// Bytes of shared memory through which the sums of a tile reach the threads
/// that go on with them; none of other engines.
int64_t getWmmaSumBytes(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_WMMASHAPE_H
