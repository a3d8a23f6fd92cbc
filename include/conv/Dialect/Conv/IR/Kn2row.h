//===- Kn2row.h - sums of their own for taps along a line -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image with its channels first is a matrix [channel, position], and taps
// shift its positions. Those of taps that are whole lines apart begin at
// multiples of 16 bytes, where TMA and wgmma can begin; those along a line do
// not. So each tap s along a line has sums of its own,
//
//   Y[s, m, p] = sum over r, c of w[m, c, r, s] * x[c, p + line * (r * step +
//   offset)]
//
// and a result is y[m, p] = sum over s of Y[s, m, p + shift[s]], of neighbours
// in the same line. The products are no more than those of y.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_KN2ROW_H
#define CONV_DIALECT_CONV_IR_KN2ROW_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// A forward or dgrad in this form: the filters m of its result, the channels c
/// that are summed, and positions, lines behind each other.
struct Kn2row {
  int64_t filters, channels;
  int64_t line;                ///< Positions of a line, of x and of y.
  int64_t positions;           ///< Of an image of y.
  int64_t taps;                ///< A line or more apart: r.
  int64_t step, offset;        ///< Their shifts, in positions of the image.
  SmallVector<int64_t> shifts; ///< Of the taps along a line: s.
};

/// The form of `op`, in either layout, or why it has none.
convmlir::Result<Kn2row> getKn2row(ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_KN2ROW_H
