//===- Passes.h - passes of the convolution compiler ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass reads one normal form and writes the next; the forms are described
// in docs/Pipelines.md, the passes in the Passes.td of their wing.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_PASSES_H
#define CONV_TRANSFORMS_PASSES_H

#include "conv/Transforms/Copies/Passes.h"
#include "conv/Transforms/Kernels/Passes.h"
#include "conv/Transforms/Matrices/Passes.h"
#include "conv/Transforms/Operations/Passes.h"
#include "conv/Transforms/PlainKernels/Passes.h"
#include "conv/Transforms/Plan/Passes.h"
#include "conv/Transforms/Ring/Passes.h"
#include "conv/Transforms/Roles/Passes.h"
#include "conv/Transforms/RowSums/Passes.h"
#include "conv/Transforms/TensorCores/Passes.h"
#include "conv/Transforms/Tiling/Passes.h"

namespace mlir::conv {

/// Those of all wings.
inline void registerConvTransformsPasses() {
  registerConvOperationsPasses();
  registerConvMatricesPasses();
  registerConvTilingPasses();
  registerConvPlainKernelsPasses();
  registerConvKernelsPasses();
  registerConvPlanPasses();
  registerConvRingPasses();
  registerConvRolesPasses();
  registerConvCopiesPasses();
  registerConvTensorCoresPasses();
  registerConvRowSumsPasses();
}

} // namespace mlir::conv

#endif // CONV_TRANSFORMS_PASSES_H
