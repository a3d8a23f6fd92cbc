//===- StablehloReference.h - what operations of StableHLO mean -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes operations of StableHLO in f64 from their own attributes: nothing is
// shared with their import.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_STABLEHLOREFERENCE_H
#define CONV_LIB_INTERPRETER_STABLEHLOREFERENCE_H

#include "conv/Interpreter/ReferenceTensor.h"

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Whether evaluateStablehlo() knows the operation; constants it does not.
bool knowsStablehlo(Operation &op);

/// The result of an operation that is known, of tensors in row-major order.
/// Floats narrower than f32 are rounded to the type of the result; a
/// convolution rounds its sums once.
convmlir::ReferenceTensor
evaluateStablehlo(Operation &op,
                  ArrayRef<const convmlir::ReferenceTensor *> operands);

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_STABLEHLOREFERENCE_H
