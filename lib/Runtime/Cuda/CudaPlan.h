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

#include "CudaModule.h"
#include "CudaTensorMap.h"

#include <memory>
#include <vector>

namespace convmlir::cuda {

/// What loading a launch has decided.
struct LoadedLaunch {
  Function function = nullptr;
  bool ahead = false; ///< Begins before the kernel in front of it has ended.
  int64_t dynamicSharedBytes = 0;
  /// Of each argument; null for those that are no tensor maps.
  std::vector<std::unique_ptr<TensorMapCache>> maps;
};

class CudaPlan : public LoadedPlan {
public:
  /// Loads, for every launch, the first of its images that the device accepts.
  /// `plan` outlives the result. The context is current afterwards.
  static Result<std::unique_ptr<CudaPlan>>
  load(std::shared_ptr<const CudaContext> context, const Plan &plan);

  /// On the stream of the context.
  Status launch(size_t index, std::span<const DeviceAddress> buffers) override;

  /// On a stream of the caller. The context is current; several threads may
  /// launch at the same time.
  Status launchOn(Stream stream, size_t index,
                  std::span<const DeviceAddress> buffers) const;

private:
  CudaPlan(std::shared_ptr<const CudaContext> context, const Plan &plan)
      : context(context), plan(plan), modules(context, plan) {}
  Status loadFunctions();

  std::shared_ptr<const CudaContext> context;
  const Plan &plan;
  ModuleCache modules;
  std::vector<LoadedLaunch> launches; ///< As in the plan.
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDAPLAN_H
