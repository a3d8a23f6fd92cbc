//===- SliceReference.h - parts of tensors, by their definition -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.extract_slice, tensor.insert_slice and tensor.concat, element by
// element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_SLICEREFERENCE_H
#define CONV_LIB_INTERPRETER_SLICEREFERENCE_H

#include "conv/Interpreter/ReferenceTensor.h"

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Whether the operation is one of the three, and all that is known of it is
/// constant.
bool isSlice(Operation &op);

/// The result of an operation for which isSlice() holds.
std::vector<double>
evaluateSlice(Operation &op, ArrayRef<const std::vector<double> *> operands);

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_SLICEREFERENCE_H
