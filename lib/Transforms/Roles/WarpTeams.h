//===- WarpTeams.h - consumers that take tiles in turn ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROLES_WARPTEAMS_H
#define CONV_LIB_TRANSFORMS_ROLES_WARPTEAMS_H

#include "mlir/IR/Value.h"

namespace mlir::conv {

/// Changes the loop over tiles of the consumers' branch so that each of `teams`
/// teams takes every tile of the workgroup whose number, modulo that of the
/// teams, is its own: `team`, an index. All go through the slots of all tiles,
/// in the order in which the producer fills them. Fails, with a message, where
/// there is no such loop.
LogicalResult takeTurns(Block &consumers, Value team, int64_t teams);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROLES_WARPTEAMS_H
