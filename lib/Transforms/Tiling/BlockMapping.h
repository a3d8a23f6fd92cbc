//===- BlockMapping.h - loops over workgroups ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_BLOCKMAPPING_H
#define CONV_LIB_TRANSFORMS_TILING_BLOCKMAPPING_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Of an scf.forall over workgroups with so many loops: one mapping attribute
/// per loop, the last one on x. More than three are parts of one linear index.
ArrayAttr getBlockMapping(Builder &builder, size_t rank);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_BLOCKMAPPING_H
