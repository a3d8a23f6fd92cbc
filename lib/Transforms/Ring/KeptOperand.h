//===- KeptOperand.h - what a workgroup loads once --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the gemm-k nest of F5. Output: whether an operand can stay in shared
// memory for all tiles of a workgroup: `keeps` of the kernel's plan.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_KEPTOPERAND_H
#define CONV_LIB_TRANSFORMS_RING_KEPTOPERAND_H

#include "GemmKNest.h"

#include "conv/Schedule/KeptOperands.h"

namespace mlir::conv {

/// Why a kernel with copy=tma cannot keep an operand; empty if it can. Where
/// getKeptOperand() says of a schedule that it does, it can.
std::string whyNotKept(GemmKNest &nest, ScheduleAttr schedule,
                       KeptOperand operand);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_KEPTOPERAND_H
