//===- LoadsAhead.h - operands of the epilogue before the sums --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether TMA can load a tile that the epilogue reads before its sums are
// complete. Makes no IR: conv-plan-stores asks it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_LOADSAHEAD_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_LOADSAHEAD_H

#include "TensorCores/KernelTiles.h"

namespace mlir::conv {

/// Why it cannot, whether there is room or not; empty if it can, to where the
/// tile of `place` is staged.
std::string whyNotAhead(Im2colOp read, const KernelTiles &tiles,
                        ScatterOp &place);

/// What it takes of shared memory.
int64_t getAheadBytes(ScatterOp place, const KernelTiles &tiles);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_LOADSAHEAD_H
