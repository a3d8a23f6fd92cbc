//===- ViewAccess.cpp - the index map of a view as affine maths -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both directions of convmlir::MatrixView::element, as expressions of indices
// that are only known when the program runs.
//
//===----------------------------------------------------------------------===//

#include "ViewAccess.h"

using namespace mlir;
using namespace mlir::conv;

/// The coordinates of a row-major index in a box of these extents.
static SmallVector<AffineExpr> delinearize(AffineExpr index,
                                           ArrayRef<int64_t> box) {
  SmallVector<AffineExpr> coordinates(box.size());
  int64_t inner = 1;
  for (size_t d = box.size(); d-- > 0;) {
    // Of an empty box no element is ever read: any divisor will do.
    int64_t extent = std::max<int64_t>(box[d], 1);
    coordinates[d] = index.floorDiv(inner);
    if (d > 0)
      coordinates[d] = coordinates[d] % extent;
    inner *= extent;
  }
  return coordinates;
}

static bool isOne(int64_t value) { return value == 1; }

//===----------------------------------------------------------------------===//
// From the matrix to the tensor
//===----------------------------------------------------------------------===//

/// Whether p*stride + r*step + offset is inside for all positions and taps.
static bool isAlwaysInside(ViewAttr view, int64_t d, int64_t extent) {
  int64_t rows = view.getRows()[d];
  if (d + 1 == view.getSpatialRank())
    rows *= view.getStrips();
  int64_t lastRow = (rows - 1) * view.getStride()[d];
  int64_t lastTap = (view.getTaps()[d] - 1) * view.getStep()[d];
  int64_t least = view.getOffset()[d] + std::min<int64_t>(lastTap, 0);
  int64_t most = view.getOffset()[d] + lastRow + std::max<int64_t>(lastTap, 0);
  return least >= 0 && most < extent;
}

ViewAccess conv::getReadAccess(ViewAttr view, ArrayRef<int64_t> tensorShape,
                               ArrayRef<int64_t> matrixShape) {
  MLIRContext *context = view.getContext();
  SmallVector<int64_t> full = view.getMatrixShape(tensorShape);
  bool dropsTap = matrixShape.size() < full.size();
  ViewAccess access;
  SmallVector<AffineExpr> matrix;
  for (size_t i = 0, dim = 0; i < full.size(); ++i) {
    if (i == view.getTapDim() && dropsTap) {
      matrix.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    matrix.push_back(getAffineDimExpr(dim, context));
    if (matrixShape[dim++] > full[i])
      access.tests.push_back({matrix.back(), full[i]});
  }

  SmallVector<int64_t> rowBox = {tensorShape.front(), view.getStrips()};
  llvm::append_range(rowBox, view.getRows());
  AffineExpr rowIndex = matrix[view.getRowDim()];
  if (view.getRowGroups() > 1)
    rowIndex = matrix[0] * full[view.getRowDim()] + rowIndex;
  SmallVector<AffineExpr> row = delinearize(rowIndex, rowBox);
  SmallVector<AffineExpr> tap =
      delinearize(matrix[view.getTapDim()], view.getTaps());
  access.indices.push_back(row[0]);
  row.back() = row.back() + row[1] * view.getRows().back();
  for (int64_t d = 0; d < view.getSpatialRank(); ++d) {
    AffineExpr coordinate = row[d + 2] * view.getStride()[d] +
                            tap[d] * view.getStep()[d] + view.getOffset()[d];
    access.indices.push_back(coordinate);
    if (!isAlwaysInside(view, d, tensorShape[d + 1]))
      access.tests.push_back({coordinate, tensorShape[d + 1]});
  }
  AffineExpr channel = matrix.back();
  if (view.getGroups() > 1)
    channel = matrix[full.size() - 2] * full.back() + channel;
  access.indices.push_back(channel);
  return access;
}

//===----------------------------------------------------------------------===//
// From the tensor to the matrix
//===----------------------------------------------------------------------===//

/// The position among `count`, `distance` apart from `offset` on, at which a
/// coordinate of 0 to `extent` - 1 lies; tests what is not certain. (Of several
/// in the same place, which no scatter has, it is the first.)
static AffineExpr findPosition(AffineExpr coordinate, int64_t extent,
                               int64_t count, int64_t distance, int64_t offset,
                               SmallVectorImpl<RangeTest> &tests) {
  if (count == 1 || distance == 0) {
    if (extent != 1 || offset != 0)
      tests.push_back({coordinate - offset, 1});
    return getAffineConstantExpr(0, coordinate.getContext());
  }
  bool isReversed = distance < 0;
  int64_t size = std::abs(distance);
  AffineExpr along = isReversed ? offset - coordinate : coordinate - offset;
  if (size != 1)
    tests.push_back({along % size, 1});
  AffineExpr position = along.floorDiv(size);
  int64_t least = isReversed ? offset - (extent - 1) : -offset;
  int64_t most = isReversed ? offset : extent - 1 - offset;
  if (least < 0 || most >= count * size)
    tests.push_back({position, count});
  return position;
}

FailureOr<ViewAccess> conv::getWriteAccess(ViewAttr view,
                                           ArrayRef<int64_t> tensorShape,
                                           int64_t matrixRank) {
  MLIRContext *context = view.getContext();
  ViewAccess access;
  AffineExpr row = getAffineDimExpr(0, context);
  AffineExpr tap = getAffineConstantExpr(0, context);
  int64_t strips = view.getStrips(), last = view.getSpatialRank() - 1;
  SmallVector<AffineExpr> positions;
  for (int64_t d = 0; d <= last; ++d) {
    int64_t rows = view.getRows()[d] * (d == last ? strips : 1);
    int64_t taps = view.getTaps()[d];
    if (!isOne(rows) && !isOne(taps))
      return failure();
    positions.push_back(findPosition(
        getAffineDimExpr(d + 1, context), tensorShape[d + 1], rows * taps,
        isOne(rows) ? view.getStep()[d] : view.getStride()[d],
        view.getOffset()[d], access.tests));
  }
  if (strips > 1) {
    int64_t width = view.getRows()[last];
    row = row * strips + positions[last].floorDiv(width);
    positions[last] = positions[last] % width;
  }
  for (int64_t d = 0; d <= last; ++d) {
    int64_t rows = view.getRows()[d];
    bool isTap = isOne(rows) && (d < last || strips == 1);
    row = row * rows;
    tap = tap * view.getTaps()[d];
    (isTap ? tap : row) = (isTap ? tap : row) + positions[d];
  }

  AffineExpr channel = getAffineDimExpr(tensorShape.size() - 1, context);
  int64_t groups = view.getGroups();
  if (view.getRowGroups() > 1) {
    int64_t perGroup = view.getMatrixShape(tensorShape)[view.getRowDim()];
    access.indices.push_back(row.floorDiv(perGroup));
    row = row % perGroup;
  }
  access.indices.push_back(row);
  if (matrixRank == int64_t(view.getMatrixRank()))
    access.indices.push_back(tap);
  if (groups > 1) {
    int64_t perGroup = tensorShape.back() / groups;
    access.indices.push_back(channel.floorDiv(perGroup));
    channel = channel % perGroup;
  }
  access.indices.push_back(channel);
  return access;
}
