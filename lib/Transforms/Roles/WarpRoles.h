//===- WarpRoles.h - what a role needs of a program -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROLES_WARPROLES_H
#define CONV_LIB_TRANSFORMS_ROLES_WARPROLES_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Drops all but the operations of a role, what they need, loops, and what
/// `results` need. Values that nobody needs become poison; canonicalisation
/// removes what carried them.
void keepRole(Block &block, llvm::function_ref<bool(Operation *)> isOfRole,
              ValueRange results = {});

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROLES_WARPROLES_H
