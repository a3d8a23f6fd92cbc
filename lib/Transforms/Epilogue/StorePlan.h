//===- StorePlan.h - how a kernel reads and stores tiles --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a kernel of F6, whose operands have their memory, and what of its plan
// was written by hand. Output: `reads`, `zero_rows` and `stores` of its plan
// (KernelPlan.td), or why these cannot be as given. Makes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_STOREPLAN_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_STOREPLAN_H

#include "TensorCores/KernelTiles.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// The plan of the kernel, in which what is given stays.
convmlir::Result<KernelPlan> planStores(const KernelTiles &tiles);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_STOREPLAN_H
