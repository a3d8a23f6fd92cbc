//===- TileContraction.cpp - contractions of tiles as mma.sync ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.contract` of two operand tiles in shared memory into an accumulator
// tile becomes, for each 32 bytes of gemm-k: loads of all the warp's A and B
// blocks, then one `mma.sync` for every pair. An operand may be stored with
// either dimension contiguous. `ldmatrix` loads what it can bring into the form
// of the instruction (MmaShape.h); the rest is loaded element by element.
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"
#include "Support/RoundToTf32.h"
#include "Support/TileChunks.h"
#include "TileDistribution.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {

/// Loads the warp's blocks of one operand, one step of gemm-k at a time.
class OperandLoader {
public:
  /// `hasFreeOrder`: both operands are loaded by elements.
  OperandLoader(Location loc, const OperandTile &operand, const MmaShape &shape,
                TileDistribution &distribution, bool hasFreeOrder);
  /// One fragment for each block along the operand's own dimension.
  SmallVector<Value> load(OpBuilder &builder, int64_t step);

private:
  SmallVector<Value> loadByLdMatrix(OpBuilder &builder, int64_t step);
  Value loadMatrices(OpBuilder &builder, int64_t step, int64_t first,
                     int64_t numMatrices);
  SmallVector<Value> loadByElements(OpBuilder &builder, int64_t step);
  int64_t getK(int64_t number) const;
  Value loadElement(OpBuilder &builder, int64_t mn, int64_t k);
  Value round(OpBuilder &builder, Value fragment);

  Location loc;
  const OperandTile &operand;
  MmaShape shape;
  const FragmentLayout &layout;
  OpBuilder entryBuilder;
  FragmentLayout::OperandOrigin matrices; ///< What `ldmatrix` reads.
  FragmentLayout::Lane lane;              ///< What this thread holds.
  bool isRounded;
  int64_t laneDistance; ///< Between two lanes along gemm-k.
  bool hasFreeOrder;
  Value laneK;
  OperandPositions positions;
  VectorType fragmentType;
  Value flat; ///< The operand's tile as one row.
};

} // namespace

/// Where both operands are loaded by elements, the lanes may share out the
/// positions of gemm-k in any order, as long as it is one for both. Four lanes
/// read as many rows of a tile at the same columns, which meet no bank twice
/// where the rows' permutations differ by the chunks of these columns.
static int64_t getFreeLaneDistance(const MmaShape &shape) {
  int64_t chunks =
      FragmentLayout::kBlockN * shape.elementBytes / convmlir::kChunkBytes;
  return std::clamp<int64_t>(chunks, 1,
                             shape.getHeldWords() * shape.getWordElements());
}

static OpBuilder getEntryBuilder(Value thread) {
  OpBuilder builder(thread.getContext());
  setInsertionPointAfter(builder, thread);
  return builder;
}

/// What a lane adds to a position is known, and computed, at the start of the
/// kernel.
OperandLoader::OperandLoader(Location loc, const OperandTile &operand,
                             const MmaShape &shape,
                             TileDistribution &distribution, bool hasFreeOrder)
    : loc(loc), operand(operand), shape(shape), layout(distribution.layout),
      entryBuilder(getEntryBuilder(distribution.thread)),
      isRounded(hasProducer(distribution.schedule)),
      laneDistance(hasFreeOrder ? getFreeLaneDistance(shape)
                                : shape.getWordElements()),
      hasFreeOrder(hasFreeOrder), positions(loc, operand, entryBuilder),
      fragmentType(shape.getFragmentType(operand.operand)),
      flat(getFlatView(operand.memref)) {
  IndexMath math(entryBuilder, loc);
  if (shape.hasLdMatrix(operand.major)) {
    matrices = layout.getOperandOrigin(math, distribution.thread,
                                       operand.operand, operand.major);
    return;
  }
  lane = layout.getLane(math, distribution.thread, operand.operand);
  laneK = math.mul(lane.k, laneDistance);
}

