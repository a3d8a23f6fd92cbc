//===- OverlapLaunches.cpp - a kernel begins while another ends -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-overlap-launches. See HopperPasses.td.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/HopperPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVOVERLAPLAUNCHES
#include "conv/Transforms/HopperPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// At the start of the kernel: `waits` for the launch before it, `lets` the one
/// after it begin.
static void control(gpu::GPUFuncOp kernel, bool waits, bool lets) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  if (waits)
    NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(),
                                   NVVM::GridDepActionKind::wait);
  if (lets)
    NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(),
                                   NVVM::GridDepActionKind::launch_dependents);
}

namespace {
struct ConvOverlapLaunches
    : public conv::impl::ConvOverlapLaunchesBase<ConvOverlapLaunches> {
  using ConvOverlapLaunchesBase::ConvOverlapLaunchesBase;

  void runOnOperation() override {
    if (!StringRef(chip).starts_with("sm_9"))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      overlap(function);
  }

private:
  void overlap(func::FuncOp function) {
    auto launches = llvm::to_vector(function.getOps<gpu::LaunchFuncOp>());
    for (auto [i, launch] : llvm::enumerate(launches)) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel)
        continue; // Somebody else's, of which nothing is known.
      if (i > 0)
        launch->setAttr(kOverlapsPreviousAttrName,
                        UnitAttr::get(&getContext()));
      control(kernel, i > 0, i + 1 < launches.size());
    }
  }
};
} // namespace
