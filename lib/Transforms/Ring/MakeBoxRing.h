//===- MakeBoxRing.h - the boxes that a schedule has ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of the two kinds of boxes (BoxRing.h) the copies of a nest have.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H
#define CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H

#include "BoxRing.h"

#include <memory>

namespace mlir::conv {

/// That of a nest whose schedule has one; else null.
std::unique_ptr<BoxRing> makeBoxRing(OpBuilder &builder, GemmKNest &nest,
                                     ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_MAKEBOXRING_H
