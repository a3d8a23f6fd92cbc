//===- Recomputation.h - values at an earlier place -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_RECOMPUTATION_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_RECOMPUTATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::conv {

/// Computes values in front of `place`, an earlier operation than theirs.
class Recomputation {
public:
  explicit Recomputation(Operation *place) : place(place), dominance(place) {}

  /// Whether all that the value is computed from is known, or without effects.
  bool isPossible(Value value);
  /// The value, whose operations `builder` clones as far as they come later.
  Value get(OpBuilder &builder, Value value);

private:
  Operation *place;
  DominanceInfo dominance;
  IRMapping mapping;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_RECOMPUTATION_H
