//===- LowerPlainKernels.cpp - F5 to F7 without tensor cores --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  a gpu.func with `conv.plain`: transfers between buffers and vectors
// of
//         at most two dimensions, conv.im2col into and conv.scatter of vectors,
//         sums over lanes.
// Output: loads and stores whose alignment is said, in scf.if where a view can
//         leave its tensor, and shuffles.
//
// Buffers begin at multiples of 16 bytes (docs/forms/mma-sync.md); what of that
// is left at an index follows from the extents and from what divides the index.
//
//===----------------------------------------------------------------------===//

#include "ChannelScatters.h"
#include "DepthwiseLoops.h"
#include "DistantReads.h"
#include "LaneSums.h"
#include "PlainKernels.h"
#include "Support/KnownDivisor.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/PlainKernels/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <numeric>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERPLAINKERNELS
#include "conv/Transforms/PlainKernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The bytes that are known to divide the address of an element whose index is
/// a multiple of `divisor` elements.
static llvm::Align getAlignment(Type element, int64_t divisor) {
  int64_t bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  constexpr int64_t limit = kPlainAccessBytes;
  int64_t known = divisor == 0 ? limit : divisor & -divisor;
  return llvm::Align(std::min(limit, std::min(known, limit) * bytes));
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// What divides the linear index of an access; zero for the first element.
static int64_t getIndexDivisor(MemRefType type, ValueRange indices) {
  int64_t divisor = 0;
  auto [strides, offset] = type.getStridesAndOffset();
  for (auto [stride, index] : llvm::zip_equal(strides, indices)) {
    int64_t factor = getKnownDivisor(OpFoldResult(index));
    divisor = std::gcd(divisor, stride == 1 ? factor : stride);
  }
  return divisor;
}

/// Parts of `count` neighbours, each a power of two up to that which divides
/// the first one's index, that are aligned: where each begins, and its width.
static SmallVector<std::pair<int64_t, int64_t>> getPieces(int64_t count,
                                                          int64_t divisor) {
  int64_t widest = divisor == 0 ? count : divisor & -divisor;
  if (count <= widest)
    return {{0, count}};
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  for (int64_t first = 0; first < count; first += pieces.back().second)
    pieces.push_back({first, getAlignedWidth(first, count, widest)});
  return pieces;
}

namespace {

/// One transfer of a vector of at most two dimensions. One of two that are
/// written must lie along a contiguous dimension of the buffer, if it has more
/// than one element; the other is one access each.
class TransferLowering {
public:
  explicit TransferLowering(VectorTransferOpInterface op)
      : op(op), builder(op), loc(op.getLoc()), type(op.getVectorType()),
        buffer(cast<MemRefType>(op.getShapedType())) {}

  LogicalResult lower();

private:
  LogicalResult verify();
  /// The dimension of the buffer along which a dimension of the vector lies:
  /// none where all its elements are the same one.
  std::optional<unsigned> getDimension(unsigned vectorDim = 0);
  /// The indices of element `i` of the vector.
  SmallVector<Value> getIndices(std::optional<unsigned> dimension, int64_t i);
  void lowerRead(vector::TransferReadOp read);
  void lowerWrite(vector::TransferWriteOp write);
  Value loadRow(VectorType rowType, ValueRange indices,
                std::optional<unsigned> dimension);
  void storeRow(Value row, ValueRange indices,
                std::optional<unsigned> dimension);
  SmallVector<Value> moveAlong(ValueRange indices,
                               std::optional<unsigned> dimension, int64_t i);
  LogicalResult lowerBlock();
  LogicalResult broadcastBlock(std::optional<unsigned> ofRows,
                               std::optional<unsigned> ofColumns);
  Value readRow(VectorType rowType, ValueRange indices, unsigned dimension);
  Value readBlock(unsigned along, Value block);
  void writeBlock(unsigned along, Value block);
  Value transposeRows(ArrayRef<Value> rows);
  llvm::Align getAlignmentAt(ValueRange indices);
  bool isContiguous(std::optional<unsigned> dimension);

  VectorTransferOpInterface op;
  OpBuilder builder;
  Location loc;
  VectorType type;
  MemRefType buffer;
};

} // namespace

/// A thread holds a tile in its registers.
static LogicalResult verifyRegisters(Operation *op, ShapedType tile) {
  constexpr int64_t registerBytes = convmlir::kMostThreadRegisters * 4;
  Type element = tile.getElementType();
  if (!element.isIntOrFloat() ||
      tile.getNumElements() <=
          registerBytes * 8 / element.getIntOrFloatBitWidth())
    return success();
  return op->emitOpError("cannot be part of a plain kernel: the registers of a "
                         "thread hold ")
         << registerBytes << " bytes, not " << tile;
}

LogicalResult TransferLowering::verify() {
  if (failed(verifyRegisters(op, type)))
    return failure();
  if (type.getRank() > 2 || op.hasOutOfBoundsDim() || op.getMask())
    return op->emitOpError("cannot be part of a plain kernel: expected a whole "
                           "vector of one or two dimensions");
  auto [strides, offset] = buffer.getStridesAndOffset();
  if (!buffer.hasStaticShape() || offset != 0 ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return op->emitError(
               "a part of a tensor, as of tensor.extract_slice, is no "
               "operand of a kernel: expected a whole one, not ")
           << buffer;
  return success();
}

std::optional<unsigned> TransferLowering::getDimension(unsigned vectorDim) {
  if (type.getRank() == 0)
    return std::nullopt;
  auto dim =
      dyn_cast<AffineDimExpr>(op.getPermutationMap().getResult(vectorDim));
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

bool TransferLowering::isContiguous(std::optional<unsigned> dimension) {
  auto [strides, offset] = buffer.getStridesAndOffset();
  return type.getRank() == 0 || (dimension && strides[*dimension] == 1);
}

SmallVector<Value>
TransferLowering::moveAlong(ValueRange from, std::optional<unsigned> dimension,
                            int64_t i) {
  SmallVector<Value> indices(from);
  if (dimension && i > 0)
    indices[*dimension] = IndexMath(builder, loc).add(indices[*dimension], i);
  return indices;
}

SmallVector<Value>
TransferLowering::getIndices(std::optional<unsigned> dimension, int64_t i) {
  return moveAlong(op.getIndices(), dimension, i);
}

/// Neighbours in memory, in accesses that are aligned.
Value TransferLowering::loadRow(VectorType rowType, ValueRange indices,
                                std::optional<unsigned> dimension) {
  auto load = [&](VectorType type, ValueRange at) {
    return vector::LoadOp::create(builder, loc, type, op.getBase(), at,
                                  /*nontemporal=*/false, getAlignmentAt(at));
  };
  auto pieces =
      getPieces(rowType.getNumElements(), getIndexDivisor(buffer, indices));
  if (pieces.size() == 1)
    return load(rowType, indices);
  Value row =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(rowType));
  for (auto [first, width] : pieces) {
    auto type = VectorType::get(width, rowType.getElementType());
    Value piece = load(type, moveAlong(indices, dimension, first));
    row = vector::InsertStridedSliceOp::create(
        builder, loc, piece, row, /*offsets=*/ArrayRef<int64_t>{first},
        /*strides=*/ArrayRef<int64_t>{1});
  }
  return row;
}

void TransferLowering::storeRow(Value row, ValueRange indices,
                                std::optional<unsigned> dimension) {
  auto store = [&](Value value, ValueRange at) {
    vector::StoreOp::create(builder, loc, value, op.getBase(), at,
                            /*nontemporal=*/false, getAlignmentAt(at));
  };
  auto pieces = getPieces(cast<VectorType>(row.getType()).getNumElements(),
                          getIndexDivisor(buffer, indices));
  if (pieces.size() == 1)
    return store(row, indices);
  for (auto [first, width] : pieces)
    store(vector::ExtractStridedSliceOp::create(
              builder, loc, row, /*offsets=*/ArrayRef<int64_t>{first},
              /*sizes=*/ArrayRef<int64_t>{width},
              /*strides=*/ArrayRef<int64_t>{1}),
          moveAlong(indices, dimension, first));
}

void TransferLowering::lowerRead(vector::TransferReadOp read) {
  std::optional<unsigned> dimension = getDimension();
  Value result;
  if (isContiguous(dimension)) {
    result = loadRow(type, op.getIndices(), dimension);
  } else if (!dimension) {
    Value element = memref::LoadOp::create(builder, loc, read.getBase(),
                                           ValueRange(op.getIndices()));
    result = vector::BroadcastOp::create(builder, loc, type, element);
  } else {
    result = readGroups(builder, loc, type, read.getBase(), op.getIndices(),
                        *dimension);
  }
  if (!result) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(memref::LoadOp::create(builder, loc, read.getBase(),
                                                getIndices(dimension, i)));
    result = vector::FromElementsOp::create(builder, loc, type, elements);
  }
  read.replaceAllUsesWith(result);
}

void TransferLowering::lowerWrite(vector::TransferWriteOp write) {
  std::optional<unsigned> dimension = getDimension();
  if (isContiguous(dimension))
    return storeRow(write.getVector(), op.getIndices(), dimension);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element =
        vector::ExtractOp::create(builder, loc, write.getVector(), i);
    memref::StoreOp::create(builder, loc, element, write.getBase(),
                            getIndices(dimension, i));
  }
}

