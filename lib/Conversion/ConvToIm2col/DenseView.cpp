//===- DenseView.cpp - matrices that are their tensor ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseView.h"

bool mlir::conv::isTensorItself(const convmlir::MatrixView &view) {
  if (view.strips != 1)
    return false;
  bool sawTaps = false;
  for (int d = 0; d < view.spatialRank; ++d) {
    int64_t extent = view.extent[d];
    bool unitStep = extent == 1 || (view.taps[d] > 1 ? view.step[d] == 1
                                                     : view.stride[d] == 1);
    if (view.rows[d] * view.taps[d] != extent || view.offset[d] != 0 ||
        !unitStep || (view.rows[d] > 1 && view.taps[d] > 1))
      return false;
    if (sawTaps && view.rows[d] > 1)
      return false;
    sawTaps |= view.taps[d] > 1;
  }
  return true;
}
