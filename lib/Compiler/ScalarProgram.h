//===- ScalarProgram.h - the body of an elementwise operation ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the region of a linalg operation: arith and math on scalars. Output: a
// list of steps that is run on one element after another, in f64.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_SCALARPROGRAM_H
#define CONV_LIB_COMPILER_SCALARPROGRAM_H

#include "conv/Runtime/ElementType.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Block.h"

#include <optional>
#include <vector>

namespace mlir::conv {

/// A number as an element type holds it: rounded to nearest even for types
/// narrower than f32, unchanged for the others.
double roundTo(std::optional<convmlir::ElementType> type, double value);

/// What is said of an operation that the reference has no meaning for.
convmlir::Error unknownOperation(Operation &op);

class ScalarProgram {
public:
  /// Translates a block. Values from above must be constants. The error is
  /// unknownOperation() for the first that is none of the known ones.
  static convmlir::Result<ScalarProgram> create(Block &body);

  /// Runs the program: arguments in, yielded values out.
  void run(ArrayRef<double> arguments, MutableArrayRef<double> results);

private:
  struct Step {
    double (*function)(const double *operands);
    SmallVector<unsigned, 3> operands; ///< Slots.
    unsigned result;                   ///< Slot.
    std::optional<convmlir::ElementType> rounding;
  };

  convmlir::Status addOperation(Operation &op);
  convmlir::Result<unsigned> slotOf(Value value);

  std::vector<double> slots; ///< Arguments, constants and results of steps.
  std::vector<Step> steps;
  SmallVector<unsigned> yielded;
  llvm::DenseMap<Value, unsigned> slotOfValue;
};

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_SCALARPROGRAM_H
