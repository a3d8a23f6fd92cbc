//===- PlanTensorMap.h - tensor maps of a plan ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_PLAN_PLANTENSORMAP_H
#define CONV_LIB_COMPILER_PLAN_PLANTENSORMAP_H

#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Runtime/TensorMap.h"

namespace mlir::conv {

/// What the operation describes, of the plan's buffer of that index. The error
/// is a rule of the driver that is broken, without the operation's location.
convmlir::Result<convmlir::TensorMap> toTensorMap(TensorMapOp op,
                                                  int64_t buffer);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_PLAN_PLANTENSORMAP_H
