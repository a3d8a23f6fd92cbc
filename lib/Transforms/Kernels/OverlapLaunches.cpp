//===- OverlapLaunches.cpp - kernels that begin ahead ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-overlap-launches: programmatic dependent launch. Input and output: F7.
// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and
// Synchronization"; PTX ISA, "griddepcontrol".
//
// A kernel that waits may be launched before the one in front of it has ended;
// whether it is, the runtime decides. When it has waited, all that its stream
// ran before is done: the kernel in front has either waited itself, or was
// launched in order.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels/PlainKernels.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVOVERLAPLAUNCHES
#include "conv/Transforms/Kernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Whether a value of this type leads to nothing that other kernels see.
static bool isLocal(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
  return isa<IndexType, IntegerType, FloatType, VectorType,
             nvgpu::MBarrierGroupType>(type);
}

/// Whether `op` reads and writes nothing but registers and shared memory. What
/// is not known to do so may do anything.
static bool staysLocal(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return isa<scf::YieldOp>(op);
  if (isa<scf::IfOp, scf::ForOp>(op))
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return llvm::all_of(region.getOps(), [](Operation &nested) {
        return staysLocal(&nested);
      });
    });
  if (isMemoryEffectFree(op) ||
      isa<gpu::BarrierOp, NVVM::ShflOp, NVVM::FenceMbarrierInitOp,
          NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp,
          NVVM::ClusterWaitOp, nvgpu::MBarrierCreateOp>(op))
    return true;
  return isa<nvgpu::MBarrierInitOp, memref::StoreOp, vector::StoreOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isLocal);
}

namespace {
struct OverlapLaunches : conv::impl::ConvOverlapLaunchesBase<OverlapLaunches> {
  using ConvOverlapLaunchesBase::ConvOverlapLaunchesBase;

  void runOnOperation() override {
    convmlir::ChipInfo chip = getChip(getOperation());
    if (!chip.has(convmlir::Engine::LaunchOverlap)) {
      emitNamedRemark(getOperation(), RemarkId::LaunchesInOrder,
                      "each kernel begins when the one in front has ended: " +
                          Twine(chip.name) + " has no launch_overlap");
      return;
    }
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        overlap(kernel);
  }

private:
  static void overlap(gpu::GPUFuncOp kernel) {
    Location loc = kernel.getLoc();
    Block &body = kernel.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    if (!isPlainKernel(kernel)) {
      // At the latest in front of the return.
      Operation &first = *llvm::find_if_not(
          body, [](Operation &op) { return staysLocal(&op); });
      builder.setInsertionPoint(&first);
      NVVM::GriddepcontrolOp::create(builder, loc,
                                     NVVM::GridDepActionKind::wait);
    }
    NVVM::GriddepcontrolOp::create(builder, loc,
                                   NVVM::GridDepActionKind::launch_dependents);
  }
};
} // namespace
