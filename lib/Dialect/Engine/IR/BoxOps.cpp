//===- BoxOps.cpp - rules of operations on boxes of TMA -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedOperands.h"
#include "conv/Dialect/Conv/IR/SmallNumbers.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/RawRows.h"
#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// engine.load_box, engine.store_box
//===----------------------------------------------------------------------===//

/// Checks a box in shared memory, `role`, and the tensor that it is part of.
static LogicalResult verifyBoxCopy(Operation *op, StringRef role, Type box,
                                   Type tensor, ValueRange coordinates,
                                   bool isDense = false) {
  if (!isDense && failed(verifyPanels(op, role, box, /*isBox=*/true)))
    return failure();
  auto boxType = cast<MemRefType>(box), type = cast<MemRefType>(tensor);
  if (type.getElementType() != boxType.getElementType())
    return op->emitOpError() << "tensor and box must have one element type, "
                                "but are "
                             << type << " and " << boxType;
  if (type.getRank() > 5 || boxType.getRank() > type.getRank())
    return op->emitOpError()
           << "tensor must have at most 5 dimensions, and those of the box, "
              "but they are "
           << type << " and " << boxType;
  if (int64_t(coordinates.size()) != type.getRank())
    return op->emitOpError()
           << "must have a coordinate for each of " << type.getRank()
           << " dimensions, but has " << coordinates.size();
  return success();
}

/// Checks that a tensor is in workgroup memory, and its last dimension whole
/// chunks.
static LogicalResult verifyDense(Operation *op, StringRef role, MemRefType type,
                                 int64_t least) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getRank() < least || !type.hasStaticShape() ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      type.getShape().back() * bytes % convmlir::kChunkBytes != 0)
    return op->emitOpError()
           << role << " must be of static shape in workgroup memory, with at "
           << "least " << least << " dimensions and lines of a multiple of "
           << +convmlir::kChunkBytes << " bytes, but is " << type;
  return success();
}

LogicalResult LoadBoxOp::verify() {
  if (failed(verifyRounding(*this, getToTf32(), getDest().getType())))
    return failure();
  if (getDense() &&
      failed(verifyDense(*this, "destination",
                         cast<MemRefType>(getDest().getType()), /*least=*/2)))
    return failure();
  if (getSkewed()) {
    auto source = cast<MemRefType>(getSource().getType());
    auto dest = cast<MemRefType>(getDest().getType());
    if (getDense() || source.getRank() != 3 || dest.getRank() != 2 ||
        source.getElementTypeBitWidth() != 16)
      return emitOpError() << "is skewed only as a box [channel, position] of "
                              "[image, channel, position] of 16-bit elements, "
                              "and not dense, but has "
                           << dest << " of " << source;
  }
  return verifyBoxCopy(*this, "destination", getDest().getType(),
                       getSource().getType(), getCoordinates(), getDense());
}

LogicalResult GatherBoxOp::verify() {
  return verifyBoxCopy(*this, "destination", getDest().getType(),
                       getSource().getType(), getCoordinates());
}

