//===- IndexRange.h - how far the indices of views count --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_INDEXRANGE_H
#define CONV_LIB_TRANSFORMS_SUPPORT_INDEXRANGE_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Distance of the last tap from the first, in the dimension where it is
/// largest.
int64_t getTapReach(ViewAttr view);

/// Whether `conv.im2col` or `conv.scatter` in `root` has a view whose rows,
/// taps or coordinates, those outside of the tensor too, count to kWideIndices
/// or further. The sizes of the tensors do not matter.
bool countsFar(Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_INDEXRANGE_H
