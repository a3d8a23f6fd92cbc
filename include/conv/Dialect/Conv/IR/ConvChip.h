//===- ConvChip.h - the chip of a module ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a target, and what is known of a device. Output: `conv.chip` of a
// module (ConvChip.td), and the chip of an operation within it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVCHIP_H
#define CONV_DIALECT_CONV_IR_CONVCHIP_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvChip.h.inc"

namespace mlir::conv {

/// That of the innermost operation around `op` (or `op` itself) that has a
/// `conv.chip`; the fullest one of the table where none has.
convmlir::ChipInfo getChip(Operation *op);

/// Puts the chip of a target on `root`. Without a target it is that of the
/// `conv.chip` that is there, or else the first one of the table; where that
/// `conv.chip` is of the same target, its numbers stay. What is known of a
/// device comes in their place. An error at `root` says what is wrong.
LogicalResult setChip(Operation *root, StringRef target,
                      const convmlir::DeviceLimits &device = {});

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVCHIP_H
