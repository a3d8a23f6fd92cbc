//===- CudaModule.h - images loaded into a context --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H
#define CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H

#include "CudaContext.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace convmlir::cuda {

/// The images of a plan, each loaded when it is first asked for.
class ModuleCache {
public:
  ModuleCache(std::shared_ptr<const CudaContext> context, const Plan &plan)
      : context(std::move(context)), plan(plan) {}
  ~ModuleCache();
  ModuleCache(const ModuleCache &) = delete;
  ModuleCache &operator=(const ModuleCache &) = delete;

  /// The kernel of a launch out of the first of its images that loads and has
  /// it, allowed so many bytes of dynamic shared memory and as large a cluster
  /// as the launch asks for.
  Result<Function> getFunction(const PlanLaunch &launch,
                               int64_t dynamicSharedBytes);

private:
  Result<Module> getModule(int64_t image);
  Result<Function> find(int64_t image, const std::string &kernel);
  Status allowShared(Function function, const PlanLaunch &launch,
                     int64_t dynamicSharedBytes);
  Status checkParameters(Function function, const PlanLaunch &launch) const;
  Status loadNow(Function function, const PlanLaunch &launch) const;

  std::shared_ptr<const CudaContext> context;
  const Plan &plan;
  /// The module of an image, or why it does not load.
  std::map<int64_t, Result<Module>> modules;
  std::map<Function, int64_t> sharedBytes; ///< Allowed so far.
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H
