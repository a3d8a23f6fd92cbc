//===- MatrixInstruction.h - one wgmma and its operands ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every lowering to `wgmma.mma_async` shares: the arithmetic of
// matrix descriptors (MatrixDescriptor.h) and the instruction itself.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXINSTRUCTION_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXINSTRUCTION_H

#include "MatrixDescriptor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::conv {

/// Rows of one instruction, and the bytes of gemm-k that it multiplies.
inline constexpr int64_t kInstructionM = 64, kInstructionBytes = 32;

/// 32-bit arithmetic on addresses. The two words of a descriptor are joined
/// last: LLVM would fold steps along gemm-k into 64-bit additions of constants
/// with a high word, and ptxas 13.0 crashes on some of these.
class AddressMath {
public:
  AddressMath(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), i32(builder.getI32Type()) {}

  Value add(Value a, Value b);
  Value add(Value a, int64_t b);

  /// The low word of a descriptor, whose constant bits are `bits`, of a matrix
  /// that begins at row `mn` (null is row 0), each of so many units of 16
  /// bytes, behind element `offset` of the memory at `start`. Only the start is
  /// masked, and what a loop over slots does not change is added first: little
  /// is left in the loop.
  Value lowWord(int64_t bits, Value start, Value mn, int64_t unitsPerMn,
                Value offset, int64_t elementBytes);

  /// The descriptor of a low word and a constant high one.
  Value join(Value low, int64_t high);

private:
  Value constant(int64_t value);
  Value toInt32(Value index);
  /// `number` elements of `bytes` each, a multiple of 16 bytes.
  Value toUnits(Value number, int64_t bytes);

  OpBuilder &builder;
  Location loc;
  Type i32;
};

/// The layout of a tile, if its rows follow each other.
std::optional<MatrixDescriptor> getPanelMatrix(MemRefType tile, bool isMnMajor);

/// Which dimension of an operand is contiguous in memory, and whether the
/// accumulator is overwritten instead of added to.
struct MatrixInstruction {
  Type elementTypeA, elementTypeB; ///< In memory: tf32 is f32.
  int64_t n;
  bool isMnMajorA, isMnMajorB;
  bool overwrites;
};

/// One `wgmma.mma_async` with the descriptors `a` and `b`.
Value createMatrixInstruction(OpBuilder &builder, Location loc,
                              const MatrixInstruction &instruction,
                              Value accumulator, Value a, Value b);

/// Whether an accumulator of `nvgpu` holds nothing yet.
bool isInitialAccumulator(Value accumulator);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_MATRIXINSTRUCTION_H