/// The 8x8 matrices of 16-byte rows whose first element along the operand's own
/// dimension is `first`. Rows that differ by a multiple of eight are permuted
/// alike, so that all blocks share the permuted column, and differ by a
/// constant.
Value OperandLoader::loadMatrices(OpBuilder &builder, int64_t step,
                                  int64_t first, int64_t numMatrices) {
  int64_t perChunk = operand.tile.getElementsPerChunk();
  bool isKMajor = operand.major == Major::K;
  int64_t k = step * shape.getStepK();
  int64_t row = isKMajor ? first : k, chunk = (isKMajor ? k : first) / perChunk;
  IndexMath entryMath(entryBuilder, loc);
  Value element = entryMath.sharedElement(operand.tile, matrices.row,
                                          entryMath.add(matrices.chunk, chunk));
  IndexMath math(builder, loc);
  auto type = VectorType::get({numMatrices, shape.getWordElements()},
                              fragmentType.getElementType());
  return nvgpu::LdMatrixOp::create(
      builder, loc, type, flat,
      math.add(element, row * operand.tile.getColumns()),
      /*transpose=*/!isKMajor, numMatrices);
}

SmallVector<Value> OperandLoader::loadByLdMatrix(OpBuilder &builder,
                                                 int64_t step) {
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
          builder, loc, pair, /*offsets=*/{2 * block, 0},
          /*sizes=*/{2, shape.getWordElements()}, /*strides=*/{1, 1}));
  }
  return fragments;
}

/// Of an element that a lane holds, by its number: the distance from the lane's
/// first.
int64_t OperandLoader::getK(int64_t number) const {
  int64_t together = hasFreeOrder ? laneDistance : shape.getWordElements();
  return number % together + number / together * 4 * together;
}

Value OperandLoader::loadElement(OpBuilder &builder, int64_t mn, int64_t k) {
  Value index = positions.get(builder, lane.row, mn, laneK, k);
  return memref::LoadOp::create(builder, loc, flat, index);
}

SmallVector<Value> OperandLoader::loadByElements(OpBuilder &builder,
                                                 int64_t step) {
  bool isA = operand.operand == Operand::A;
  int64_t block = isA ? FragmentLayout::kBlockM : FragmentLayout::kBlockN;
  int64_t blocks = isA ? layout.getBlocksM() : layout.getBlocksN();
  SmallVector<Value> fragments;
  for (int64_t b = 0; b < blocks; ++b) {
    SmallVector<Value> elements;
    for (int64_t word = 0; word < shape.getHeldWords(); ++word)
      for (int64_t i = 0; i < shape.getHeldRows(operand.operand); ++i)
        for (int64_t e = 0; e < shape.getWordElements(); ++e)
          elements.push_back(
              loadElement(builder, b * block + i * FragmentLayout::kHeldStepM,
                          step * shape.getStepK() +
                              getK(word * shape.getWordElements() + e)));
    fragments.push_back(
        vector::FromElementsOp::create(builder, loc, fragmentType, elements));
  }
  return fragments;
}

/// Tensor cores would cut off what tf32 does not have. TMA has rounded already.
Value OperandLoader::round(OpBuilder &builder, Value fragment) {
  if (!isa<FloatTF32Type>(shape.factor) || isRounded)
    return fragment;
  return roundToTf32(builder, loc, fragment);
}

SmallVector<Value> OperandLoader::load(OpBuilder &builder, int64_t step) {
  SmallVector<Value> fragments = shape.hasLdMatrix(operand.major)
                                     ? loadByLdMatrix(builder, step)
                                     : loadByElements(builder, step);
  for (Value &fragment : fragments)
    fragment = round(builder, fragment);
  return fragments;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// One block's accumulator after instructions of eight rows each: A's fragment
/// has a row of registers for each.
static Value multiplyRows(OpBuilder &builder, Location loc,
                          const MmaShape &shape, Value a, Value b,
                          Value block) {
  int64_t mmaShape[] = {shape.rows, FragmentLayout::kBlockN, shape.getStepK()};
  [[maybe_unused]] auto rowType =
      VectorType::get({1, FragmentLayout::kHeldN}, shape.sum);
  for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
    auto slice = [&](Value from, int64_t columns) -> Value {
      return vector::ExtractStridedSliceOp::create(
          builder, loc, from, /*offsets=*/{i, 0}, /*sizes=*/{1, columns},
          /*strides=*/{1, 1});
    };
    Value sums = nvgpu::MmaSyncOp::create(
        builder, loc, slice(a, shape.getWordElements()), b,
        slice(block, FragmentLayout::kHeldN), mmaShape);
    assert(sums.getType() == rowType && "an instruction has eight rows");
    block = vector::InsertStridedSliceOp::create(
        builder, loc, sums, block, /*offsets=*/{i, 0}, /*strides=*/{1, 1});
  }
  return block;
}

