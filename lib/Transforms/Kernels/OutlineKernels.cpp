//===- OutlineKernels.cpp - F4 to F5 --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainKernels/PlainGroups.h"
#include "PlainKernels/PlainKernels.h"
#include "Support/IndexRange.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVOUTLINEKERNELS
#include "conv/Transforms/Kernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// What docs/forms/tiles.md allows in a block program.
static bool isAllowed(Operation *op) {
  if (isa<DepthwiseOp, Im2colOp, ScatterOp, AddTapsOp, scf::ForOp, scf::YieldOp,
          scf::InParallelOp, scf::IfOp, gpu::SubgroupReduceOp, memref::AllocOp,
          memref::SubViewOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRefType().getRank() == 0;
  return isa<arith::ArithDialect, math::MathDialect, vector::VectorDialect,
             affine::AffineDialect, ub::UBDialect>(op->getDialect());
}

static LogicalResult checkBody(scf::ForallOp block) {
  WalkResult result = block.getBody()->walk([](Operation *op) {
    if (isAllowed(op))
      return WalkResult::advance();
    op->emitOpError("cannot be part of a kernel");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The indices of the forall from a linear one, the last index fastest.
static SmallVector<Value> delinearize(OpBuilder &builder, Location loc,
                                      Value linear, ArrayRef<int64_t> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size(); i-- > 1;) {
    Value extent = arith::ConstantIndexOp::create(builder, loc, extents[i]);
    indices[i] = arith::RemUIOp::create(builder, loc, linear, extent);
    linear = arith::DivUIOp::create(builder, loc, linear, extent);
  }
  indices[0] = linear;
  return indices;
}

/// The values of the host function that the kernel needs: buffers become its
/// arguments, constants are cloned into it.
static LogicalResult collectCaptures(scf::ForallOp block,
                                     llvm::SetVector<Value> &arguments,
                                     llvm::SetVector<Operation *> &constants) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(block.getRegion(), captured);
  for (Value value : captured) {
    if (isa<MemRefType>(value.getType()))
      arguments.insert(value);
    else if (Operation *op = value.getDefiningOp();
             op && matchPattern(op, m_Constant()))
      constants.insert(op);
    else
      return block.emitOpError("uses a value that is neither a buffer nor a "
                               "constant: ")
             << value;
  }
  return success();
}

/// The schedule of a loop over workgroups: of matrices, or of depthwise sums
/// that tensor cores multiply; null where each index is a thread.
static ScheduleAttr getBlockSchedule(scf::ForallOp block) {
  if (auto schedule =
          block->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName()))
    return schedule;
  return block->getAttrOfType<ScheduleAttr>(kLoopsAttrName);
}

static int64_t getNumTiles(scf::ForallOp block) {
  return llvm::product_of(block.getStaticUpperBound(), int64_t(1));
}

/// Begins a loop over the tiles of a workgroup; returns the number of its tile.
/// Kernels whose warps have roles fill their ring across tiles: there are as
/// many workgroups as are resident on the chip, and each takes every
/// tile that is a multiple of their number away, or as many of these as the
/// loop says.
static Value openTileLoop(OpBuilder &builder, scf::ForallOp block,
                          Value first) {
  Location loc = block.getLoc();
  Value end = arith::ConstantIndexOp::create(builder, loc, getNumTiles(block));
  Value step = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  if (auto items = block->getAttrOfType<AffineMapAttr>(kItemsAttrName)) {
    Value number =
        affine::AffineMaxOp::create(builder, loc, items.getValue(), first);
    Value all = arith::MulIOp::create(builder, loc, number, step);
    end = arith::AddIOp::create(builder, loc, first, all);
  }
  auto loop = scf::ForOp::create(builder, loc, first, end, step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// Threads of a workgroup of the kernel of such loops.
static int64_t getBlockSize(const LoopGroup &group, ScheduleAttr schedule) {
  if (schedule)
    return getNumThreads(schedule);
  auto isDepthwise = [](scf::ForallOp loop) {
    return loop.walk([](DepthwiseOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  return llvm::any_of(group, isDepthwise) ? kDepthwiseThreads : kPlainThreads;
}

/// The number of this thread in the grid of a plain kernel.
static Value emitThread(OpBuilder &builder, Location loc, int64_t threads) {
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value size = arith::ConstantIndexOp::create(builder, loc, threads);
  Value first = arith::MulIOp::create(builder, loc, block, size);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  return arith::AddIOp::create(builder, loc, first, thread);
}

/// A branch for the threads that have a place among the `count` ones from
/// number `first` on, and that place.
static std::pair<scf::IfOp, Value> openThreads(OpBuilder &builder, Location loc,
                                               Value thread, int64_t first,
                                               int64_t count, bool withElse) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // Threads with lower numbers have large unsigned places.
  Value place = thread;
  if (first != 0)
    place = arith::SubIOp::create(builder, loc, thread, constant(first));
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       place, constant(count));
  return {scf::IfOp::create(builder, loc, exists, withElse), place};
}

/// The numbers of the iterations of a group of loops, one after the other; what
/// `emit` inserts is for such an iteration. A kernel without a schedule is
/// plain: loops begin with a workgroup, so that its threads are in one.
static void
emitIterations(OpBuilder &builder, const LoopGroup &group,
               ScheduleAttr schedule,
               llvm::function_ref<void(scf::ForallOp, Value number)> emit) {
  Location loc = group.front()->getLoc();
  if (schedule) {
    Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    if (hasProducer(schedule))
      id = openTileLoop(builder, group.front(), id);
    return emit(group.front(), id);
  }
  int64_t threads = getBlockSize(group, schedule);
  Value thread = emitThread(builder, loc, threads);
  if (group.size() == 1 && getNumTiles(group.front()) % threads == 0)
    return emit(group.front(), thread);
  int64_t first = 0;
  for (scf::ForallOp block : group) {
    int64_t count = getNumTiles(block);
    bool isLast = block == group.back();
    auto [branch, place] =
        openThreads(builder, loc, thread, first, count, /*withElse=*/!isLast);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit(block, place);
    if (!isLast)
      builder.setInsertionPointToStart(branch.elseBlock());
    first += llvm::alignTo(count, threads);
  }
}

static int64_t getNumWorkgroups(const LoopGroup &group, ScheduleAttr schedule) {
  int64_t tiles = getNumTiles(group.front());
  if (!schedule) {
    int64_t workgroups = 0;
    for (scf::ForallOp block : group)
      workgroups +=
          llvm::divideCeil(getNumTiles(block), getBlockSize(group, schedule));
    return workgroups;
  }
  if (!hasProducer(schedule))
    return tiles;
  // The number of tiles is a multiple of the cluster's size, too: workgroups of
  // a cluster have neighbouring tiles, and as many of them.
  return std::min(tiles,
                  getPersistentWorkgroups(schedule, getChip(group.front())));
}

/// Says by how many lanes each the sums of a plain kernel are shared.
static void setSumLanes(OpBuilder &builder, gpu::GPUFuncOp kernel,
                        const LoopGroup &group) {
  llvm::SmallSetVector<int64_t, 2> lanes;
  bool adds = false;
  for (scf::ForallOp block : group)
    block.walk([&](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      adds |= loop && !loop.getRegionIterArgs().empty();
      if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op))
        lanes.insert(reduce.getClusterSize().value_or(kWarpSize));
    });
  if (adds || !lanes.empty())
    kernel->setAttr(kSumLanesAttrName,
                    builder.getDenseI64ArrayAttr(lanes.getArrayRef()));
}

static gpu::GPUFuncOp outline(OpBuilder &builder, const LoopGroup &group,
                              StringRef name, ScheduleAttr schedule,
                              ArrayRef<Value> arguments,
                              ArrayRef<Operation *> constants) {
  Location loc = group.front()->getLoc();
  SmallVector<Type> types(ValueRange(arguments).getTypes());
  auto kernel = gpu::GPUFuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  if (schedule && !group.front()->hasAttr(kLoopsAttrName)) {
    kernel->setAttr(ScheduleAttr::attributeName(), schedule);
  } else if (!schedule) {
    setPlainKernel(kernel);
    setSumLanes(builder, kernel, group);
  }
  for (scf::ForallOp block : group)
    block.walk([&](DepthwiseOp op) {
      if (op.getSchedule())
        kernel->setAttr(kLoopsAttrName, op.getScheduleAttr());
    });
  kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(getBlockSize(group, schedule)), 1, 1}));
  if (schedule && schedule.getClusterSize() > 1)
    kernel.setKnownClusterSizeAttr(builder.getDenseI32ArrayAttr(
        {static_cast<int32_t>(schedule.getClusterSize()), 1, 1}));

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  IRMapping mapping;
  mapping.map(arguments, kernel.getArguments());
  for (Operation *op : constants)
    builder.clone(*op, mapping);
  emitIterations(
      builder, group, schedule, [&](scf::ForallOp block, Value number) {
        SmallVector<Value> indices =
            delinearize(builder, loc, number, block.getStaticUpperBound());
        mapping.map(block.getInductionVars(), indices);
        for (Operation &op : block.getBody()->without_terminator())
          builder.clone(op, mapping);
      });
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}

