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

#include "mlir/IR/Types.h"

namespace mlir::conv {

/// The accumulation type that stands where none is given: f32 for floats below
/// 64 bits, i32 for integers of up to 16 bits, else f64 or i64.
Type getDefaultAccType(Type elementType);

/// Rules conv-c17 and conv-c18, on the element types of the two sources, of the
/// result, and the accumulation type.
convmlir::Status checkElementTypes(Type first, Type second, Type result,
                                   Type acc);

/// Rule conv-c21, on the element type of the sources and the type to which they
/// are rounded.
convmlir::Status checkPrecision(Type element, Type precision);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVTYPES_H
