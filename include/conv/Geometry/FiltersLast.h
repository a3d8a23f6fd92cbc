//===- FiltersLast.h - filter tensors with the filters last -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX, TensorFlow and half of the named operations of linalg have filters as
// [T, R, S, C, K] ("DHWIO"), and ours are [K, T, R, S, C]. The same matrix of
// taps is read from either: with the filters last, a channel is a row, and a
// filter a channel of the view. For that the channels become one more spatial
// dimension, the innermost, of a tensor [1, T, R, S, C, K]:
//
//   view                rows   taps      channels
//   [K, T, R, S, C]     K      T R S     C
//   [1, T, R, S, C, K]  C      T R S 1   K
//
// A view has three spatial dimensions at most. Of a filter that has three, two
// neighbours become one, where the taps of every phase stay at one distance.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_FILTERSLAST_H
#define CONV_GEOMETRY_FILTERSLAST_H

#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include <vector>

namespace convmlir {

/// The views of the phases' filters, GemmPhase::b of a forward or a dgrad
/// without groups, as views of the tensor with its filters last. All are of
/// one tensor [batch, extent..., channels], which has the elements in their
/// order. The error says of which dimensions the taps are not at one distance.
Result<std::vector<MatrixView>>
getFiltersLastViews(const std::vector<MatrixView> &views);

} // namespace convmlir

#endif // CONV_GEOMETRY_FILTERSLAST_H
