//===- KernelTiles.cpp - which tiles a kernel divides ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTiles.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Columns of one of the taps that a kernel's contraction reads from a window;
/// 0 where it reads tiles of one tap.
static int64_t findTapColumns(gpu::GPUFuncOp func) {
  int64_t columns = 0;
  func.walk([&](ReadTapsOp read) { columns = read.getType().getDimSize(2); });
  func.walk(
      [&](ReadImageTapsOp read) { columns = read.getType().getDimSize(2); });
  return columns;
}

/// Rows of the positions that a kernel's contraction reads from a window of
/// several dimensions.
static PositionRows findPositionRows(gpu::GPUFuncOp func) {
  PositionRows rows;
  func.walk([&](vector::ContractionOp op) {
    auto cast = op.getLhs().getDefiningOp<vector::ShapeCastOp>();
    auto read = cast ? cast.getSource().getDefiningOp<vector::TransferReadOp>()
                     : nullptr;
    auto part =
        read ? read.getBase().getDefiningOp<memref::SubViewOp>() : nullptr;
    if (!part)
      return;
    int64_t column = part.getSourceType().getRank() - 2;
    rows = {part.getType().getDimSize(column),
            part.getSourceType().getDimSize(column)};
  });
  return rows;
}

KernelTiles::KernelTiles(gpu::GPUFuncOp func, ScheduleAttr schedule)
    : func(func), schedule(schedule),
      layout(schedule, findTapColumns(func), findPositionRows(func)) {
  func.walk([&](AddTapsOp op) {
    tapSums.assign(cast<ShapedType>(op.getSource().getType()).getShape());
    numTaps = op.getNumTaps();
  });
}

TileKind KernelTiles::getKind(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return TileKind::None;
  SmallVector<int64_t> shape(vector.getShape());
  if (!tapSums.empty() && shape == tapSums)
    return TileKind::TapSums;
  bool isColumn = shape.size() > 1 && shape.back() == 1;
  llvm::erase(shape, 1);
  if (isColumn && ArrayRef<int64_t>(shape) == ArrayRef({layout.getTileM()}))
    return TileKind::Rows;
  SmallVector<int64_t> block = {layout.getTileM()};
  if (layout.hasTaps())
    block.push_back(layout.getTileN() / layout.getTapColumns());
  block.push_back(layout.getTapColumns());
  if (shape == block)
    return TileKind::Block;
  if (ArrayRef<int64_t>(shape) == ArrayRef({layout.getTapColumns()}))
    return TileKind::Columns;
  return TileKind::None;
}

SmallVector<ScatterOp> KernelTiles::getScatters() const {
  SmallVector<ScatterOp> scatters;
  gpu::GPUFuncOp(func).walk([&](ScatterOp op) {
    if (getKind(op.getValue().getType()) == TileKind::Block)
      scatters.push_back(op);
  });
  return scatters;
}