/// The registers of a fragment of 8-bit elements.
static void appendWords(OpBuilder &builder, Location loc, Value fragment,
                        SmallVector<Value> &words) {
  auto type = cast<VectorType>(fragment.getType());
  auto wordType = VectorType::get(1, builder.getI32Type());
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value row = vector::ExtractOp::create(builder, loc, fragment, i);
    Value word = vector::BitCastOp::create(builder, loc, wordType, row);
    words.push_back(vector::ExtractOp::create(builder, loc, word, int64_t(0)));
  }
}

/// MLIR has no operation for 8-bit floats; LLVM has an intrinsic. Its products
/// are added to the sums outside: for sm_90 ptxas makes it of instructions for
/// f16 and additions, and adds what it has overwritten before where one
/// register holds several addends and is a result, too (docs/Upstream.md).
static Value multiplyFloat8(OpBuilder &builder, Location loc,
                            const MmaShape &shape, Value a, Value b,
                            Value block) {
  auto nameOf = [](Value fragment) {
    return getTypeName(getElementTypeOrSelf(fragment));
  };
  SmallVector<Value> operands;
  appendWords(builder, loc, a, operands);
  appendWords(builder, loc, b, operands);
  auto blockType = cast<VectorType>(block.getType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(shape.sum));
  operands.append(blockType.getNumElements(), zero);
  std::string name = "llvm.nvvm.mma.m16n8k32.row.col.f32." + nameOf(a) + "." +
                     nameOf(b) + ".f32";
  SmallVector<Type> sums(blockType.getNumElements(), shape.sum);
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(), sums),
      builder.getStringAttr(name), operands);
  SmallVector<Value> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(
        builder, loc, call->getResult(0), int64_t(i)));
  Value products =
      vector::FromElementsOp::create(builder, loc, blockType, results);
  return arith::AddFOp::create(builder, loc, block, products);
}

static Value multiply(OpBuilder &builder, Location loc, const MmaShape &shape,
                      Value a, Value b, Value block) {
  if (shape.rows != FragmentLayout::kBlockM)
    return multiplyRows(builder, loc, shape, a, b, block);
  if (isFloat8(shape.factor))
    return multiplyFloat8(builder, loc, shape, a, b, block);
  int64_t mmaShape[] = {shape.rows, FragmentLayout::kBlockN, shape.getStepK()};
  return nvgpu::MmaSyncOp::create(builder, loc, a, b, block, mmaShape,
                                  isa<FloatTF32Type>(shape.factor));
}

LogicalResult mlir::conv::distributeContract(vector::ContractionOp op,
                                             TileDistribution &distribution) {
  bool hasTma = hasProducer(distribution.schedule);
  FailureOr<std::pair<OperandTile, OperandTile>> operands =
      getOperandTiles(op, hasTma);
  if (failed(operands))
    return failure();
  const auto &[a, b] = *operands;
  std::optional<MmaShape> shape = MmaShape::lookup(a.factor);
  if (!shape)
    return op.emitOpError() << "mma.sync is available for f16, bf16, tf32, "
                               "f64, i8, e4m3 and e5m2 operands, not for "
                            << a.factor;
  if (failed(verifyContract(op, a, b, distribution, shape->sum,
                            shape->getStepK())))
    return failure();

  bool hasFreeOrder =
      !shape->hasLdMatrix(a.major) && !shape->hasLdMatrix(b.major);
  for (const OperandTile &operand : {a, b})
    if (shape->hasLdMatrix(operand.major) && operand.hasPanels())
      return op.emitOpError("reads panels by ldmatrix, which has no form yet");
  const FragmentLayout &layout = distribution.layout;
  OpBuilder builder(op);
  OperandLoader loadA(op.getLoc(), a, *shape, distribution, hasFreeOrder);
  // Both shapes are alike but for the type of the elements.
  OperandLoader loadB(op.getLoc(), b, *MmaShape::lookup(b.factor), distribution,
                      hasFreeOrder);
  SmallVector<Value> result(distribution.getFragments(op.getAcc()));
  for (int64_t step = 0; step < a.getExtentK() / shape->getStepK(); ++step) {
    SmallVector<Value> rows = loadA.load(builder, step);
    SmallVector<Value> columns = loadB.load(builder, step);
    for (auto [m, row] : llvm::enumerate(rows))
      for (auto [n, column] : llvm::enumerate(columns)) {
        Value &block = result[layout.getBlock(m, n)];
        block = multiply(builder, op.getLoc(), *shape, row, column, block);
      }
  }
  distribution.setFragments(op.getResult(), result);
  return success();
}
