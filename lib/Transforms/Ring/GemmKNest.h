//===- GemmKNest.h - the gemm-k loops of a block program --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes that build a ring share: finding the gemm-k nest of a kernel
// (channel blocks outside, taps inside; docs/Pipelines.md, F4), and rebuilding
// its copies and its contraction for one block and one slot. Blocks are named
// by the iteration numbers of the nest's loops, their digits, which a loop over
// blocks carries, so that nothing is ever divided.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_GEMMKNEST_H
#define CONV_LIB_TRANSFORMS_RING_GEMMKNEST_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::conv {

/// A gemm-k nest, and what it is made of. Loops start at 0.
struct GemmKNest {
  vector::ContractionOp contraction;
  /// The sum over rows of the left operand's tile, which loops carry behind the
  /// accumulator; null if there is none.
  vector::MultiDimReductionOp rowSum;
  /// What takes the sum in some blocks only; null: in all.
  arith::SelectOp rowSumShare;
  SmallVector<scf::ForOp> loops; ///< Outermost first; none if K is one block.
  /// Iterations of each loop; nothing where they depend on the workgroup, as
  /// the taps of a stride phase and the blocks of a part of a split gemm-k do.
  SmallVector<std::optional<int64_t>> trips;
  SmallVector<Im2colOp> copies; ///< Fills of shared-memory tiles, in order.
  KernelPlan plan;              ///< Of the kernel, for passes that follow it.

  /// Iterations of all loops together; nothing where they are not constant.
  std::optional<int64_t> getConstantBlocks() const;
  /// Those of one loop, or of all, constant or not.
  Value getTrips(OpBuilder &builder, size_t loop);
  Value getBlocks(OpBuilder &builder);
  /// The outermost operation: a loop, or the contraction itself.
  Operation *getRoot();
  /// The accumulator before the first block, and the sums of rows.
  Value getInit();
  Value getRowSumInit();
  /// What the nest leaves of the sums of rows.
  Value getRowSumResult();
  bool contains(Operation *op) const {
    return !loops.empty() && loops.front()->isProperAncestor(op);
  }
  /// Whether an offset of a copy is the same in each tile of the result: it
  /// depends on the block and on nothing else.
  bool isOfBlock(Value offset);
  /// Whether it is the same in each tile of a workgroup: but for the block it
  /// depends on nothing that changes from one to the next.
  bool isOfBlockAndWorkgroup(Value offset);
  /// What fills the tile that the contraction's operand `vector` is read from;
  /// null if none of the copies does.
  Im2colOp getCopy(Value vector);
  /// How the plan says that a copy is made.
  OperandCopy getWay(Im2colOp copy);
  /// Puts `result` in the place of what the contraction computes, and erases
  /// the nest and the tiles that it filled. Nothing uses sums of rows any more.
  void replaceBy(Value result);
};

/// The read of the tile that an operand of a contraction is; null if there is
/// none. Its elements may be converted in between (OperandConversion.h).
vector::TransferReadOp getOperandRead(Value operand);

/// Whether the nest multiplies what it copies as tf32.
bool roundsToTF32(GemmKNest &nest);

/// The one nest of the kernel; an error on the operation that is not as F5
/// says.
FailureOr<GemmKNest> findGemmKNest(gpu::GPUFuncOp kernel);

/// Replaces the nest of a kernel whose schedule copies with one of `engines`,
/// and leaves other kernels alone. The kernel has a plan of its copies. `build`
/// creates the ring at the builder, which stands in front of the nest, and
/// returns what the nest computed.
LogicalResult replaceByRing(
    gpu::GPUFuncOp kernel, ArrayRef<CopyKind> engines,
    llvm::function_ref<FailureOr<Value>(OpBuilder &, GemmKNest &, ScheduleAttr)>
        build);

/// A ring of `slots` for a tile of this type.
Value createRing(OpBuilder &builder, Location loc, MemRefType tile,
                 int64_t slots);
/// A ring of `stages` slots for each tile that the nest fills.
llvm::DenseMap<Value, Value> createRings(OpBuilder &builder, GemmKNest &nest,
                                         int64_t stages);

/// The slots before and after `slot` in a ring.
Value getPreviousSlot(OpBuilder &builder, Location loc, Value slot,
                      int64_t stages);
Value getNextSlot(OpBuilder &builder, Location loc, Value slot, int64_t stages);

/// Rebuilds parts of the nest for one block and one slot.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, GemmKNest &nest,
               const llvm::DenseMap<Value, Value> &rings)
      : builder(builder), nest(nest), rings(rings) {}

  /// Calls `emit` for each copy of the nest, with the offsets that it has for
  /// the block and the part of the ring that it fills.
  using EmitCopy =
      llvm::function_ref<void(Im2colOp, ValueRange offsets, Value slot)>;
  void emitCopies(ValueRange digits, Value slot, EmitCopy emit);
  /// The offsets that a copy has for the block.
  SmallVector<Value> getOffsets(Im2colOp copy, ValueRange digits);
  /// The part of the ring of `tile` that is `slot`.
  Value getSlot(Location loc, Value tile, Value slot);
  /// An operand's tile that is in another slot of its ring.
  struct OtherSlot {
    Value tile, slot;
  };
  Value emitContraction(Value slot, Value acc, OtherSlot other = {});
  /// The same, where `operands` has vectors in the place of some operands.
  Value emitContraction(Value slot, Value acc, IRMapping operands,
                        OtherSlot other = {});
  /// The sums of rows with those of the block; `operands` as above.
  Value emitRowSum(Value slot, Value sums, IRMapping operands);
  /// Whether the sums of rows are those with the block; null: always.
  Value emitRowSumCondition(ValueRange digits);
  /// The digits of the next block. Past the last block the outermost one is
  /// past its loop's.
  SmallVector<Value> emitNext(ValueRange digits);

private:
  void mapInductionVariables(ValueRange digits, IRMapping &mapping);
  Value remap(Value value, IRMapping &mapping);

  OpBuilder &builder;
  GemmKNest &nest;
  const llvm::DenseMap<Value, Value> &rings;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_GEMMKNEST_H
