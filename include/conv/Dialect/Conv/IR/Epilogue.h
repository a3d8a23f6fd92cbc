//===- Epilogue.h - what follows a convolution in its kernel ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for all that must agree on it: the pass that moves elementwise
// operations into kernels, the layouts that it needs, and legality, which knows
// by it what a kernel stores.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_EPILOGUE_H
#define CONV_DIALECT_CONV_IR_EPILOGUE_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Whether a kernel that makes one of `op`'s operands can compute it, too: it
/// makes one tensor, elementwise, of scalars, also those in tensors without
/// dimensions, of tensors that it reads at the same place, and of vectors along
/// one of the dimensions `vectorDims`.
bool isEpilogue(linalg::GenericOp op, ArrayRef<int64_t> vectorDims);

/// The dimensions along which an epilogue of `op` may read vectors: channels,
/// and positions where they are the columns of a matrix for each image.
SmallVector<int64_t> getEpilogueDims(ConvOpInterface op);

/// The operation that alone uses `value`, once, if that is such an epilogue;
/// else null.
linalg::GenericOp getEpilogue(Value value, ArrayRef<int64_t> vectorDims);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_EPILOGUE_H
