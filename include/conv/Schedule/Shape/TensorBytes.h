//===- TensorBytes.h - the bytes of tensors and buffers ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_TENSORBYTES_H
#define CONV_SCHEDULE_SHAPE_TENSORBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::conv {

/// Of a number, or of an element of a tensor or buffer.
inline int64_t getElementBytes(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

/// Of all elements; 0 of what is no tensor.
inline int64_t countBytes(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type ? type.getNumElements() * getElementBytes(type) : 0;
}

inline int64_t countBytes(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += countBytes(value);
  return bytes;
}

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_TENSORBYTES_H
