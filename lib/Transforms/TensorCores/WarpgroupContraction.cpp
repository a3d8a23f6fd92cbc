//===- WarpgroupContraction.cpp - contractions of tiles as wgmma ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.contract` of two operand tiles in shared memory becomes one
// `engine.warpgroup_mma` for each 64 rows of the warpgroup's part, in a group.
// Where one operand has the taps of a window, it becomes one
// `engine.window_mma` for each run of the warpgroup's taps. The group before is
// waited for, so that one is always on its way; what reads an accumulator waits
// for all. Of 8-bit floats each block is read, and added in f32.
//
//===----------------------------------------------------------------------===//

#include "ContractionOperand.h"
#include "TileDistribution.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// Accumulators of a tile of zeros.
static SmallVector<Value> makeZeros(OpBuilder &builder, Location loc,
                                    ArrayRef<int64_t> columns, Type element) {
  llvm::SmallDenseMap<int64_t, Value> zeros;
  return llvm::map_to_vector(columns, [&](int64_t number) {
    Value &zero = zeros[number];
    if (!zero)
      zero = ZeroAccumulatorOp::create(
          builder, loc,
          nvgpu::WarpgroupAccumulatorType::get(
              builder.getContext(),
              VectorType::get({kRowsOfWgmma, number}, element)));
    return zero;
  });
}

ArrayRef<Value> TileDistribution::getAccumulators(Value tile,
                                                  ArrayRef<int64_t> columns) {
  auto it = accumulators.find(tile);
  if (it != accumulators.end())
    return it->second;
  if (!isZeroTile(tile))
    return {};
  OpBuilder builder(tile.getDefiningOp());
  return accumulators[tile] = makeZeros(builder, tile.getLoc(), columns,
                                        getElementTypeOrSelf(tile));
}

/// Of products that are waited for.
static SmallVector<Value> readFragments(OpBuilder &builder, Location loc,
                                        ArrayRef<Value> accumulators) {
  NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 0);
  SmallVector<Value> fragments;
  for (Value accumulator : accumulators)
    llvm::append_range(
        fragments,
        ReadAccumulatorOp::create(builder, loc, accumulator)->getResults());
  return fragments;
}

void mlir::conv::readAccumulatorsIfUsed(OpBuilder &builder, Value tile,
                                        TileDistribution &distribution) {
  auto staysAccumulator = [](Operation *user) {
    return isa<vector::ContractionOp, scf::ForOp, scf::YieldOp>(user);
  };
  if (llvm::all_of(tile.getUsers(), staysAccumulator))
    return;
  distribution.setFragments(tile,
                            readFragments(builder, tile.getLoc(),
                                          distribution.getAccumulators(tile)));
}

//===----------------------------------------------------------------------===//
// Rows of A
//===----------------------------------------------------------------------===//

namespace {
/// Where blocks of 64 rows of A are: in a matrix, the first at row `first`,
/// each `pitch` rows behind the one before.
struct RowBlocks {
  Value matrix, first;
  int64_t pitch;
};
} // namespace

/// All positions of a window as the lines of a matrix.
static Value collapseToLines(OpBuilder &builder, Location loc, Value window) {
  int64_t rank = cast<MemRefType>(window.getType()).getRank();
  if (rank == 2)
    return window;
  ReassociationIndices positions =
      llvm::to_vector(llvm::seq<int64_t>(rank - 1));
  return memref::CollapseShapeOp::create(
      builder, loc, window,
      ArrayRef<ReassociationIndices>{positions, {rank - 1}});
}

/// Those of a part of a window, [(1,) rows, 64, channels] or [rows, channels]:
/// 64 columns are 64 lines of the window.
static FailureOr<RowBlocks> getRowsOfWindow(IndexMath &math,
                                            memref::SubViewOp part) {
  MemRefType window = part.getSourceType();
  ArrayRef<int64_t> extents = part.getType().getShape();
  int64_t rank = window.getRank(), column = rank - 2;
  bool hasRows = rank > 2 && extents[column] == kRowsOfWgmma &&
                 llvm::all_of(extents.drop_back(3),
                              [](int64_t extent) { return extent == 1; });
  if (rank > 2 && !hasRows)
    return part.emitOpError("of a window must have rows of 64 columns");
  Value first = math.constant(0);
  for (int64_t d = 0; d <= column; ++d)
    first = math.add(math.mul(first, window.getDimSize(d)),
                     math.toValue(part.getMixedOffsets()[d]));
  Value lines =
      collapseToLines(math.getBuilder(), math.getLoc(), part.getSource());
  return RowBlocks{lines, first,
                   hasRows ? window.getDimSize(column) : int64_t(kRowsOfWgmma)};
}