static void launch(OpBuilder &builder, const LoopGroup &group,
                   gpu::GPUFuncOp kernel, ScheduleAttr schedule,
                   ArrayRef<Value> arguments) {
  Location loc = group.back()->getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value blocks = constant(getNumWorkgroups(group, schedule));
  Value one = constant(1);
  std::optional<gpu::KernelDim3> cluster;
  if (schedule && schedule.getClusterSize() > 1)
    cluster = {constant(schedule.getClusterSize()), one, one};
  gpu::LaunchFuncOp::create(
      builder, loc, kernel, gpu::KernelDim3{blocks, one, one},
      gpu::KernelDim3{constant(getBlockSize(group, schedule)), one, one},
      /*dynamicSharedMemorySize=*/Value(), arguments,
      /*asyncTokenType=*/nullptr, /*asyncDependencies=*/{}, cluster);
}

namespace {
struct ConvOutlineKernels
    : public conv::impl::ConvOutlineKernelsBase<ConvOutlineKernels> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> blocks;
    getOperation().walk([&](scf::ForallOp op) {
      if (getBlockSchedule(op) || isPlainBlock(op))
        blocks.push_back(op);
    });
    if (blocks.empty())
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointToStart(getOperation().getBody());
    auto kernels = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                            "conv_kernels");
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
    for (auto [i, group] : llvm::enumerate(groupPlainLoops(blocks)))
      if (failed(outlineGroup(builder, kernels, group, i)))
        return signalPassFailure();
    if (countsFar(kernels))
      kernels->setAttr(kWideIndicesAttrName, builder.getUnitAttr());
  }

