//===- FiltersLast.h - filters that are read as they come -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter tensor [R, S, C, K] ("HWIO", "rsck") comes to an operation through a
// linalg.transpose, which is all that says its order. Implicit GEMM reads such
// a tensor without the transposition: tiles of forward are then MN-major, as
// those of dgrad otherwise are, and tiles of dgrad K-major
// (conv/Geometry/FiltersLast.h). What reads the filter any other way keeps the
// transposition, which is a kernel of its own.
//
// Limits, models, rankings and convert-conv-to-gemm ask whyFilterTransposed(),
// and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_FILTERSLAST_H
#define CONV_DIALECT_CONV_IR_FILTERSLAST_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include <string>

namespace mlir::conv {

/// What of a schedule decides how a filter is read. It is the same before and
/// after the passes that fold taps and merge groups.
struct FilterReading {
  Algorithm algorithm = Algorithm::ImplicitGemm;
  MmaKind mma = MmaKind::MmaSync;
  int64_t merge = 1;
  bool foldsTaps = false;
  bool isKn2row = false;

  static FilterReading of(ScheduleAttr schedule);
};

/// The tensor [extent..., C/G, K] that `filter`, [K, extent..., C/G], is a
/// transposition of, or of which several transpositions make it; null where
/// there is none.
Value getFiltersLastSource(Value filter);

/// Why kernels of `op` do not read the source of its filter as it is; empty if
/// they do. Of an operation whose filter has such a source.
std::string whyFilterTransposed(ConvOpInterface op,
                                const FilterReading &reading);

/// Whether `op` has a filter with such a source, and kernels read it.
bool readsFiltersLast(ConvOpInterface op, const FilterReading &reading);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_FILTERSLAST_H
