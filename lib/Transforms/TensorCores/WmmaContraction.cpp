//===- WmmaContraction.cpp - contractions of tiles as wmma ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.contract` of two operand tiles in shared memory becomes, for each
// step of gemm-k, loads of all the warp's matrices of A and B, and one
// `gpu.subgroup_mma_compute` for every pair. Loops carry the sums as matrices.
//
// Nobody knows which thread holds which element of a matrix. What goes on with
// the sums gets them through shared memory, in the place of the operands, as
// the fragments that `mma.sync` has: epilogues and stores are those of it.
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"
#include "Support/TileChunks.h"
#include "TileDistribution.h"
#include "conv/Schedule/Shape/WmmaShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr StringLiteral kSums = "COp";

/// Matrices of a warp along gemm-m or gemm-n.
static int64_t countMatrices(const FragmentLayout &layout, Operand operand) {
  return operand == Operand::A ? layout.getBlocksM()
                               : layout.getBlocksN() * FragmentLayout::kBlockN /
                                     WmmaShape::kBlock;
}

static UnitAttr getFlag(OpBuilder &builder, bool isSet) {
  return isSet ? builder.getUnitAttr() : UnitAttr();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// Loads the warp's matrices of one operand, one step of gemm-k at a time.
class MatrixLoader {
public:
  MatrixLoader(Location loc, const OperandTile &operand, const WmmaShape &shape,
               TileDistribution &distribution);
  SmallVector<Value> load(OpBuilder &builder, int64_t k);
  /// Whether columns lie in memory as they come, and not rows: those of A have
  /// neighbours along gemm-m, those of B along gemm-k.
  bool isTransposed() const {
    return (operand.operand == Operand::A) == (operand.major == Major::MN);
  }

private:
  Value loadOne(OpBuilder &builder, int64_t mn, int64_t k);

  Location loc;
  const OperandTile &operand;
  gpu::MMAMatrixType type;
  int64_t count;
  Value first; ///< Row of A or column of B, at the kernel's start.
};
} // namespace

MatrixLoader::MatrixLoader(Location loc, const OperandTile &operand,
                           const WmmaShape &shape,
                           TileDistribution &distribution)
    : loc(loc), operand(operand),
      count(countMatrices(distribution.layout, operand.operand)) {
  bool isA = operand.operand == Operand::A;
  int64_t extents[] = {isA ? WmmaShape::kBlock : shape.stepK,
                       isA ? shape.stepK : WmmaShape::kBlock};
  type = gpu::MMAMatrixType::get(extents, shape.element, isA ? "AOp" : "BOp");
  OpBuilder entry(distribution.thread.getContext());
  setInsertionPointAfter(entry, distribution.thread);
  IndexMath math(entry, loc);
  first = distribution.layout.getWarpStart(math, distribution.thread,
                                           operand.operand);
}

Value MatrixLoader::loadOne(OpBuilder &builder, int64_t mn, int64_t k) {
  IndexMath math(builder, loc);
  Value own = math.add(first, mn), reduced = math.constant(k);
  bool isKMajor = operand.major == Major::K;
  return gpu::SubgroupMmaLoadMatrixOp::create(
      builder, loc, type, operand.memref,
      isKMajor ? ValueRange{own, reduced} : ValueRange{reduced, own},
      builder.getIndexAttr(operand.columns), getFlag(builder, isTransposed()));
}

