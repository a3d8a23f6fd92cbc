//===- WindowOps.cpp - taps that share a window ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `engine.read_taps`, `engine.read_image_taps` and `engine.window_mma` of
// EngineOps.td.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/SmallNumbers.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

/// Positions that follow each other in a group; positions of one instruction.
static constexpr int64_t kGroup = 8, kStep = 16;

static bool isLine(int64_t bytes) {
  return bytes == 32 || bytes == 64 || bytes == 128;
}

/// Checks lines of one panel in shared memory whose outer dimensions are at
/// least a box of positions.
static LogicalResult verifyWindow(Operation *op, Type operand,
                                  ArrayRef<int64_t> box) {
  auto type = cast<MemRefType>(operand);
  if (!type.hasStaticShape() ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !type.getElementType().isIntOrFloat() ||
      !isLine(type.getShape().back() * type.getElementTypeBitWidth() / 8))
    return op->emitOpError() << "window must have lines of 32, 64 or 128 bytes "
                                "in workgroup memory, but is "
                             << type;
  bool fits = type.getRank() == int64_t(box.size()) + 1;
  int64_t all = 1;
  for (auto [extent, positions] : llvm::zip(type.getShape(), box)) {
    fits &= 0 < positions && positions <= std::min(extent, kMostPositions);
    all = fits ? all * positions : 0;
    fits &= all <= kMostPositions;
  }
  if (fits)
    return verifyNumbers(op);
  InFlightDiagnostic diag = op->emitOpError("box [");
  llvm::interleaveComma(box, diag);
  return diag << "] must have positions in every dimension of the window but "
                 "the last, which is "
              << type;
}

//===----------------------------------------------------------------------===//
// engine.read_taps
//===----------------------------------------------------------------------===//

int64_t ReadTapsOp::getPitch(int64_t dim) {
  // The images' dimension is in front, the channels' is last.
  return llvm::product_of(
      getWindowType().getShape().drop_front(dim + 2).drop_back(), int64_t(1));
}

LogicalResult ReadTapsOp::verify() {
  ArrayRef<int64_t> box = getBox(), taps = getTaps(), step = getStep();
  if (failed(verifyWindow(*this, getWindow().getType(), box)))
    return failure();
  if (taps.size() + 1 != box.size() || step.size() != taps.size())
    return emitOpError() << "must have taps and steps for the "
                         << box.size() - 1
                         << " spatial dimensions of the box, but has "
                         << taps.size() << " and " << step.size();
  ArrayRef<int64_t> window = getWindowType().getShape();
  if (getStride().has_value() != getPhaseLines().has_value() ||
      (getStride() &&
       (getStride()->size() != taps.size() ||
        getPhaseLines()->size() != taps.size() ||
        llvm::any_of(*getStride(), [](int64_t stride) { return stride < 1; }))))
    return emitOpError("must have a positive stride and lines of a phase for "
                       "each spatial dimension, or neither");
  int64_t numTaps = 1;
  for (auto [dim, tap] : llvm::enumerate(taps)) {
    int64_t needed = box[dim + 1] + (tap - 1) * step[dim];
    if (tap < 1 || (!getStride() && window[dim + 1] != needed))
      return emitOpError() << "window must have " << needed
                           << " positions in spatial dimension " << dim
                           << ", but has " << window[dim + 1];
    numTaps *= tap;
    if (numTaps > kMostPositions)
      return emitOpError() << "must have at most " << kMostPositions
                           << " taps, but has [" << taps << "]";
  }
  SmallVector<int64_t> shape = {llvm::product_of(box, int64_t(1)), numTaps,
                                window.back()};
  auto expected = VectorType::get(shape, getWindowType().getElementType());
  if (getResult().getType() != expected)
    return emitOpError() << "result must be " << expected << ", but is "
                         << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// engine.read_image_taps
//===----------------------------------------------------------------------===//

LogicalResult ReadImageTapsOp::verify() {
  if (failed(verifyNumbers(*this, getExtentAttrName())))
    return failure();
  MemRefType boxes = getBoxesType();
  constexpr int64_t bits = 16;
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(boxes) ||
      !boxes.hasStaticShape() || boxes.getRank() != 3 ||
      boxes.getElementTypeBitWidth() != bits)
    return emitOpError() << "boxes must be [box, channel, position] of 16-bit "
                            "elements in workgroup memory, but are "
                         << boxes;
  if (getTaps().size() != 2 || getColumns().size() != 2 ||
      getRows().size() != 2 || getWidth() < 1 ||
      llvm::any_of(getTaps(), [](int64_t taps) { return taps < 1; }))
    return emitOpError("must have taps of two dimensions, a width, and of "
                       "columns and rows a stride and a step");
  VectorType type = getType();
  if (type.getRank() != 3 ||
      type.getDimSize(1) != getTaps()[0] * getTaps()[1] ||
      type.getDimSize(2) != boxes.getDimSize(1) ||
      type.getElementType() != boxes.getElementType())
    return emitOpError() << "result must be positions of "
                         << getTaps()[0] * getTaps()[1]
                         << " taps and the channels of " << boxes << ", but is "
                         << type;
  return success();
}

