//===- MapToThreads.cpp - kernels of a workgroup to those of a thread
//------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-map-to-mma-sync and conv-map-to-wgmma. Input: F6 (F6c) without copies of
// operand tiles. Output: F7.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseBands.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/TensorCores/Passes.h"

#include "PlainKernels/PlainKernels.h"
#include "Support/TileChunks.h"
#include "TileDistribution.h"
#include "conv/Chip/Chip.h"
#include "conv/Dialect/Engine/IR/EngineDialect.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVMAPTOMMASYNC
#include "conv/Transforms/TensorCores/Passes.h.inc"
#define GEN_PASS_DEF_CONVMAPTOWGMMA
#include "conv/Transforms/TensorCores/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The schedule of a kernel that this pass maps; null, with a message, where
/// there is none that it could honour.
static ScheduleAttr getSchedule(gpu::GPUFuncOp func) {
  StringRef name = ScheduleAttr::attributeName();
  auto schedule = func->getAttrOfType<ScheduleAttr>(name);
  if (!schedule) {
    func.emitOpError() << "needs a schedule in '" << name << "'";
    return nullptr;
  }
  std::string reason = FragmentLayout::checkSchedule(schedule);
  if (!reason.empty()) {
    func.emitOpError(reason);
    return nullptr;
  }
  int64_t threads = getNumThreads(schedule);
  if (getNumThreads(func) != threads) {
    func.emitOpError() << "'known_block_size' must be the schedule's "
                       << threads << " threads, but is " << getNumThreads(func);
    return nullptr;
  }
  return schedule;
}

/// 32-bit registers of one sum of the kernel's contraction.
static int64_t getSumRegisters(gpu::GPUFuncOp func) {
  int64_t registers = 1;
  func.walk([&](vector::ContractionOp op) {
    Type sum = getElementTypeOrSelf(op.getResultType());
    registers = sum.getIntOrFloatBitWidth() / 32;
  });
  return registers;
}

/// Two workgroups on a multiprocessor hide each other's barriers. ptxas gives
/// up some registers for that where they suffice: the accumulators, and about
/// as many as one step's operands and the addresses take. Kernels with roles
/// move registers between warps, for which ptxas wants to know how many there
/// are.
static void requestResidency(gpu::GPUFuncOp func, ScheduleAttr schedule,
                             const FragmentLayout &layout,
                             int64_t sumRegisters) {
  int64_t accumulators = layout.getNumBlocks() * FragmentLayout::kHeldM *
                         FragmentLayout::kHeldN * sumRegisters;
  // fma holds four numbers of gemm-k of each row and column, and two threads
  // may hold the same number for wmma.
  bool holdsMore =
      schedule.getMma() == MmaKind::Fma || schedule.getMma() == MmaKind::Wmma;
  int64_t othersPerThread = holdsMore ? 120 : 56;
  int64_t registers = (accumulators + othersPerThread) * getNumThreads(func);
  int64_t workgroups = hasProducer(schedule) ? schedule.getResident() : 2;
  if (hasProducer(schedule) ||
      workgroups * registers <= convmlir::getFullestChip().registersPerSM)
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  Builder(func.getContext()).getI32IntegerAttr(workgroups));
}

/// Maps the kernels whose warps multiply together by fours, or those whose
/// warps do not.
static LogicalResult mapKernels(gpu::GPUModuleOp module, bool byWarpgroups) {
  for (auto func : module.getOps<gpu::GPUFuncOp>()) {
    if (!func.isKernel() || isPlainKernel(func))
      continue;
    if (func->hasAttr(kLoopsAttrName)) {
      if (!byWarpgroups && failed(lowerDepthwiseBands(func)))
        return failure();
      continue;
    }
    ScheduleAttr schedule = getSchedule(func);
    if (!schedule)
      return failure();
    if ((schedule.getMma() == MmaKind::Wgmma) != byWarpgroups)
      continue;
    int64_t sumRegisters = getSumRegisters(func);
    TileDistribution distribution(func, schedule);
    if ((byWarpgroups && (failed(loadTileAhead(distribution)) ||
                          failed(storeZerosAhead(distribution)))) ||
        failed(distributeTiles(distribution)))
      return failure();
    requestResidency(func, schedule, distribution.layout, sumRegisters);
  }
  return success();
}

namespace {
struct MapToMmaSync : conv::impl::ConvMapToMmaSyncBase<MapToMmaSync> {
  void runOnOperation() override {
    if (failed(mapKernels(getOperation(), /*byWarpgroups=*/false)))
      signalPassFailure();
  }
};

struct MapToWgmma : conv::impl::ConvMapToWgmmaBase<MapToWgmma> {
  void runOnOperation() override {
    if (failed(mapKernels(getOperation(), /*byWarpgroups=*/true)))
      signalPassFailure();
  }
};
} // namespace