SmallVector<Value> MatrixLoader::load(OpBuilder &builder, int64_t k) {
  SmallVector<Value> matrices;
  for (int64_t i = 0; i < count; ++i)
    matrices.push_back(loadOne(builder, i * WmmaShape::kBlock, k));
  return matrices;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A matrix of zeros for each block of the warp.
static SmallVector<Value> makeZeros(OpBuilder &builder, Location loc,
                                    const FragmentLayout &layout) {
  Type element = builder.getF32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value matrix = gpu::SubgroupMmaConstantMatrixOp::create(
      builder, loc,
      gpu::MMAMatrixType::get({WmmaShape::kBlock, WmmaShape::kBlock}, element,
                              kSums),
      zero);
  return SmallVector<Value>(countMatrices(layout, Operand::A) *
                                countMatrices(layout, Operand::B),
                            matrix);
}

ArrayRef<Value> TileDistribution::getMatrices(Value tile) {
  auto it = accumulators.find(tile);
  if (it != accumulators.end())
    return it->second;
  if (getKind(tile.getType()) != TileKind::Block || !isZeroTile(tile))
    return {};
  OpBuilder builder(tile.getDefiningOp());
  return accumulators[tile] = makeZeros(builder, tile.getLoc(), layout);
}

/// Each warp its part of the tile.
static void storeMatrices(OpBuilder &builder, Location loc, Value memref,
                          ArrayRef<Value> matrices,
                          TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  IndexMath math(builder, loc);
  Value row = layout.getWarpStart(math, distribution.thread, Operand::A);
  Value column = layout.getWarpStart(math, distribution.thread, Operand::B);
  int64_t perRow = countMatrices(layout, Operand::B);
  for (auto [number, matrix] : llvm::enumerate(matrices)) {
    int64_t i = number / perRow, j = number % perRow;
    gpu::SubgroupMmaStoreMatrixOp::create(
        builder, loc, matrix, memref,
        ValueRange{math.add(row, i * WmmaShape::kBlock),
                   math.add(column, j * WmmaShape::kBlock)},
        builder.getIndexAttr(layout.getTileN()), /*transpose=*/UnitAttr());
  }
}

void mlir::conv::readMatricesIfUsed(OpBuilder &builder, Value tile,
                                    TileDistribution &distribution) {
  auto staysMatrix = [](Operation *user) {
    return isa<vector::ContractionOp, scf::ForOp, scf::YieldOp>(user);
  };
  if (llvm::all_of(tile.getUsers(), staysMatrix))
    return;
  Location loc = tile.getLoc();
  releaseOperandMemory(builder, loc);
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  const FragmentLayout &layout = distribution.layout;
  Value memref = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({layout.getTileM(), layout.getTileN()},
                      builder.getF32Type(), MemRefLayoutAttrInterface(),
                      space));
  storeMatrices(builder, loc, memref, distribution.getMatrices(tile),
                distribution);
  distribution.emitBarrier(builder, loc);
  distribution.setFragments(tile,
                            loadSharedTile(builder, loc, memref, distribution));
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

/// Canonicalisation makes the bias what the only block of gemm-k begins with.
static LogicalResult addToResult(OpBuilder &builder, vector::ContractionOp op,
                                 ArrayRef<Value> addends,
                                 TileDistribution &distribution) {
  if (!distribution.isKnown(op.getResult()))
    return op.emitOpError("adds a tile that is not zero to a sum that a loop "
                          "carries");
  SmallVector<Value> sums;
  for (auto [sum, addend] :
       llvm::zip_equal(distribution.getFragments(op.getResult()), addends))
    sums.push_back(arith::AddFOp::create(builder, op.getLoc(), sum, addend));
  distribution.setFragments(op.getResult(), sums);
  return success();
}

/// The products of all steps of gemm-k, added to `sums`.
static void multiply(OpBuilder &builder, vector::ContractionOp op,
                     const OperandTile &a, const OperandTile &b,
                     const WmmaShape &shape, TileDistribution &distribution,
                     MutableArrayRef<Value> sums) {
  Location loc = op.getLoc();
  MatrixLoader loadA(loc, a, shape, distribution);
  MatrixLoader loadB(loc, b, shape, distribution);
  for (int64_t k = 0; k < a.getExtentK(); k += shape.stepK) {
    SmallVector<Value> rows = loadA.load(builder, k);
    SmallVector<Value> columns = loadB.load(builder, k);
    size_t number = 0;
    for (Value row : rows)
      for (Value column : columns) {
        Value &sum = sums[number++];
        sum = gpu::SubgroupMmaComputeOp::create(
            builder, loc, sum.getType(), row, column, sum,
            getFlag(builder, loadA.isTransposed()),
            getFlag(builder, loadB.isTransposed()));
      }
  }
}

LogicalResult mlir::conv::distributeWmma(vector::ContractionOp op,
                                         TileDistribution &distribution) {
  FailureOr<std::pair<OperandTile, OperandTile>> operands =
      getOperandTiles(op, /*hasProducer=*/false);
  if (failed(operands))
    return failure();
  const auto &[a, b] = *operands;
  std::optional<WmmaShape> shape = WmmaShape::lookup(a.factor);
  if (!shape)
    return op.emitOpError(whyNoWmma(a.factor));
  OpBuilder builder(op);
  if (failed(verifyContract(op, a, b, distribution, builder.getF32Type(),
                            shape->stepK)))
    return failure();

  SmallVector<Value> sums(distribution.getMatrices(op.getAcc()));
  SmallVector<Value> addends;
  if (sums.empty()) {
    addends.assign(distribution.getFragments(op.getAcc()));
    sums = makeZeros(builder, op.getLoc(), distribution.layout);
  }
  multiply(builder, op, a, b, *shape, distribution, sums);
  distribution.setCarried(op.getResult(), sums, /*isAccumulator=*/true);
  readMatricesIfUsed(builder, op.getResult(), distribution);
  return addends.empty() ? success()
                         : addToResult(builder, op, addends, distribution);
}
