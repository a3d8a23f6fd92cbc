//===- Saturating.h - counts that stop at the largest int64 -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and sums of non-negative counts that report INT64_MAX instead of
// wrapping round, so that a comparison with a limit stays meaningful.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GEOMETRY_SATURATING_H
#define CONV_LIB_GEOMETRY_SATURATING_H

#include <cstdint>
#include <limits>

namespace convmlir {

/// a * b, or INT64_MAX; both not negative.
inline int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}

/// a + b, or INT64_MAX; both not negative.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}

} // namespace convmlir

#endif // CONV_LIB_GEOMETRY_SATURATING_H
