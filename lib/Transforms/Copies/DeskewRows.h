//===- DeskewRows.h - tiles of boxes whose lines are skewed -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes of the boxes of RawRowRing.h in form F7.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_DESKEWROWS_H
#define CONV_LIB_TRANSFORMS_COPIES_DESKEWROWS_H

#include "conv/Dialect/Engine/IR/EngineOps.h"

namespace mlir::conv {

/// Lowers to loads and stores of a thread. Fails, with an error on the
/// operation, where it is not of warps of a producer.
LogicalResult lowerDeskewing(DeskewRowsOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_DESKEWROWS_H
