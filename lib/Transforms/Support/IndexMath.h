//===- IndexMath.h - index arithmetic that folds ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over a builder for the arithmetic of addresses: operations on
// `index` that fold at once, so that callers need not treat the case of a
// stride of one or an offset of zero. Conditions may be null, which means
// "always".
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_INDEXMATH_H
#define CONV_LIB_TRANSFORMS_SUPPORT_INDEXMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace convmlir {
class SharedTile;
}

namespace mlir::conv {

class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

  Value constant(int64_t value);
  Value toValue(OpFoldResult value);

  Value add(Value a, Value b);
  Value add(Value a, int64_t b);
  Value sub(Value a, Value b);
  Value mul(Value a, int64_t b);
  Value mul(Value a, Value b);
  /// Of operands that are not negative.
  Value div(Value a, int64_t b);
  Value div(Value a, Value b);
  Value rem(Value a, int64_t b);
  Value bitAnd(Value a, int64_t mask);
  Value bitXor(Value a, Value b);

  /// a < bound for unsigned a: false where a is negative.
  Value isBelow(Value a, int64_t bound);
  Value isBelow(Value a, Value bound);
  /// a and b; null is "always".
  Value both(Value a, Value b);
  /// condition ? a : b; `a` where the condition is null.
  Value select(Value condition, Value a, Value b);

  /// Runs `body`, whose operations go where the condition holds; null is
  /// always. The branch, if there is one.
  Operation *guard(Value condition, llvm::function_ref<void()> body);

  /// Sets of bits, as i32.
  Value constant32(int64_t value);
  Value toInt32(Value index);
  Value shiftLeft(Value bits, Value distance);
  Value bitOr(Value a, Value b);
  Value hasCommonBit(Value a, Value b);

  /// Index in a shared tile, seen as one row, of a chunk's first element.
  Value sharedElement(const convmlir::SharedTile &tile, Value row, Value chunk);
  /// The same of the element in a column.
  Value sharedElementAt(const convmlir::SharedTile &tile, Value row,
                        Value column);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_INDEXMATH_H
