//===- TensorMapOperand.h - operands of bulk tensor copies ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bulk loads and stores check of their operands alike.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPOPERAND_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPOPERAND_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// The tensor map at an address, which must be of that rank and mode.
const TensorMapBlob &tensorMapAt(Thread &thread, const Site &site,
                                 const std::byte *pointer, unsigned rank,
                                 bool isIm2col);

/// Faults if an im2col copy starts outside of the pixel box, or its offsets
/// are out of range: illegal instructions on the device.
void checkPosition(Thread &thread, const Site &site, const TensorMapBlob &map,
                   const TensorPosition &position);

/// Faults unless a shared address is fit for a bulk tensor copy.
void checkBulkAlignment(Thread &thread, const Site &site, uint32_t offset);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPOPERAND_H
