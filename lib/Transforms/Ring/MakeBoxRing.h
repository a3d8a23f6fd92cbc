//===- MakeBoxRing.h - the boxes that a plan has ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the kind of boxes (BoxRing.h) that the plan of a nest names.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H
#define CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H

#include "BoxRing.h"

#include <memory>

namespace mlir::conv {

/// That of a nest whose plan has one; null where it has none. An error on the
/// contraction whose operands cannot have it.
FailureOr<std::unique_ptr<BoxRing>>
makeBoxRing(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H
