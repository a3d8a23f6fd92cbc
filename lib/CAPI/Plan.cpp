//===- Plan.cpp - compiled convolutions in C ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Plan.h"
#include "Handles.h"
#include "conv/Runtime/PlanFile.h"

#include <cstdlib>

using namespace convmlir;
using namespace convmlir::capi;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

convmlir_status convmlir_plan_read(const char *path, convmlir_plan **plan) {
  return guarded([&] {
    if (!path || !plan)
      return missing(path ? "plan" : "path");
    return give(readPlan(path), plan);
  });
}

convmlir_status convmlir_plan_parse(const void *data, size_t size,
                                    convmlir_plan **plan) {
  return guarded([&] {
    if (!data || !plan)
      return missing(data ? "plan" : "data");
    return give(parsePlan({static_cast<const uint8_t *>(data), size}, "plan"),
                plan);
  });
}

convmlir_status convmlir_plan_write(const convmlir_plan *plan,
                                    const char *path) {
  return guarded([&] {
    if (!plan || !path)
      return missing(plan ? "path" : "plan");
    Status status = writePlan(*plan->plan, path);
    return status ? CONVMLIR_OK : badInput(status.error());
  });
}

convmlir_status convmlir_plan_serialise(const convmlir_plan *plan, void **data,
                                        size_t *size) {
  return guarded([&] {
    if (!plan || !data || !size)
      return missing(!plan ? "plan" : !data ? "data" : "size");
    Result<Bytes> bytes = serialisePlan(*plan->plan);
    if (!bytes)
      return badInput(bytes.error());
    void *copy = std::malloc(bytes->size());
    if (!copy)
      return fail(CONVMLIR_INTERNAL_ERROR, "out of memory");
    std::memcpy(copy, bytes->data(), bytes->size());
    *data = copy;
    *size = bytes->size();
    return CONVMLIR_OK;
  });
}

void convmlir_plan_destroy(convmlir_plan *plan) { delete plan; }

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

convmlir_status convmlir_plan_describe(const convmlir_plan *handle,
                                       convmlir_plan_info *info) {
  return guarded([&] {
    if (!handle)
      return missing("plan");
    const Plan &plan = *handle->plan;
    convmlir_plan_info c{};
    c.target = plan.target.c_str();
    c.problem = plan.problem.c_str();
    c.entry = plan.entry.c_str();
    c.schedule = plan.schedule.c_str();
    c.precision = plan.precision.c_str();
    c.operand_type = toString(plan.operandType);
    c.deterministic = plan.deterministic;
    c.arguments =
        static_cast<int32_t>(plan.buffersOf(BufferRole::Argument).size());
    c.operands = static_cast<int32_t>(handle->operands.size());
    c.launches = static_cast<int32_t>(plan.launches.size());
    c.compile_ms = plan.compileMs;
    c.workspace_bytes = plan.workspaceBytes();
    c.flops = plan.flops;
    c.least_bytes = plan.leastBytes;
    c.order = plan.order.c_str();
    c.remarks = handle->remarks.c_str();
    c.multiprocessors = plan.multiprocessors;
    return fill(info, c, "info");
  });
}

/// The error of an index that is out of range.
static convmlir_status noSuch(const char *what, int32_t index, size_t count) {
  return badInput(std::string(what) + " " + std::to_string(index) +
                  " does not exist, the plan has " + std::to_string(count));
}

static bool isIndex(int32_t index, size_t count) {
  return index >= 0 && static_cast<size_t>(index) < count;
}

convmlir_status convmlir_plan_operand(const convmlir_plan *handle,
                                      int32_t index,
                                      convmlir_operand *operand) {
  return guarded([&] {
    if (!handle)
      return missing("plan");
    if (!isIndex(index, handle->operands.size()))
      return noSuch("operand", index, handle->operands.size());
    size_t position = static_cast<size_t>(handle->operands[index]);
    const PlanBuffer &buffer = handle->plan->buffers[position];
    convmlir_operand c{};
    c.name = buffer.name.c_str();
    c.type = toString(buffer.type);
    c.is_result = buffer.role == BufferRole::Result;
    c.rank = static_cast<int32_t>(buffer.shape.size());
    c.shape = buffer.shape.data();
    c.bytes = buffer.bytes();
    return fill(operand, c, "operand");
  });
}

static void copy(const Dim3 &from, int64_t (&to)[3]) {
  std::copy(from.begin(), from.end(), to);
}

convmlir_status convmlir_plan_launch(const convmlir_plan *handle, int32_t index,
                                     convmlir_launch *launch) {
  return guarded([&] {
    if (!handle)
      return missing("plan");
    const std::vector<PlanLaunch> &launches = handle->plan->launches;
    if (!isIndex(index, launches.size()))
      return noSuch("launch", index, launches.size());
    const PlanLaunch &from = launches[static_cast<size_t>(index)];
    convmlir_launch c{};
    c.kernel = from.kernel.c_str();
    copy(from.grid, c.grid);
    copy(from.block, c.block);
    copy(from.cluster, c.cluster);
    c.dynamic_shared_bytes = from.dynamicSharedBytes;
    c.static_shared_bytes = from.staticSharedBytes;
    c.registers = from.registers;
    return fill(launch, c, "launch");
  });
}