//===----------------------------------------------------------------------===//
// engine.window_mma
//===----------------------------------------------------------------------===//

SmallVector<int64_t> WindowMmaOp::getGroupLines() {
  ArrayRef<int64_t> box = getBox();
  auto window = cast<MemRefType>(getWindow().getType()).getShape();
  SmallVector<int64_t> lines;
  int64_t positions = llvm::product_of(box, int64_t(1));
  for (int64_t group = 0; group < positions; group += kGroup) {
    int64_t rest = group, line = 0, pitch = 1;
    for (size_t dim = box.size(); dim-- > 0;) {
      line += rest % box[dim] * pitch;
      rest /= box[dim];
      pitch *= window[dim];
    }
    lines.push_back(line);
  }
  return lines;
}

LogicalResult WindowMmaOp::verify() {
  ArrayRef<int64_t> box = getBox();
  if (failed(verifyWindow(*this, getWindow().getType(), box)))
    return failure();
  auto a = cast<MemRefType>(getA().getType());
  auto window = cast<MemRefType>(getWindow().getType());
  Type element = window.getElementType();
  if (a.getElementType() != element || (!element.isF16() && !element.isBF16()))
    return emitOpError() << "operands must both be f16 or both bf16, but are "
                         << a.getElementType() << " and " << element;
  int64_t positions = llvm::product_of(box, int64_t(1));
  ArrayRef<int64_t> shapeA = a.getShape();
  bool isOfBox = a.getRank() == 2 &&
                 (getKMajor() ? shapeA[0] == 64 && shapeA[1] >= positions
                              : shapeA[0] == positions && shapeA[1] == 64);
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(a) || !isOfBox)
    return emitOpError() << "A must be the box's " << positions
                         << " positions of 64 rows in workgroup memory"
                         << (getKMajor() ? ", K-major" : "") << ", but is "
                         << a;
  if (box.back() % kGroup != 0 || positions % kStep != 0)
    return emitOpError() << "box must have a multiple of " << kStep
                         << " positions, and of " << kGroup
                         << " in its last dimension, but has " << positions
                         << " and " << box.back();
  auto accumulator = getResult().getType().getFragmented();
  int64_t channels = window.getShape().back();
  if (accumulator.getRank() != 2 || accumulator.getDimSize(0) != 64 ||
      !accumulator.getElementType().isF32() || getN() % channels != 0 ||
      getN() > 256 || getN() < channels)
    return emitOpError() << "accumulator must be 64 rows of whole taps of "
                         << channels << " f32, at most 256, but is "
                         << accumulator;
  if (getDistance() < 1)
    return emitOpError() << "distance of two taps must be positive, but is "
                         << getDistance();
  return success();
}
