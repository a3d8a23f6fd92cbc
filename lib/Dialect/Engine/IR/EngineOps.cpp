//===- EngineOps.cpp - operations for engines of sm_90a -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "SharedOperands.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"
#include "conv/Dialect/Conv/IR/ViewOperands.h"
#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

#define GET_OP_CLASSES
#include "conv/Dialect/Engine/IR/EngineOps.cpp.inc"

void EngineDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/Engine/IR/EngineOps.cpp.inc"
      >();
}

LogicalResult conv::verifyPanels(Operation *op, StringRef role, Type operand,
                                 bool isBox) {
  auto type = cast<MemRefType>(operand);
  if ((isBox ? type.getRank() < 2 : type.getRank() != 2) ||
      !type.hasStaticShape() ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op->emitOpError()
           << role << " must be a " << (isBox ? "box" : "matrix")
           << " of static shape in workgroup memory, but is " << type;
  if (!type.getElementType().isIntOrFloat())
    return op->emitOpError()
           << role << " must have numbers as elements, but is " << type;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!PanelTile::isPossible(type.getShape().back(), bytes))
    return op->emitOpError()
           << role
           << " must have rows of a multiple of 32 bytes, but they have "
           << type.getShape().back() * bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// engine.load_tile, engine.store_tile
//===----------------------------------------------------------------------===//

/// Checks the tensor that a tile is copied from or to.
static LogicalResult verifyTileCopy(Operation *op, StringRef role, Type tile,
                                    Type tensor, ValueRange offsets,
                                    Value phase, ArrayAttr views) {
  auto type = cast<MemRefType>(tensor);
  if (failed(verifyPhases(op, phase, views, offsets)) ||
      failed(verifyView(op, role, type, views, offsets)))
    return failure();
  if (type.getElementType() != cast<MemRefType>(tile).getElementType())
    return op->emitOpError() << "source and destination must have one element "
                                "type, but are "
                             << type << " and " << tile;
  return success();
}

/// Parts and panels begin where the pattern of the swizzle does.
static LogicalResult verifyParts(LoadTileOp op) {
  bool isShared = op.getParts() != 1;
  if (bool(op.getPart()) != isShared || bool(op.getWorkgroups()) != isShared)
    return op.emitOpError("must have a part and the workgroups that get it, or "
                          "be one part, which has neither");
  if (isShared && (op.getInnerPanels() || op.getInnerRows()))
    return op.emitOpError("of a part must copy all panels and rows");
  auto tile = cast<MemRefType>(op.getDest().getType());
  int64_t rows = tile.getDimSize(0);
  int64_t unit = convmlir::SharedTile::kSwizzlePeriod;
  if (!isShared && convmlir::PanelTile(rows, tile.getDimSize(1),
                                       tile.getElementTypeBitWidth() / 8)
                           .getNumPanels() == 1)
    return success();
  int64_t parts = op.getParts();
  if (parts < 1 || rows % unit != 0 || rows / unit % parts != 0)
    return op.emitOpError() << rows << " rows are no " << parts
                            << " parts of a multiple of " << unit << " rows";
  return success();
}

LogicalResult conv::verifyRounding(Operation *op, bool toTF32, Type dest) {
  Type element = cast<MemRefType>(dest).getElementType();
  if (!toTF32 || element.isF32())
    return success();
  return op->emitOpError() << "rounds f32 to tf32, but copies " << element;
}

LogicalResult LoadTileOp::verify() {
  if (failed(verifyPanels(*this, "destination", getDest().getType())) ||
      failed(verifyRounding(*this, getToTf32(), getDest().getType())) ||
      failed(verifyParts(*this)))
    return failure();
  return verifyTileCopy(*this, "source", getDest().getType(),
                        getSource().getType(), getOffsets(), getPhase(),
                        getViews());
}

LogicalResult StoreTileOp::verify() {
  if (failed(verifyPanels(*this, "source", getSource().getType())))
    return failure();
  if (getView().getNumTaps() != 1)
    return emitOpError() << "view must have one tap, but has "
                         << getView().getNumTaps();
  return verifyTileCopy(*this, "destination", getSource().getType(),
                        getDest().getType(), getOffsets(), getPhase(),
                        getViews());
}

//===----------------------------------------------------------------------===//
// engine.tensor_map, engine.tma_load, engine.tma_store
//===----------------------------------------------------------------------===//

LogicalResult TensorMapOp::verify() {
  size_t rank = getExtents().size();
  if (rank < 1 || rank > 5)
    return emitOpError() << "must have 1 to 5 dimensions, but has " << rank;
  auto expect = [&](StringRef name, size_t size, size_t expected) {
    if (size == expected)
      return success();
    return LogicalResult(emitOpError()
                         << "'" << name << "' must have " << expected
                         << " entries, but has " << size);
  };
  if (failed(expect("byte_strides", getByteStrides().size(), rank - 1)) ||
      failed(expect("element_strides", getElementStrides().size(), rank)))
    return failure();
  if (getBox().has_value() == getLower().has_value() ||
      getLower().has_value() != getUpper().has_value())
    return emitOpError("must have either 'box' or both 'lower' and 'upper'");
  if (getBox())
    return expect("box", getBox()->size(), rank);
  if (rank < 3)
    return emitOpError("im2col mode needs a batch, spatial dimensions and "
                       "channels: at least 3 dimensions");
  if (failed(expect("lower", getLower()->size(), rank - 2)))
    return failure();
  return expect("upper", getUpper()->size(), rank - 2);
}

/// Checks what both directions of a bulk tensor copy have.
static LogicalResult verifyBulkCopy(Operation *op, StringRef role, Type memory,
                                    size_t rank) {
  auto type = cast<MemRefType>(memory);
  if (type.getRank() != 1 ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op->emitOpError()
           << role << " must be one row of workgroup memory, but is " << type;
  if (rank < 1 || rank > 5)
    return op->emitOpError()
           << "must have 1 to 5 coordinates, but has " << rank;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  size_t rank = getCoordinates().size();
  if (failed(verifyBulkCopy(*this, "destination", getDest().getType(), rank)))
    return failure();
  if (!getOffsets().empty() && getOffsets().size() + 2 != rank)
    return emitOpError() << "must have two offsets less than coordinates, but "
                            "has "
                         << getOffsets().size() << " and " << rank;
  return success();
}

LogicalResult TmaStoreOp::verify() {
  size_t rank = getCoordinates().size();
  if (failed(verifyBulkCopy(*this, "source", getSource().getType(), rank)))
    return failure();
  if (getIm2col() && rank < 3)
    return emitOpError() << "must have 3 to 5 coordinates in im2col mode, but "
                            "has "
                         << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// engine.warpgroup_mma, engine.zero_accumulator, engine.read_accumulator
//===----------------------------------------------------------------------===//

/// Of an accumulator of wgmma.
static constexpr int64_t kMostColumns = 256;

/// Checks that wgmma has an accumulator of this type.
static LogicalResult verifyAccumulator(Operation *op, Type operand) {
  auto type = cast<nvgpu::WarpgroupAccumulatorType>(operand).getFragmented();
  if (type.getRank() != 2 || type.getDimSize(0) != 64 ||
      type.getDimSize(1) % 8 != 0 || type.getDimSize(1) > kMostColumns ||
      (!type.getElementType().isF32() && !type.getElementType().isInteger(32)))
    return op->emitOpError() << "accumulator must be 64 rows of 8, 16, … 256 "
                                "f32 or i32, but is "
                             << type;
  return success();
}

LogicalResult ZeroAccumulatorOp::verify() {
  return verifyAccumulator(*this, getAccumulator().getType());
}

/// Types that wgmma multiplies; f32 as tf32.
static bool isMatrixFactor(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(8) ||
         isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

int64_t WarpgroupMmaOp::getK() {
  return cast<MemRefType>(getA().getType()).getDimSize(getTransposeA() ? 0 : 1);
}

LogicalResult WarpgroupMmaOp::verify() {
  if (failed(verifyPanels(*this, "A", getA().getType())) ||
      failed(verifyPanels(*this, "B", getB().getType())) ||
      failed(verifyAccumulator(*this, getResult().getType())))
    return failure();
  auto a = cast<MemRefType>(getA().getType());
  auto b = cast<MemRefType>(getB().getType());
  Type factor = a.getElementType();
  if (!areFactors(factor, b.getElementType()) || !isMatrixFactor(factor))
    return emitOpError() << "operands must both be f16, bf16, f32 or i8, or "
                            "each f8E4M3FN or f8E5M2, but are "
                         << factor << " and " << b.getElementType();
  Type sum = getResult().getType().getFragmented().getElementType();
  if (factor.isInteger() != sum.isInteger())
    return emitOpError() << "products of " << factor
                         << " cannot be added to sums of " << sum;
  if (factor.getIntOrFloatBitWidth() != 16 &&
      (getTransposeA() || getTransposeB()))
    return emitOpError() << "operands of " << factor
                         << " must be K-major, only those of 16 bits need not "
                            "be";
  int64_t m = a.getDimSize(getTransposeA() ? 1 : 0);
  if (getTransposeA() ? m % 64 != 0 : m < 64)
    return emitOpError() << "A must have "
                         << (getTransposeA() ? "a multiple of 64"
                                             : "64 or more")
                         << " rows, but has " << m;
  int64_t k = b.getDimSize(getTransposeB() ? 0 : 1);
  int64_t n = b.getDimSize(getTransposeB() ? 1 : 0);
  int64_t step = 256 / factor.getIntOrFloatBitWidth();
  if (k != getK() || k % step != 0)
    return emitOpError() << "gemm-k of the operands must be one multiple of "
                         << step << ", but is " << getK() << " and " << k;
  if (getTransposeB() ? n < getN() : n != getN())
    return emitOpError() << "B must have " << (getTransposeB() ? "" : "the ")
                         << getN() << (getTransposeB() ? " or more" : "")
                         << " columns" << (getTransposeB() ? ", as" : " of")
                         << " the accumulator, but has " << n;
  return success();
}

void ReadAccumulatorOp::build(OpBuilder &builder, OperationState &state,
                              Value accumulator) {
  auto type = cast<nvgpu::WarpgroupAccumulatorType>(accumulator.getType());
  state.addOperands(accumulator);
  state.types.append(
      type.getFragmented().getDimSize(1) / 8,
      VectorType::get({2, 2}, type.getFragmented().getElementType()));
}

LogicalResult ReadAccumulatorOp::verify() {
  Type type = getAccumulator().getType();
  if (failed(verifyAccumulator(*this, type)))
    return failure();
  VectorType matrix =
      cast<nvgpu::WarpgroupAccumulatorType>(type).getFragmented();
  int64_t columns = matrix.getDimSize(1);
  auto expected = VectorType::get({2, 2}, matrix.getElementType());
  if (int64_t(getFragments().size()) != columns / 8)
    return emitOpError() << "must have a result for each of the " << columns / 8
                         << " groups of eight columns, but has "
                         << getFragments().size();
  for (Type fragment : getFragments().getTypes())
    if (fragment != expected)
      return emitOpError() << "results must be of type " << expected
                           << ", but one is " << fragment;
  return success();
}

void ReadAccumulatorOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getAccumulator();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getAccumulator().getType();
}

ParseResult ReadAccumulatorOp::parse(OpAsmParser &parser,
                                     OperationState &state) {
  OpAsmParser::UnresolvedOperand accumulator;
  nvgpu::WarpgroupAccumulatorType type;
  if (parser.parseOperand(accumulator) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(accumulator, type, state.operands))
    return failure();
  // There is a result for each eight columns.
  if (type.getFragmented().getRank() != 2 ||
      type.getFragmented().getDimSize(1) > kMostColumns)
    return parser.emitError(parser.getNameLoc())
           << "expected an accumulator of two dimensions and at most "
           << kMostColumns << " columns, but got " << type;
  state.types.append(
      type.getFragmented().getDimSize(1) / 8,
      VectorType::get({2, 2}, type.getFragmented().getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// engine.store_matrices
//===----------------------------------------------------------------------===//

LogicalResult StoreMatricesOp::verify() {
  size_t number = getMatrices().size();
  if (number != 1 && number != 2 && number != 4)
    return emitOpError() << "must have 1, 2 or 4 matrices, but has " << number;
  auto type = cast<MemRefType>(getDest().getType());
  if (type.getRank() != 1 ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return emitOpError()
           << "destination must be one row of workgroup memory, but is "
           << type;
  for (Type matrix : getMatrices().getTypes())
    if (getElementTypeOrSelf(matrix) != type.getElementType())
      return emitOpError() << "matrices and destination must have one element "
                              "type, but are "
                           << matrix << " and " << type;
  return success();
}