llvm::Align TransferLowering::getAlignmentAt(ValueRange indices) {
  return getAlignment(type.getElementType(), getIndexDivisor(buffer, indices));
}

/// Vectors that are the columns of the block, as its rows.
Value TransferLowering::transposeRows(ArrayRef<Value> rows) {
  Value block =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto rowType = VectorType::get(type.getDimSize(1), type.getElementType());
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    SmallVector<Value> elements;
    for (Value row : rows)
      elements.push_back(vector::ExtractOp::create(builder, loc, row, i));
    Value row = vector::FromElementsOp::create(builder, loc, rowType, elements);
    block = vector::InsertOp::create(builder, loc, row, block, i);
  }
  return block;
}

/// A row of a block along a dimension of the buffer, whose elements may be at a
/// distance.
Value TransferLowering::readRow(VectorType rowType, ValueRange indices,
                                unsigned dimension) {
  Value base = op.getBase();
  if (isContiguous(dimension))
    return loadRow(rowType, indices, dimension);
  if (Value row = readGroups(builder, loc, rowType, base, indices, dimension))
    return row;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < rowType.getNumElements(); ++i) {
    SmallVector<Value> element(indices);
    element[dimension] = IndexMath(builder, loc).add(element[dimension], i);
    elements.push_back(memref::LoadOp::create(builder, loc, base, element));
  }
  return vector::FromElementsOp::create(builder, loc, rowType, elements);
}

