//===- BoxCopies.h - boxes of tensors to bulk tensor copies -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of conv-lower-tile-loads that knows `engine.load_box` and
// `engine.store_box`, whose coordinates are the tensor's own.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_BOXCOPIES_H
#define CONV_LIB_TRANSFORMS_COPIES_BOXCOPIES_H

#include "KernelTensorMaps.h"

namespace mlir::conv {

/// Whether `op` copies a box.
bool isBoxCopy(Operation *op);

/// Puts one `engine.tma_load` or `engine.tma_store` for each panel in the place
/// of a copy of a box. An error on `op` where TMA cannot make it.
LogicalResult lowerBoxCopy(Operation *op, KernelTensorMaps &maps);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_BOXCOPIES_H
