//===- Plans.cpp - the plans that programs of XLA run ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

using namespace convmlir;
using namespace convmlir::jax;

const convmlir_program *PlanEntry::find(int32_t device) const {
  std::shared_lock lock(mutex);
  auto found = programs.find(device);
  return found == programs.end() ? nullptr : found->second;
}

convmlir_status PlanEntry::load(int32_t device) {
  if (find(device))
    return CONVMLIR_OK;
  std::unique_lock lock(mutex);
  convmlir_program *&program = programs[device];
  if (program)
    return CONVMLIR_OK;
  return convmlir_program_load(&plan, device, &program);
}

void PlanTable::add(std::string_view name, const convmlir_plan &plan) {
  std::unique_lock lock(mutex);
  entries.try_emplace(std::string(name), plan);
}

PlanEntry *PlanTable::find(std::string_view name) {
  std::shared_lock lock(mutex);
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

PlanTable &convmlir::jax::getPlans() {
  static PlanTable &plans = *new PlanTable;
  return plans;
}
