//===- BatchedCopies.h - several narrow accesses of a thread ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of plain kernels whose threads write less than an access can hold,
// since a row has a number of elements that no wider one divides.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_BATCHEDCOPIES_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_BATCHEDCOPIES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// Where each thread of the loop, of form F4, only reads one vector and writes
/// it to another buffer, and these are narrow, a thread takes several: all
/// reads come first. Lanes keep their neighbours, so that what a thread takes
/// lies far apart.
void batchCopies(RewriterBase &rewriter, scf::ForallOp block);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_BATCHEDCOPIES_H
