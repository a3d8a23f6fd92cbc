//===- MmaShape.h - the matrix instruction of a type ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs between the matrix instructions that work on registers (PTX ISA,
// "Matrix Fragments for mma"), by the type of their factors. All of them fit
// one picture. A step of gemm-k is 32 bytes of a row of A and of a column of B;
// lane l = 4g + t of a warp holds of a block of 16 rows (A) or 8 columns (B)
//
//   rows g and g + 8 (A) or column g (B),
//   bytes [t W, (t + 1) W) and, if W = 4, [t W + 16, (t + 1) W + 16),
//
// in words of W bytes: a row's words one after the other, those of A with the
// rows in the inner order. Where lanes load both operands by elements they may
// share out the step's positions in another order (TileContraction.cpp): sums
// do not depend on it. The accumulator is FragmentLayout's block of 16x8.
//
// | factors    | W | instruction            | sums |
// |------------|---|------------------------|------|
// | f16, bf16  | 4 | m16n8k16               | f32  |
// | tf32       | 4 | m16n8k8                | f32  |
// | i8         | 4 | m16n8k32               | i32  |
// | e4m3, e5m2 | 4 | m16n8k32               | f32  |
// | f64        | 8 | m8n8k4, two to a block | f64  |
//
// A and B may be one e4m3 and one e5m2; of all others both are of one type.
// f32 has none: `mma = fma` (FmaContraction.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_MMASHAPE_H
#define CONV_SCHEDULE_SHAPE_MMASHAPE_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"
#include "conv/Schedule/Shape/FragmentShape.h"

#include <optional>
#include <string>

namespace mlir::conv {

struct MmaShape {
  /// That of these factors, or of one operand's; nothing where there is none.
  static std::optional<MmaShape> lookup(Type factor);

  Type factor;
  Type sum;
  int64_t elementBytes; ///< Of a factor in shared memory.
  int64_t wordBytes;
  int64_t rows; ///< Of one instruction.

  /// Elements of gemm-k that one step consumes, and those of a word.
  int64_t getStepK() const { return kStepBytes / elementBytes; }
  int64_t getWordElements() const { return wordBytes / elementBytes; }

  /// What a thread holds of a block: rows or columns, and words of each.
  int64_t getHeldRows(Operand operand) const {
    return operand == Operand::A ? FragmentShape::kHeldM : 1;
  }
  int64_t getHeldWords() const { return kStepBytes / (4 * wordBytes); }
  /// Words x elements of a word; those of tf32 are f32.
  VectorType getFragmentType(Operand operand) const;

  /// Whether `ldmatrix` brings an operand into this form: it moves words of 32
  /// bits, and transposes elements of 16.
  bool hasLdMatrix(Major major) const {
    return wordBytes == 4 && (major == Major::K || elementBytes == 2);
  }

  /// Bytes of gemm-k of one step.
  static constexpr int64_t kStepBytes = 32;
};

/// Type of the sums of products: of a convolution that has a kernel, the
/// accumulation type must be this one.
Type getSumType(Type factor);

/// The name of a type as problems spell it: s8, e4m3, tf32.
std::string getTypeName(Type type);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_MMASHAPE_H
