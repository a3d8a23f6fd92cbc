//===- ScalarProgram.h - the body of an elementwise operation ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the region of a linalg operation: arith and math on scalars, indices
// of loops and elements of tensors at computed positions. Output: a list of
// steps that is run on one element after another, integers exactly and floats
// in f64.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_SCALARPROGRAM_H
#define CONV_LIB_INTERPRETER_SCALARPROGRAM_H

#include "Magnitudes.h"
#include "ScalarFunctions.h"
#include "conv/Interpreter/ReferenceTensor.h"
#include "conv/Runtime/ElementType.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Block.h"

#include <optional>
#include <vector>

namespace mlir::conv {

/// A number as an element type holds it: rounded to nearest even for types
/// narrower than f32, unchanged for the others.
double roundTo(std::optional<convmlir::ElementType> type, double value);

/// The result of an operation on scalars, as its type holds it: integers
/// exactly, floats as numbers of f64, which are rounded to a narrower type if
/// `rounds`.
Scalar roundResult(Type type, Scalar value, bool rounds);

/// The number, if it is a constant.
std::optional<Scalar> getConstant(Value value);

/// What is said of an operation that the reference has no meaning for.
convmlir::Error unknownOperation(Operation &op);

class ScalarProgram {
public:
  /// Translates a block. The error is unknownOperation() for the first that is
  /// none of the known ones. Floats are rounded to the type of each step only
  /// if `rounds`.
  static convmlir::Result<ScalarProgram> create(Block &body, bool rounds);

  /// Values from above that are no constants, in the order of setCapture().
  ArrayRef<Value> captures() const { return captured; }
  void setCapture(size_t index, Scalar value, double magnitude) {
    slots[slotsOfCaptures[index]] = value;
    magnitudes[slotsOfCaptures[index]] = magnitude;
  }

  /// Tensors from above that the block reads, in the order of setTensor(); each
  /// has an element or more.
  ArrayRef<Value> tensors() const { return readTensors; }
  void setTensor(size_t index, const convmlir::ReferenceTensor &tensor) {
    dataOfTensors[index] = &tensor;
  }

  /// Whether the block has indices of loops, which setIndices() gives.
  bool hasIndices() const { return !loopsOfSlots.empty(); }
  void setIndices(ArrayRef<int64_t> indices) {
    for (auto [slot, loop] : loopsOfSlots)
      slots[slot] = magnitudes[slot] = indices[loop];
  }

  /// Runs the program: arguments in (more of them than the block has are not
  /// read).
  void run(ArrayRef<double> arguments, ArrayRef<double> argumentMagnitudes);
  /// Yielded values.
  Scalar getResult(size_t index) const { return slots[yielded[index]]; }
  double getResultMagnitude(size_t index) const {
    return magnitudes[yielded[index]];
  }

private:
  friend class ScalarProgramBuilder;
  struct Step {
    ScalarFunction function;
    Growth growth;
    SmallVector<unsigned, 3> operands; ///< Slots.
    unsigned result;                   ///< Slot.
    Type type;
    bool rounds;
    /// Number of the tensor at whose position the operands are, instead of the
    /// function.
    std::optional<unsigned> tensor;
  };

  void readTensor(const Step &step);

  std::vector<Scalar> slots; ///< Arguments, constants and results of steps.
  std::vector<double> magnitudes; ///< Of the slots.
  std::vector<Step> steps;
  SmallVector<unsigned> yielded;
  SmallVector<Value> captured;
  SmallVector<unsigned> slotsOfCaptures;
  SmallVector<Value> readTensors;
  SmallVector<const convmlir::ReferenceTensor *> dataOfTensors;
  SmallVector<std::pair<unsigned, unsigned>> loopsOfSlots;
  unsigned argumentCount = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_SCALARPROGRAM_H