/// One load for each index of the dimension that is not `along`.
Value TransferLowering::readBlock(unsigned along, Value block) {
  unsigned across = 1 - along;
  auto rowType = VectorType::get(type.getDimSize(along), type.getElementType());
  SmallVector<Value> rows;
  for (int64_t i = 0; i < type.getDimSize(across); ++i) {
    SmallVector<Value> indices = getIndices(getDimension(across), i);
    rows.push_back(readRow(rowType, indices, *getDimension(along)));
  }
  if (along == 0)
    return transposeRows(rows);
  for (auto [i, row] : llvm::enumerate(rows))
    block = vector::InsertOp::create(builder, loc, row, block, i);
  return block;
}

/// One store for each index of the dimension that is not `along`.
void TransferLowering::writeBlock(unsigned along, Value block) {
  unsigned across = 1 - along;
  auto rowType = VectorType::get(type.getDimSize(along), type.getElementType());
  for (int64_t i = 0; i < type.getDimSize(across); ++i) {
    SmallVector<Value> indices = getIndices(getDimension(across), i);
    if (type.getDimSize(along) == 1) {
      SmallVector<int64_t, 2> element = {0, 0};
      element[across] = i;
      memref::StoreOp::create(
          builder, loc, vector::ExtractOp::create(builder, loc, block, element),
          op.getBase(), indices);
      continue;
    }
    Value row;
    if (along == 1) {
      row = vector::ExtractOp::create(builder, loc, block, i);
    } else {
      SmallVector<Value> elements;
      for (int64_t j = 0; j < type.getDimSize(along); ++j)
        elements.push_back(vector::ExtractOp::create(builder, loc, block,
                                                     ArrayRef<int64_t>{j, i}));
      row = vector::FromElementsOp::create(builder, loc, rowType, elements);
    }
    storeRow(row, indices, getDimension(along));
  }
}

