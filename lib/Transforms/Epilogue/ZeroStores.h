//===- ZeroStores.h - zeros between the rows of a result --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many rows the panel of zeros has that TMA stores between the rows of a
// result. Makes no IR: conv-plan-stores asks it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_ZEROSTORES_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_ZEROSTORES_H

#include "SharedRoom.h"

namespace mlir::conv {

/// As many as there is room for; 0 where threads store the zeros.
int64_t countZeroRows(ScatterOp op, const KernelTiles &tiles,
                      const SharedRoom &room);

/// Why it cannot have so many; empty if it can.
std::string whyNoZeroRows(ScatterOp op, int64_t rows, const KernelTiles &tiles,
                          const SharedRoom &room);

/// What so many take of shared memory.
int64_t getZeroBytes(ScatterOp op, int64_t rows, const KernelTiles &tiles);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_ZEROSTORES_H
