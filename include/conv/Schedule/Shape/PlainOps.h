//===- PlainOps.h - what operations beside convolutions do ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands in a function beside the kernels with tiles becomes plain
// kernels. Which of these operations only move elements, and from where.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_PLAINOPS_H
#define CONV_SCHEDULE_SHAPE_PLAINOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::cf {
class AssertOp;
} // namespace mlir::cf

namespace mlir::conv {

/// Whether `op` stands in a function beside the kernels, and is no scheduled
/// contraction.
bool isPlainOp(Operation *op);

/// Says why an assertion has no place in a kernel, and fails.
LogicalResult refuseAssertion(cf::AssertOp check);

/// Whether the body only computes what it yields, or an error that names what
/// has an effect: passes move, copy and drop bodies by their results alone.
LogicalResult checkBody(linalg::LinalgOp op);

/// Whether it reads some indices of a dimension only: a slice. It is a kernel
/// of its own, which reads along the dimensions of its input.
bool readsAtDistances(Operation *op);

/// Whether all that it does is to move the elements of one tensor.
bool isMove(linalg::GenericOp op);

/// Whether each loop is at most one index of an operand, and the others are
/// constants: those of a slice.
bool isPermutedSlice(AffineMap map);

/// Whether it only says where elements of one tensor go, in the order of the
/// result.
bool isOrderedMove(linalg::GenericOp op);

/// The slice of which `value` is another shape; null where it is none, or read
/// elsewhere, too. Its loops are in the order of its result.
linalg::GenericOp findMovedSlice(Value value);

/// Whether a value is a transposition of a slice that nothing else reads.
bool isTransposedSlice(Value value);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_PLAINOPS_H
