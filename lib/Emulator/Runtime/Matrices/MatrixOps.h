//===- MatrixOps.h - ldmatrix and stmatrix ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooperative moves of 8x8 matrices of 16-bit elements between shared memory
// and registers. Lanes 8i to 8i+7 hold the addresses of the rows of matrix i.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXOPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Operands: the row address, and for stmatrix one i32 per matrix. The result
/// of ldmatrix is one i32 per matrix.
struct MatrixSite : Site {
  unsigned matrices = 1;
  bool transposed = false;
};

void loadMatrix(Thread *thread, const Site *site, std::byte *mailbox);
void storeMatrix(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXOPS_H
