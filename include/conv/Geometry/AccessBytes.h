//===- AccessBytes.h - how wide copies of rows are -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_ACCESSBYTES_H
#define CONV_GEOMETRY_ACCESSBYTES_H

#include "conv/Geometry/SharedTile.h"

#include <numeric>

namespace convmlir {

/// Bytes of the widest copies that rows of so many elements are made of, up to
/// a chunk.
constexpr int64_t getAccessBytes(int64_t elements, int64_t elementBytes) {
  return std::gcd(kChunkBytes, elements * elementBytes);
}

} // namespace convmlir

#endif // CONV_GEOMETRY_ACCESSBYTES_H
