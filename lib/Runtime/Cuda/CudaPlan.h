//===- CudaPlan.h - a plan's code on a CUDA device --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDAPLAN_H
#define CONV_LIB_RUNTIME_CUDA_CUDAPLAN_H

#include "CudaContext.h"

#include <memory>

namespace convmlir::cuda {

/// Loads, for every launch, the first of its images that the device accepts.
/// `plan` outlives the result.
Result<std::unique_ptr<LoadedPlan>>
loadCudaPlan(std::shared_ptr<const CudaContext> context, const Plan &plan);

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDAPLAN_H
