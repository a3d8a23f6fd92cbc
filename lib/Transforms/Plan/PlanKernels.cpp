//===- PlanKernels.cpp - how a kernel does what its schedule says ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-plan-kernels. Input: F5, kernels with a schedule, and what of a plan was
// written by hand. Output: the same with `conv.kernel_plan`, and nothing else
// changed.
//
//===----------------------------------------------------------------------===//

#include "Ring/KeptOperand.h"
#include "Ring/RingOperands.h"
#include "Ring/WindowRing.h"
#include "Support/KnownDivisor.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/OperandCopies.h"
#include "conv/Schedule/PlannedLoads.h"
#include "conv/Schedule/RoleRegisters.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Transforms/Plan/Passes.h"

#include <numeric>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPLANKERNELS
#include "conv/Transforms/Plan/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Rows begin at multiples of it, as far as is known (ViewAddressing.h).
static int64_t getAlignedBytes(Im2colOp copy) {
  int64_t channels = copy.getTensorShape().back();
  int64_t divisor =
      std::gcd(std::gcd(channels, channels / copy.getView().getGroups()),
               getKnownDivisor(copy.getMixedOffsets().back()));
  int64_t bytes = copy.getMatrixType().getElementTypeBitWidth() / 8;
  return std::min(convmlir::kChunkBytes, (divisor & -divisor) * bytes);
}

static KernelOperand getOperand(GemmKNest &nest, Value vector) {
  Im2colOp copy = nest.getCopy(vector);
  return {copy, getAlignedBytes(copy)};
}

/// The taps of a result with several are a dimension of the right operand.
static KernelForm getForm(GemmKNest &nest, ScheduleAttr schedule) {
  auto type = cast<VectorType>(nest.contraction.getRhs().getType());
  return getKernelForm(schedule, type.getRank() == 3 ? type.getDimSize(1) : 1);
}

/// The slots of the ring that the schedule's stages are not those of; nothing
/// where there is none.
static FailureOr<std::optional<int64_t>>
countOwnSlots(gpu::GPUFuncOp kernel, GemmKNest &nest, ScheduleAttr schedule) {
  if (schedule.getWindow() && !hasTapsOfWindow(nest)) {
    FailureOr<int64_t> slots = countWindowSlots(kernel, nest, schedule);
    if (failed(slots))
      return failure();
    return std::optional(*slots);
  }
  OpBuilder builder(nest.getRoot());
  auto operands = makeRingOperands(builder, nest, schedule);
  if (failed(operands))
    return failure();
  return (*operands)->countOwnSlots(schedule);
}

static InFlightDiagnostic emitNoSuchPlan(gpu::GPUFuncOp kernel) {
  return kernel.emitOpError("has no plan as it is given: ");
}

/// The operand that stays in shared memory from tile to tile.
static KeptOperand chooseKept(gpu::GPUFuncOp kernel, GemmKNest &nest,
                              ScheduleAttr schedule) {
  KeptOperand kept = getKeepable(schedule);
  std::string why = whyNotKept(nest, schedule, kept);
  auto side = stringifyKeptOperand(kept);
  if (!why.empty()) {
    emitNamedRemark(kernel, RemarkId::OperandNotKept,
                    "copies the " + side + " operand for every tile: " + why);
    return KeptOperand::None;
  }
  emitNamedRemark(kernel, RemarkId::OperandKept,
                  "copies the " + side + " operand once for all tiles");
  return kept;
}

/// What rings of TMA have beside the copies.
static LogicalResult planRings(gpu::GPUFuncOp kernel, GemmKNest &nest,
                               ScheduleAttr schedule) {
  KernelPlan &plan = nest.plan;
  if (plan.keeps) {
    std::string why = whyNotKept(nest, schedule, *plan.keeps);
    if (!why.empty())
      return emitNoSuchPlan(kernel) << "keeps: " << why;
  } else {
    plan.keeps = chooseKept(kernel, nest, schedule);
  }
  FailureOr<std::optional<int64_t>> slots =
      countOwnSlots(kernel, nest, schedule);
  if (failed(slots))
    return failure();
  if (plan.slots && !*slots)
    return emitNoSuchPlan(kernel)
           << "slots: the only ring is that of the schedule's stages";
  if (int64_t fewest = hasTapsOfWindow(nest) ? 1 : 2;
      plan.slots && *plan.slots < fewest)
    return emitNoSuchPlan(kernel) << "slots: the ring has at least " << fewest
                                  << ", not " << *plan.slots;
  plan.slots = *slots;
  return success();
}

/// What each step leaves to the next one is in the plan of the nest.
static LogicalResult planKernel(gpu::GPUFuncOp kernel, ScheduleAttr schedule) {
  FailureOr<GemmKNest> nest = findGemmKNest(kernel);
  if (failed(nest))
    return failure();
  vector::ContractionOp contraction = nest->contraction;
  KernelForm form = getForm(*nest, schedule);
  KernelOperand left = getOperand(*nest, contraction.getLhs());
  KernelOperand right = getOperand(*nest, contraction.getRhs());
  convmlir::Result<KernelPlan> plan =
      planCopies(schedule, form, left, right, getKernelPlan(kernel));
  if (plan)
    plan = planRegisters(schedule, *plan);
  if (plan)
    plan = planLoadsAhead({schedule, *plan, left.copy, right.copy}, form);
  if (!plan)
    return emitNoSuchPlan(kernel) << plan.error();
  nest->plan = *plan;
  if (hasProducer(schedule) && failed(planRings(kernel, *nest, schedule)))
    return failure();
  if (!hasProducer(schedule) && (plan->keeps || plan->slots))
    return emitNoSuchPlan(kernel)
           << "keeps and slots are of kernels with copy=tma";
  setKernelPlan(kernel, nest->plan);
  return success();
}

namespace {
struct ConvPlanKernels
    : public conv::impl::ConvPlanKernelsBase<ConvPlanKernels> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto schedule =
          kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
      if (schedule && failed(planKernel(kernel, schedule)))
        return signalPassFailure();
    }
  }
};
} // namespace
