//===- PlanStores.cpp - how each kernel reads and stores tiles ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-plan-stores. Input: F6, kernels whose operands have their memory, and
// what of a plan was written by hand. Output: the same with `reads`,
// `zero_rows` and `stores` in `conv.kernel_plan`, and nothing else changed.
//
//===----------------------------------------------------------------------===//

#include "Epilogue/StorePlan.h"
#include "PlainKernels/PlainKernels.h"
#include "Support/TileChunks.h"
#include "conv/Transforms/Plan/Passes.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPLANSTORES
#include "conv/Transforms/Plan/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static LogicalResult planStoresOf(gpu::GPUFuncOp kernel,
                                  ScheduleAttr schedule) {
  if (std::string why = FragmentLayout::checkSchedule(schedule); !why.empty())
    return kernel.emitOpError(why);
  convmlir::Result<KernelPlan> plan = planStores(KernelTiles(kernel, schedule));
  if (!plan)
    return kernel.emitOpError("has no plan as it is given: ") << plan.error();
  if (*plan != getKernelPlan(kernel))
    setKernelPlan(kernel, *plan);
  return success();
}

namespace {
struct ConvPlanStores : public conv::impl::ConvPlanStoresBase<ConvPlanStores> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      ScheduleAttr schedule = findSchedule(kernel);
      if (!schedule || !kernel.isKernel() || isPlainKernel(kernel))
        continue;
      if (failed(planStoresOf(kernel, schedule)))
        return signalPassFailure();
    }
  }
};
} // namespace