LogicalResult TransposeRowsOp::verify() {
  MemRefType box = getBoxType(), window = getWindowType();
  if (failed(getDense() ? verifyDense(*this, "box", box, /*least=*/2)
                        : verifyPanels(*this, "box", box, /*isBox=*/true)) ||
      failed(verifyPanels(*this, "window", window)))
    return failure();
  if (box.getElementType() != window.getElementType() ||
      box.getElementTypeBitWidth() != 16 ||
      box.getDimSize(0) != getChannels() ||
      llvm::product_of(box.getShape().drop_front(), int64_t(1)) !=
          getPositions())
    return emitOpError() << "makes lines of 16-bit channels of a box [channel, "
                            "position] of as many, but has "
                         << box << " and " << window;
  constexpr size_t rank = 2;
  for (auto list : {getStride(), getPhases(), getPhaseLines()})
    if (list.has_value() != getStride().has_value() ||
        (list && list->size() != rank))
      return emitOpError() << "must have 'stride', 'phases' and 'phase_lines' "
                              "of rows and columns, or none of them";
  int64_t row = getRow(), rows = getRows(), pitch = getPitch();
  int64_t lines = getLines(), width = getWidth();
  auto isCount = [](int64_t count) {
    return count >= 1 && count <= kMostPositions;
  };
  auto refuse = [&]() -> LogicalResult {
    return emitOpError() << "must have rows within the " << lines
                         << " lines of the window, " << pitch
                         << " each, but has " << rows << " from row " << row
                         << " on, in " << window;
  };
  if (!llvm::all_of(ArrayRef<int64_t>{rows, pitch, lines, width}, isCount) ||
      row < 0 || row > kMostPositions)
    return refuse();
  // The last row of the phase that reaches furthest.
  int64_t end = (row + rows) * pitch;
  if (getStride()) {
    auto stride = *getStride(), phases = *getPhases();
    auto between = *getPhaseLines();
    if (llvm::any_of(stride, [](int64_t s) { return s < 1; }) ||
        llvm::any_of(phases, [](int64_t p) { return p < 1; }) ||
        llvm::any_of(between, [](int64_t l) { return l < 0; }))
      return emitOpError() << "must have positive strides and phases";
    for (int64_t number : llvm::concat<const int64_t>(phases, between))
      if (number > kMostPositions)
        return emitOpError() << "must have phases within "
                             << kMostPositions << " lines, but has [" << phases
                             << "] of [" << between << "] lines";
    end = 0;
    for (int64_t y = row; y < row + rows; ++y)
      if (y % stride[0] < phases[0])
        end = std::max(end, (y / stride[0] + 1) * pitch +
                                y % stride[0] * between[0] +
                                (phases[1] - 1) * between[1]);
  }
  return lines > window.getDimSize(0) || end > lines ? refuse() : success();
}

LogicalResult DeskewRowsOp::verify() {
  MemRefType boxes = getBoxesType(), tile = getTileType();
  if (failed(verifyDense(*this, "boxes", boxes, /*least=*/3)) ||
      failed(verifyPanels(*this, "tile", tile)))
    return failure();
  int64_t first = getChannel();
  if (boxes.getElementType() != tile.getElementType() ||
      boxes.getElementTypeBitWidth() != 16 || boxes.getRank() != 3 ||
      first < 0 || first % convmlir::SharedTile::kSwizzlePeriod != 0 ||
      first > tile.getDimSize(0) - boxes.getDimSize(1) ||
      tile.getDimSize(1) > kMostPositions)
    return emitOpError()
           << "makes lines of a tile of 16-bit elements [channel, "
              "row], from a multiple of 8 on, of boxes [number, "
              "channel, position], but has "
           << boxes << " and " << tile << " from " << first << " on";
  auto raw = convmlir::getRawRows(getPositions(), tile.getDimSize(1));
  if (!raw)
    return emitOpError() << "has no boxes: " << raw.error();
  if (raw->boxes != boxes.getDimSize(0) ||
      raw->boxPositions != boxes.getDimSize(2))
    return emitOpError() << "of " << tile.getDimSize(1) << " rows of images of "
                         << getPositions() << " positions needs " << raw->boxes
                         << " boxes of " << raw->boxPositions
                         << " positions, but has " << boxes;
  return success();
}

LogicalResult JoinImagesOp::verify() {
  MemRefType images = getImagesType(), tile = getTileType();
  if (failed(verifyPanels(*this, "tile", tile)))
    return failure();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (images.getRank() != 3 || !images.hasStaticShape() ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(images) ||
      failed(images.getStridesAndOffset(strides, offset)) ||
      ArrayRef(strides) != ArrayRef(computeStrides(images.getShape())) ||
      images.getDimSize(1) % convmlir::SharedTile::kSwizzlePeriod != 0 ||
      images.getElementType() != tile.getElementType() ||
      images.getElementTypeBitWidth() != 16 ||
      images.getDimSize(1) != tile.getDimSize(0) ||
      images.getDimSize(0) * images.getDimSize(2) > tile.getDimSize(1))
    return emitOpError() << "makes a tile [channel, row] of 16-bit elements of "
                            "dense images [image, channel, position] in "
                            "workgroup memory that have as many channels, a "
                            "multiple of 8, and no more positions together, "
                            "but has "
                         << images << " and " << tile;
  return success();
}

LogicalResult StoreBoxOp::verify() {
  if (getDense() &&
      failed(verifyDense(*this, "source",
                         cast<MemRefType>(getSource().getType()), /*least=*/2)))
    return failure();
  return verifyBoxCopy(*this, "source", getSource().getType(),
                       getDest().getType(), getCoordinates(), getDense());
}
