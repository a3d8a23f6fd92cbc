//===- ConvTypes.h - element and accumulation types -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVTYPES_H
#define CONV_DIALECT_CONV_IR_CONVTYPES_H

#include "conv/Geometry/Constraints.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::conv {

/// The accumulation type that stands where none is given: f32 for floats below
/// 64 bits, i32 for integers of up to 16 bits, else f64 or i64.
Type getDefaultAccType(Type elementType);

/// The 8-bit floats that tensor cores multiply.
inline bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Whether elements of these types are multiplied with each other: they are of
/// one type, or 8-bit floats.
inline bool areFactors(Type first, Type second) {
  return first == second || (isFloat8(first) && isFloat8(second));
}

/// Rules conv-c17 and conv-c18, on the element types of the two sources, of the
/// result, and the accumulation type.
convmlir::Status checkElementTypes(Type first, Type second, Type result,
                                   Type acc);

/// Rule conv-c21, on the element type of the sources and the type to which they
/// are rounded.
convmlir::Status checkPrecision(Type element, Type precision);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVTYPES_H
