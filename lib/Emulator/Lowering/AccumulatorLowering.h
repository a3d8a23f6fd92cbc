//===- AccumulatorLowering.h - wgmma and its accumulators -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers all products by wgmma of a kernel. Accumulators, which are structs
// of f32, become handles of files of the warpgroup wherever they flow: through
// block arguments, selects and products. Elements that are extracted are read
// from the file, structs that come from elsewhere are written to one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_ACCUMULATORLOWERING_H
#define CONV_LIB_EMULATOR_LOWERING_ACCUMULATORLOWERING_H

#include "KernelLowering.h"

namespace mlir::conv::emulator {

LogicalResult lowerWgmmaProducts(KernelLowering &lowering);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_ACCUMULATORLOWERING_H