/// A block whose rows, or whose columns, are all the same.
LogicalResult
TransferLowering::broadcastBlock(std::optional<unsigned> ofRows,
                                 std::optional<unsigned> ofColumns) {
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  if (!read)
    return op->emitOpError("cannot be part of a plain kernel: it writes one "
                           "element several times");
  auto readLine = [&](int64_t dim, unsigned dimension) {
    auto lineType =
        VectorType::get(type.getDimSize(dim), type.getElementType());
    return readRow(lineType, op.getIndices(), dimension);
  };
  Value block;
  if (ofRows)
    block = transposeRows(
        SmallVector<Value>(type.getDimSize(1), readLine(0, *ofRows)));
  else
    block = vector::BroadcastOp::create(
        builder, loc, type,
        ofColumns ? readLine(1, *ofColumns)
                  : memref::LoadOp::create(builder, loc, read.getBase(),
                                           ValueRange(op.getIndices())));
  read.replaceAllUsesWith(block);
  op->erase();
  return success();
}

LogicalResult TransferLowering::lowerBlock() {
  auto [strides, offset] = buffer.getStridesAndOffset();
  std::optional<unsigned> dims[] = {getDimension(0), getDimension(1)};
  if (!dims[0] || !dims[1])
    return broadcastBlock(dims[0], dims[1]);
  // Of one element, either way is one.
  unsigned along = strides[*dims[1]] <= strides[*dims[0]] ? 1 : 0;
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  if (!read && strides[*dims[along]] != 1 && type.getDimSize(along) > 1)
    return op->emitOpError("cannot be part of a plain kernel: none of its two "
                           "dimensions is contiguous");
  if (read) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    read.replaceAllUsesWith(readBlock(along, zero));
  } else {
    writeBlock(along,
               cast<vector::TransferWriteOp>(op.getOperation()).getVector());
  }
  op->erase();
  return success();
}

LogicalResult TransferLowering::lower() {
  if (failed(verify()))
    return failure();
  if (type.getRank() == 2)
    return lowerBlock();
  if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation()))
    lowerRead(read);
  else
    lowerWrite(cast<vector::TransferWriteOp>(op.getOperation()));
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Runs `body` where the condition holds; null is always. Its value, or
/// `otherwise` where it does not hold, is the result (null if there is none).
static Value guarded(OpBuilder &builder, Location loc, Value condition,
                     Value otherwise, function_ref<Value()> body) {
  if (!condition)
    return body();
  OpBuilder::InsertionGuard guard(builder);
  TypeRange types = otherwise ? TypeRange(otherwise.getType()) : TypeRange();
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/bool(otherwise));
  builder.setInsertionPointToStart(branch.thenBlock());
  Value value = body();
  scf::YieldOp::create(builder, loc, value ? ValueRange(value) : ValueRange());
  if (!otherwise)
    return Value();
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise);
  return branch.getResult(0);
}

namespace {

/// The access of one thread to a row of a matrix: neighbouring channels.
class RowAccess {
public:
  RowAccess(Operation *op, const ViewTile &tile, ShapedType tensor,
            Value buffer, int64_t columns)
      : builder(op), math(builder, op->getLoc()), columns(columns),
        element(tensor.getElementType()),
        addressing(tile, tensor.getShape(), /*tileRows=*/1, columns),
        buffer(getFlatView(buffer)) {
    auto row = addressing.getRow(math, math.constant(0));
    auto origin = addressing.getOrigin(math);
    inside = addressing.isInside(math, row, origin);
    position = math.add(row.element, origin.increment);
  }

