//===- TileContraction.cpp - contractions of tiles as mma.sync ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.contract` of two operand tiles in shared memory into an accumulator
// tile becomes, for each 32 bytes of gemm-k: `ldmatrix` of all the warp's A and
// B blocks, then one `mma.sync` for every pair. An operand may be stored with
// either dimension contiguous.
//
//===----------------------------------------------------------------------===//

#include "ContractionOperand.h"
#include "TileChunks.h"
#include "TileDistribution.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

/// Operands are f16 or bf16.
static constexpr int64_t kElementBytes = 2;

namespace {

/// One operand of a contraction.
struct OperandTile {
  Operand operand;
  Major major;
  Value memref;
  SharedTile tile;

  Type getElementType() const {
    return cast<MemRefType>(memref.getType()).getElementType();
  }
  int64_t getExtentK() const {
    return cast<MemRefType>(memref.getType())
        .getDimSize(major == Major::K ? 1 : 0);
  }
};

/// Loads the warp's blocks of one operand, one step of gemm-k at a time.
class OperandLoader {
public:
  OperandLoader(Location loc, const OperandTile &operand,
                TileDistribution &distribution);
  /// One fragment for each block along the operand's own dimension.
  SmallVector<Value> load(OpBuilder &builder, int64_t step);

private:
  Value loadMatrices(OpBuilder &builder, int64_t step, int64_t first,
                     int64_t numMatrices);

  Location loc;
  const OperandTile &operand;
  const FragmentLayout &layout;
  OpBuilder entryBuilder;
  FragmentLayout::OperandOrigin origin;
  Value flat; ///< The operand's tile as one row.
};

} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static FailureOr<OperandTile> getOperandTile(vector::ContractionOp op,
                                             Operand operand) {
  bool isA = operand == Operand::A;
  StringRef name = isA ? "left" : "right";
  FailureOr<ContractionOperand> found = getContractionOperand(op, isA);
  if (failed(found))
    return failure();
  MemRefType type = found->memref.getType();
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16())
    return op.emitOpError() << "mma.sync is available for f16 and bf16 "
                               "operands, not for "
                            << element;
  if (!SharedTile::isPossible(type.getDimSize(1), kElementBytes))
    return op.emitOpError()
           << "the " << name << " operand's rows must be a "
           << "multiple of " << convmlir::kChunkBytes << " bytes";
  return OperandTile{
      operand, found->isTransposed ? Major::MN : Major::K, found->memref,
      SharedTile(type.getDimSize(0), type.getDimSize(1), kElementBytes)};
}

/// What a lane adds to a position is known, and computed, at the start of the
/// kernel.
OperandLoader::OperandLoader(Location loc, const OperandTile &operand,
                             TileDistribution &distribution)
    : loc(loc), operand(operand), layout(distribution.layout),
      entryBuilder(loc.getContext()), flat(getFlatView(operand.memref)) {
  setInsertionPointAfter(entryBuilder, distribution.thread);
  IndexMath math(entryBuilder, loc);
  origin = layout.getOperandOrigin(math, distribution.thread, operand.operand,
                                   operand.major);
}

/// The 8x8 matrices whose first element along the operand's own dimension is
/// `first`. Rows that differ by a multiple of eight are permuted alike, so that
/// all blocks share the permuted column, and differ by a constant.
Value OperandLoader::loadMatrices(OpBuilder &builder, int64_t step,
                                  int64_t first, int64_t numMatrices) {
  int64_t stepK = FragmentLayout::kStepBytes / kElementBytes;
  bool isKMajor = operand.major == Major::K;
  int64_t row = isKMajor ? first : step * stepK;
  int64_t chunk = (isKMajor ? step * stepK : first) / FragmentLayout::kMatrix;
  IndexMath entryMath(entryBuilder, loc);
  Value element = entryMath.sharedElement(operand.tile, origin.row,
                                          entryMath.add(origin.chunk, chunk));
  IndexMath math(builder, loc);
  auto type = VectorType::get({numMatrices, 2}, operand.getElementType());
  return nvgpu::LdMatrixOp::create(
      builder, loc, type, flat,
      math.add(element, row * operand.tile.getColumns()),
      /*transpose=*/!isKMajor, numMatrices);
}

