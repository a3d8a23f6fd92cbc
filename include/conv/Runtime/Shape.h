//===- Shape.h - extents of a tensor ----------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that follow from a shape (extents, outermost first), computed so that
// they never overflow silently: shapes also come from files.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_SHAPE_H
#define CONV_RUNTIME_SHAPE_H

#include "conv/Runtime/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convmlir {

using Shape = std::vector<int64_t>;

/// Product of the extents (1 for rank 0), or nothing where an extent is
/// negative or the product does not fit in 63 bits.
std::optional<int64_t> elementCount(const Shape &shape);

/// Bytes of a dense tensor, or nothing as for elementCount.
std::optional<int64_t> byteCount(const Shape &shape, ElementType type);

/// "2x17x23x20"; "scalar" for rank 0.
std::string toString(const Shape &shape);

/// "[1, 16, 22, 19]", as the coordinates of an element are written.
std::string describeIndex(const Shape &index);

/// The index of every dimension of the element at a row-major position.
Shape indexAt(const Shape &shape, int64_t position);

} // namespace convmlir

#endif // CONV_RUNTIME_SHAPE_H