  Value read() {
    Location loc = math.getLoc();
    auto type = VectorType::get(columns, element);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return guarded(builder, loc, inside, zero, [&]() -> Value {
      return vector::LoadOp::create(builder, loc, type, buffer, position,
                                    /*nontemporal=*/false, alignment());
    });
  }

  void write(Value vector) {
    Location loc = math.getLoc();
    guarded(builder, loc, inside, Value(), [&] {
      vector::StoreOp::create(builder, loc, vector, buffer, position,
                              /*nontemporal=*/false, alignment());
      return Value();
    });
  }

private:
  llvm::Align alignment() {
    return getAlignment(element, addressing.getAlignment(kPlainAccessBytes));
  }

  OpBuilder builder;
  IndexMath math;
  int64_t columns;
  Type element;
  ViewAddressing addressing;
  Value buffer, inside, position;
};

} // namespace

/// Whether the tile is one row of neighbouring channels.
static LogicalResult verifyRow(Operation *op, ShapedType tile) {
  if (tile.getNumElements() == tile.getShape().back())
    return verifyRegisters(op, tile);
  return op->emitOpError("cannot be part of a plain kernel: expected one row "
                         "of a matrix, but got ")
         << tile;
}

static LogicalResult lowerMatrix(Im2colOp op) {
  auto type = dyn_cast<VectorType>(op.getMatrixType());
  if (!type)
    return op.emitOpError("cannot be part of a plain kernel: it has no vector "
                          "as result");
  if (failed(verifyRow(op, type)))
    return failure();
  RowAccess access(op, ViewTile(op), op.getSourceType(), op.getSource(),
                   type.getShape().back());
  Value row = access.read();
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(
      vector::ShapeCastOp::create(builder, op.getLoc(), type, row));
  op.erase();
  return success();
}

static LogicalResult lowerScatter(ScatterOp op) {
  auto type = dyn_cast<VectorType>(op.getValueType());
  if (!type)
    return op.emitOpError("cannot be part of a plain kernel: its value is no "
                          "vector");
  if (failed(verifyRow(op, type)))
    return failure();
  if (op.getZeroFill())
    return op.emitOpError("cannot be part of a plain kernel: it fills in "
                          "zeros");
  if (op.getChannelsFirst()) {
    lowerChannelsFirstScatter(op);
    return success();
  }
  OpBuilder builder(op);
  auto rowType = VectorType::get(type.getShape().back(), type.getElementType());
  Value row =
      vector::ShapeCastOp::create(builder, op.getLoc(), rowType, op.getValue());
  RowAccess(op, ViewTile(op), op.getDestType(), op.getDest(),
            type.getShape().back())
      .write(row);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Accesses to parts of a buffer become accesses to the buffer, and what LLVM
/// has no vector operation for goes element by element.
static LogicalResult simplify(gpu::GPUFuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorGatherToConditionalLoadPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  return applyPatternsGreedily(kernel, std::move(patterns));
}

static LogicalResult lowerOp(Operation *op) {
  if (auto matrix = dyn_cast<Im2colOp>(op))
    return lowerMatrix(matrix);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return lowerScatter(scatter);
  if (auto depthwise = dyn_cast<DepthwiseOp>(op))
    return lowerDepthwise(depthwise);
  if (auto sum = dyn_cast<gpu::SubgroupReduceOp>(op))
    return lowerLaneSum(sum);
  return TransferLowering(cast<VectorTransferOpInterface>(op)).lower();
}

namespace {
struct ConvLowerPlainKernels
    : public conv::impl::ConvLowerPlainKernelsBase<ConvLowerPlainKernels> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!isPlainKernel(kernel))
        continue;
      if (failed(simplify(kernel)))
        return signalPassFailure();
      SmallVector<Operation *> ops;
      kernel.walk([&](Operation *op) {
        if (isa<Im2colOp, ScatterOp, DepthwiseOp, VectorTransferOpInterface,
                gpu::SubgroupReduceOp>(op))
          ops.push_back(op);
      });
      for (Operation *op : ops)
        if (failed(lowerOp(op)))
          return signalPassFailure();
    }
  }
};
} // namespace