private:
  /// All loops of a group become one kernel at the place of the last.
  LogicalResult outlineGroup(OpBuilder &builder, gpu::GPUModuleOp kernels,
                             const LoopGroup &group, size_t number) {
    llvm::SetVector<Value> arguments;
    llvm::SetVector<Operation *> constants;
    for (scf::ForallOp block : group) {
      if (block->getNumResults() != 0 || !block.isNormalized() ||
          llvm::any_of(block.getStaticUpperBound(), ShapedType::isDynamic))
        return block.emitOpError("must be bufferised and have constant bounds "
                                 "to become a kernel");
      if (failed(checkBody(block)) ||
          failed(collectCaptures(block, arguments, constants)))
        return failure();
    }
    scf::ForallOp last = group.back();
    ScheduleAttr schedule = getBlockSchedule(last);
    if (last->hasAttr(kItemsAttrName) && !(schedule && hasProducer(schedule)))
      return last.emitOpError("has '")
             << kItemsAttrName
             << "', but its workgroups do not stay for several items";
    auto host = last->getParentOfType<func::FuncOp>();
    std::string name = (host.getName() + "_" + Twine(number)).str();
    builder.setInsertionPointToEnd(kernels.getBody());
    gpu::GPUFuncOp kernel =
        outline(builder, group, name, schedule, arguments.getArrayRef(),
                constants.getArrayRef());
    builder.setInsertionPoint(last);
    launch(builder, group, kernel, schedule, arguments.getArrayRef());
    emitNamedRemark(last, RemarkId::KernelMade,
                    schedule ? "of a convolution" : "a plain one");
    for (scf::ForallOp block : group)
      block.erase();
    return success();
  }
};
} // namespace
