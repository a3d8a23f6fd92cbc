//===- SmallNumbers.h - numbers of operations in memory ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of operations on workgroup memory, and of taps that shift positions: lines,
// taps, steps and strides as the text has them. Bounded, products of two of them
// do not overflow.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SMALLNUMBERS_H
#define CONV_DIALECT_CONV_IR_SMALLNUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// Of positions and lines of a tile in workgroup memory, which has fewer bytes.
inline constexpr int64_t kMostPositions = int64_t(1) << 20;

/// Checks that every number among the attributes has 32 bits, as extents and
/// strides of a convolution have (conv-c10); `bound` may be the largest number,
/// too: then there is none.
inline LogicalResult verifyNumbers(Operation *op, StringRef bound = {}) {
  auto isSmall = [](Attribute attr) {
    if (auto number = dyn_cast<IntegerAttr>(attr))
      return number.getValue().isSignedIntN(32);
    auto list = dyn_cast<DenseI64ArrayAttr>(attr);
    return !list || llvm::all_of(list.asArrayRef(), llvm::isInt<32>);
  };
  auto isUnbounded = [&](NamedAttribute named) {
    auto number = dyn_cast<IntegerAttr>(named.getValue());
    return named.getName() == bound && number &&
           number.getValue().isMaxSignedValue();
  };
  for (NamedAttribute named : op->getAttrDictionary())
    if (!isSmall(named.getValue()) && !isUnbounded(named))
      return op->emitOpError() << "must have numbers of 32 bits, but "
                               << named.getName() << " is " << named.getValue();
  return success();
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SMALLNUMBERS_H
