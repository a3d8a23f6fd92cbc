//===- AllocateSharedMemory.cpp - places in dynamic shared memory ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-allocate-shared-memory. Input: kernels with `memref.alloc` in workgroup
// memory at their top level. Output: views of `gpu.dynamic_shared_memory`, and
// the bytes needed in `conv.shared_bytes`. First fit in the order of the
// allocations: a kernel has few.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVALLOCATESHAREDMEMORY
#include "conv/Transforms/Kernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// What the swizzles of TMA and wgmma ask of a tile's start.
static constexpr int64_t kAlignment = 1024;

namespace {

/// A buffer and the top-level operations between which it is in use.
struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes = 0;
  Operation *first = nullptr;
  Operation *last = nullptr;
  int64_t offset = 0;

  int64_t end() const { return offset + llvm::alignTo(bytes, kAlignment); }
};

} // namespace

/// Extends the buffer's time of use by all users of `value` and of its views.
static void addUses(Buffer &buffer, Value value, Block *block) {
  for (Operation *user : value.getUsers()) {
    Operation *top = block->findAncestorOpInBlock(*user);
    if (!buffer.first || top->isBeforeInBlock(buffer.first))
      buffer.first = top;
    if (!buffer.last || buffer.last->isBeforeInBlock(top))
      buffer.last = top;
    if (isa<ViewLikeOpInterface>(user))
      for (Value view : user->getResults())
        addUses(buffer, view, block);
  }
}

/// True if all threads have passed a barrier between the last use of `a` and
/// the first one of `b`.
static bool isDoneBefore(const Buffer &a, const Buffer &b) {
  if (!a.last->isBeforeInBlock(b.first))
    return false;
  for (Operation *op = a.last->getNextNode(); op != b.first;
       op = op->getNextNode())
    if (isa<gpu::BarrierOp>(op))
      return true;
  return false;
}

/// The lowest offset at which `buffer` meets none that is in use with it.
static int64_t findOffset(const Buffer &buffer, ArrayRef<Buffer> placed) {
  int64_t offset = 0;
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Buffer &other : placed) {
      if (isDoneBefore(other, buffer) || isDoneBefore(buffer, other))
        continue;
      if (offset < other.end() && other.offset < offset + buffer.bytes) {
        offset = other.end();
        moved = true;
      }
    }
  }
  return offset;
}

static FailureOr<SmallVector<Buffer>> collectBuffers(gpu::GPUFuncOp func) {
  SmallVector<Buffer> buffers;
  Block &block = func.getBody().front();
  WalkResult result = func.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return WalkResult::advance();
    if (alloc->getBlock() != &block || !type.hasStaticShape() ||
        !type.getLayout().isIdentity()) {
      alloc.emitOpError("in workgroup memory must be dense, static and "
                        "outside of all loops and branches");
      return WalkResult::interrupt();
    }
    Buffer buffer;
    buffer.alloc = alloc;
    buffer.bytes = llvm::divideCeil(
        type.getNumElements() * type.getElementTypeBitWidth(), 8);
    addUses(buffer, alloc, &block);
    if (buffer.first)
      buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

static LogicalResult allocate(gpu::GPUFuncOp func) {
  FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func);
  if (failed(buffers))
    return failure();
  MLIRContext *context = func.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  int64_t total = 0;
  SmallVector<Buffer> placed;
  Value memory;
  for (Buffer &buffer : *buffers) {
    buffer.offset = findOffset(buffer, placed);
    total = std::max(total, buffer.offset + buffer.bytes);
    placed.push_back(buffer);
    if (!memory) {
      auto space =
          gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
      auto type = MemRefType::get(ShapedType::kDynamic, builder.getI8Type(),
                                  MemRefLayoutAttrInterface(), space);
      memory = gpu::DynamicSharedMemoryOp::create(builder, func.getLoc(), type);
    }
  }
  if (convmlir::ChipInfo chip = getChip(func); total > chip.sharedPerBlock)
    return func.emitOpError()
           << "needs " << total
           << " bytes of shared memory, but a workgroup of "
           << StringRef(chip.name) << " has " << chip.sharedPerBlock;
  for (Buffer &buffer : placed) {
    memref::AllocOp alloc = buffer.alloc;
    Value offset =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), buffer.offset);
    Value view =
        memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), memory,
                               offset, /*sizes=*/ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
  func->setAttr(conv::ConvDialect::getSharedBytesAttrName(),
                builder.getI64IntegerAttr(total));
  return success();
}

namespace {
struct AllocateSharedMemory
    : conv::impl::ConvAllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func.isKernel() && failed(allocate(func)))
        return signalPassFailure();
  }
};
} // namespace
