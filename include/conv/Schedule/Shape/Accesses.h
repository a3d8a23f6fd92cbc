//===- Accesses.h - how wide threads access memory --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes and the model of time must agree on.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_ACCESSES_H
#define CONV_SCHEDULE_SHAPE_ACCESSES_H

#include "conv/Geometry/SharedTile.h"

namespace mlir::conv {

/// An access of a thread of a plain kernel is at most this wide.
inline constexpr int64_t kPlainAccessBytes = 16;

/// The narrowest asynchronous copy of a thread.
inline constexpr int64_t kLeastAsyncBytes = 4;

/// Of shorter rows of a result most chunks of 16 bytes would be shared by
/// neighbours: threads store what they hold (UnalignedRows.h).
inline constexpr int64_t kLeastUnalignedBytes = 4 * convmlir::kChunkBytes;

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_ACCESSES_H