SmallVector<Value> OperandLoader::load(OpBuilder &builder, int64_t step) {
  SmallVector<Value> fragments;
  if (operand.operand == Operand::A) {
    for (int64_t i = 0; i < layout.getBlocksM(); ++i)
      fragments.push_back(
          loadMatrices(builder, step, i * FragmentLayout::kBlockM, 4));
    return fragments;
  }
  for (int64_t i = 0, blocks = layout.getBlocksN(); i < blocks; i += 2) {
    int64_t loaded = std::min<int64_t>(2, blocks - i);
    Value pair =
        loadMatrices(builder, step, i * FragmentLayout::kBlockN, 2 * loaded);
    for (int64_t block = 0; block < loaded; ++block)
      fragments.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, pair, /*offsets=*/{2 * block, 0}, /*sizes=*/{2, 2},
          /*strides=*/{1, 1}));
  }
  return fragments;
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

static LogicalResult verifyContract(vector::ContractionOp op,
                                    const OperandTile &a, const OperandTile &b,
                                    const TileDistribution &distribution) {
  if (op.getKind() != vector::CombiningKind::ADD)
    return op.emitOpError("must combine by addition");
  if (distribution.getKind(op.getResultType()) != TileKind::Block)
    return op.emitOpError() << "result must be the schedule's tile ("
                            << distribution.layout.getTileM() << "x"
                            << distribution.layout.getTileN() << "), but is "
                            << op.getResultType();
  if (!getElementTypeOrSelf(op.getResultType()).isF32())
    return op.emitOpError() << "must accumulate in f32, but has the result "
                            << op.getResultType();
  if (a.getElementType() != b.getElementType())
    return op.emitOpError()
           << "operands must be of one type, but are " << a.getElementType()
           << " and " << b.getElementType();
  if (a.getExtentK() * kElementBytes % FragmentLayout::kStepBytes != 0)
    return op.emitOpError() << "gemm-k of the tile must be a multiple of "
                            << FragmentLayout::kStepBytes / kElementBytes
                            << ", but is " << a.getExtentK();
  return success();
}

LogicalResult mlir::conv::distributeContract(vector::ContractionOp op,
                                             TileDistribution &distribution) {
  FailureOr<OperandTile> a = getOperandTile(op, Operand::A);
  if (failed(a))
    return failure();
  FailureOr<OperandTile> b = getOperandTile(op, Operand::B);
  if (failed(b) || failed(verifyContract(op, *a, *b, distribution)))
    return failure();

  const FragmentLayout &layout = distribution.layout;
  OpBuilder builder(op);
  OperandLoader loadA(op.getLoc(), *a, distribution);
  OperandLoader loadB(op.getLoc(), *b, distribution);
  SmallVector<Value> result(distribution.getFragments(op.getAcc()));
  int64_t stepK = FragmentLayout::kStepBytes / kElementBytes;
  int64_t shape[] = {FragmentLayout::kBlockM, FragmentLayout::kBlockN, stepK};
  for (int64_t step = 0; step < a->getExtentK() / stepK; ++step) {
    SmallVector<Value> rows = loadA.load(builder, step);
    SmallVector<Value> columns = loadB.load(builder, step);
    for (auto [m, row] : llvm::enumerate(rows))
      for (auto [n, column] : llvm::enumerate(columns)) {
        Value &block = result[layout.getBlock(m, n)];
        block = nvgpu::MmaSyncOp::create(builder, op.getLoc(), row, column,
                                         block, shape);
      }
  }
  distribution.setFragments(op.getResult(), result);
  return success();
}
