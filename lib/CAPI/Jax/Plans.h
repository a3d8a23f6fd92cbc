//===- Plans.h - the plans that programs of XLA run -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_JAX_PLANS_H
#define CONV_LIB_CAPI_JAX_PLANS_H

#include "../Handles.h"
#include "conv-c/Cuda.h"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace convmlir::jax {

/// A plan, and its code on the devices where it has run. Stays until the
/// process ends, as programs of XLA do that may run it.
class PlanEntry {
public:
  explicit PlanEntry(const convmlir_plan &plan) : plan(plan) {}

  const convmlir_plan &getPlan() const { return plan; }
  /// Null where it is not loaded.
  const convmlir_program *find(int32_t device) const;
  convmlir_status load(int32_t device);

private:
  const convmlir_plan plan;
  mutable std::shared_mutex mutex;
  std::map<int32_t, convmlir_program *> programs;
};

class PlanTable {
public:
  void add(std::string_view name, const convmlir_plan &plan);
  /// Null where there is none.
  PlanEntry *find(std::string_view name);

private:
  std::shared_mutex mutex;
  std::map<std::string, PlanEntry, std::less<>> entries;
};

/// That of the process; threads of XLA may use it until the last moment.
PlanTable &getPlans();

} // namespace convmlir::jax

#endif // CONV_LIB_CAPI_JAX_PLANS_H