static FailureOr<RowBlocks> getRowBlocks(IndexMath &math,
                                         const ContractionOperand &a) {
  auto part = a.memref.getDefiningOp<memref::SubViewOp>();
  // A slot of a ring has a dimension less than the ring.
  if (part && part.getSourceType().getRank() == part.getType().getRank())
    return getRowsOfWindow(math, part);
  return RowBlocks{a.memref, math.constant(0), kRowsOfWgmma};
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

static SmallVector<Value> addFragments(OpBuilder &builder, Location loc,
                                       ArrayRef<Value> sums,
                                       ArrayRef<Value> addends) {
  SmallVector<Value> result;
  for (auto [sum, addend] : llvm::zip_equal(sums, addends))
    result.push_back(
        isa<FloatType>(getElementTypeOrSelf(sum))
            ? arith::AddFOp::create(builder, loc, sum, addend).getResult()
            : arith::AddIOp::create(builder, loc, sum, addend).getResult());
  return result;
}

/// Adds a tile to a sum that is complete.
static LogicalResult addToFragments(OpBuilder &builder,
                                    vector::ContractionOp op,
                                    ArrayRef<Value> addends,
                                    TileDistribution &distribution) {
  if (!distribution.isKnown(op.getResult()))
    return op.emitOpError("adds a tile that is not zero to a sum that a loop "
                          "carries");
  distribution.setFragments(
      op.getResult(),
      addFragments(builder, op.getLoc(),
                   distribution.getFragments(op.getResult()), addends));
  return success();
}

/// The group of products of a block, on accumulators.
static SmallVector<Value>
emitGroup(OpBuilder &builder, Location loc, ArrayRef<Value> before,
          llvm::function_ref<Value(OpBuilder &, int64_t, Value)> multiply) {
  SmallVector<Value> after;
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (auto [i, accumulator] : llvm::enumerate(before))
    after.push_back(multiply(builder, i, accumulator));
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return after;
}

/// Accumulators of 8-bit floats have 14 significant bits. They sum one block
/// only; the sums of blocks are f32.
static void
addBlock(OpBuilder &builder, vector::ContractionOp op,
         ArrayRef<int64_t> columns, TileDistribution &distribution,
         llvm::function_ref<Value(OpBuilder &, int64_t, Value)> multiply) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getResultType());
  SmallVector<Value> products = readFragments(
      builder, loc,
      emitGroup(builder, loc, makeZeros(builder, loc, columns, element),
                multiply));
  if (!isZeroTile(op.getAcc()))
    products = addFragments(builder, loc,
                            distribution.getFragments(op.getAcc()), products);
  distribution.setFragments(op.getResult(), products);
}

LogicalResult mlir::conv::distributeProducts(
    vector::ContractionOp op, ArrayRef<int64_t> columns,
    TileDistribution &distribution,
    llvm::function_ref<Value(OpBuilder &, int64_t, Value)> multiply) {
  if (isFloat8(getFactorType(op.getLhs()))) {
    if (op.getKind() != vector::CombiningKind::ADD)
      return op.emitOpError("must add its products");
    OpBuilder builder(op);
    addBlock(builder, op, columns, distribution, multiply);
    return success();
  }
  return distributeGroups(op, columns, distribution,
                          [&](OpBuilder &builder, ArrayRef<Value> before) {
                            return emitGroup(builder, op.getLoc(), before,
                                             multiply);
                          });
}

LogicalResult mlir::conv::distributeGroups(
    vector::ContractionOp op, ArrayRef<int64_t> columns,
    TileDistribution &distribution,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>)>
        multiply) {
  if (op.getKind() != vector::CombiningKind::ADD)
    return op.emitOpError("must add its products");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> before(distribution.getAccumulators(op.getAcc(), columns));
  // Canonicalisation makes the bias what the only block of gemm-k begins with.
  SmallVector<Value> addends;
  if (before.empty()) {
    addends.assign(distribution.getFragments(op.getAcc()));
    before = makeZeros(builder, loc, columns,
                       getElementTypeOrSelf(op.getResultType()));
  }
  SmallVector<Value> after = multiply(builder, before);
  NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 1);
  distribution.setCarried(op.getResult(), after, /*isAccumulator=*/true);
  readAccumulatorsIfUsed(builder, op.getResult(), distribution);
  return addends.empty() ? success()
                         : addToFragments(builder, op, addends, distribution);
}

LogicalResult
mlir::conv::distributeToWarpgroups(vector::ContractionOp op,
                                   TileDistribution &distribution) {
  FailureOr<ContractionOperand> a = getContractionOperand(op, /*isA=*/true);
  if (failed(a))
    return failure();
  FailureOr<ContractionOperand> b = getContractionOperand(op, /*isA=*/false);
  if (failed(b))
    return failure();
  const FragmentLayout &layout = distribution.layout;
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  FailureOr<RowBlocks> rows = getRowBlocks(math, *a);
  if (failed(rows))
    return failure();
  int64_t blocks = layout.getBlocksM() * distribution.getNumTaps();
  Value first = math.add(
      math.mul(distribution.getWarpgroupOfTile(math), blocks * rows->pitch),
      rows->first);
  SmallVector<int64_t> columns(blocks, layout.getTileN());
  return distributeProducts(
      op, columns, distribution,
      [&](OpBuilder &builder, int64_t i, Value accumulator) {
        IndexMath math(builder, op.getLoc());
        return WarpgroupMmaOp::create(builder, op.getLoc(), rows->matrix,
                                      math.add(first, i * rows->pitch),
                                      b->memref, accumulator, a->isTransposed,
                                      b->isTransposed);
      });
}
