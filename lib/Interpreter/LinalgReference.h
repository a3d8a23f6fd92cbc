//===- LinalgReference.h - the loops of linalg in f64 -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a linalg operation and the tensors of its operands. Output: those of
// its results, by the loops that the operation is defined by.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_LINALGREFERENCE_H
#define CONV_LIB_INTERPRETER_LINALGREFERENCE_H

#include "ScalarProgram.h"
#include "conv/Support/Result.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Reads or writes one operand along the loops: the position is an affine
/// function of the loop indices.
struct Access {
  int64_t base = 0;
  SmallVector<int64_t> strides; ///< Per loop; in elements.
};

class LinalgLoops {
public:
  /// The error says what the reference has no meaning for. Where `roundsSums`
  /// is false, floats are rounded to the type of the result once, at the end.
  static convmlir::Result<LinalgLoops> read(linalg::LinalgOp op,
                                            bool roundsSums);

  /// Scalars of the function that the body reads.
  ArrayRef<Value> captures() const { return body.captures(); }
  void setCapture(size_t index, double value, double magnitude) {
    body.setCapture(index, value, magnitude);
  }

  /// Tensors that the body reads at positions that it computes.
  ArrayRef<Value> tensors() const { return body.tensors(); }
  void setTensor(size_t index, const convmlir::ReferenceTensor &tensor) {
    body.setTensor(index, tensor);
  }

  /// The elements of an operand (scalars have one), and their magnitudes.
  struct Elements {
    double *values, *magnitudes;
  };

  /// Runs the loops. The elements of the destinations become the results. Fails
  /// where an integer of 64 bits in a tensor is none that f64 has.
  convmlir::Status run(ArrayRef<Elements> operands);

private:
  LinalgLoops(linalg::LinalgOp op, ScalarProgram body)
      : op(op), body(std::move(body)) {}

  std::optional<unsigned> findParallelLoop();
  bool addsIntegers();
  bool runPart(ArrayRef<Elements> operands, ArrayRef<int64_t> first,
               ArrayRef<int64_t> extents);
  void runInnermost(ScalarProgram &program, ArrayRef<Elements> operands,
                    SmallVector<int64_t> positions,
                    SmallVector<int64_t> indices, int64_t extent,
                    bool &isAllHeld);
  void roundResults(ArrayRef<Elements> operands);

  linalg::LinalgOp op;
  ScalarProgram body;
  SmallVector<Access> accesses; ///< One per operand.
  bool roundsSums = true;
  /// Whether the body only adds exact products of its two inputs.
  bool addsProducts = false;
};

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_LINALGREFERENCE_H
