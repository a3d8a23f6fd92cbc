//===- Tensors.h - tensors made of others -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several operations of StableHLO become: tensors in another shape, filled,
// or made element by element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_TENSORS_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_TENSORS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::conv {

/// The elements in the same order in another shape; the tensor itself where it
/// has that.
Value emitShape(OpBuilder &builder, Location loc, Value tensor,
                ArrayRef<int64_t> shape);

/// The number that all elements of a `stablehlo.constant` are, also of one that
/// is converted or broadcast, as one of a type: its own, or floats. Null of
/// anything else.
TypedAttr getNumber(Value tensor, Type element);

/// The elements from `starts` on, so many along each dimension, in `steps`.
Value emitSlice(OpBuilder &builder, Location loc, RankedTensorType type,
                Value tensor, ArrayRef<int64_t> starts,
                ArrayRef<int64_t> steps);

/// A tensor full of a number.
Value emitFilled(OpBuilder &builder, Location loc, TypedAttr number,
                 ArrayRef<int64_t> shape);

/// A tensor of zeros.
Value emitZeros(OpBuilder &builder, Location loc, RankedTensorType type);

/// A tensor whose element at a position is made by `body` of those that `maps`
/// say.
Value emitElementwise(
    OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
    ArrayRef<AffineMap> maps,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body);

/// Floats in another type, each the nearest of it, or integers extended with
/// their sign or cut.
Value emitConvert(OpBuilder &builder, Location loc, Value tensor, Type element);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_TENSORS_H
