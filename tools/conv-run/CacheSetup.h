//===- CacheSetup.h - the plan cache of a run ----------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_CACHESETUP_H
#define CONV_TOOLS_CONV_RUN_CACHESETUP_H

#include "CommandLine.h"
#include "Environment.h"
#include "Report.h"
#include "Workload.h"
#include "conv/Cache/PlanCache.h"

#include <memory>

namespace convmlir {

/// The cache in the folder of --cache=DIR, CONV_MLIR_CACHE_DIR or the default
/// place, with the limit of CONV_MLIR_CACHE_BYTES.
Result<std::unique_ptr<PlanCache>> openCache(const CommandLine &line,
                                             const Environment &environment);

/// The plan of a workload from the cache. `report` says where it came from.
Result<Plan> getCachedPlan(PlanCache &cache, const CommandLine &line,
                           const Workload &workload,
                           const CompileOptions &options,
                           std::optional<CacheReport> &report);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_CACHESETUP_H
