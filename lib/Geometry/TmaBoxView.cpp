//===- TmaBoxView.cpp - boxes of a dense tensor as a TMA tensor -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the shapes of a dense tensor and of a box of it. Output: the tensor
// map in numbers, or the limit of TMA that is in the way.
//
//===----------------------------------------------------------------------===//

#include "TmaDimensions.h"
#include "conv/Geometry/RawRows.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"

using namespace convmlir;

/// Boxes of a dense tensor, cut into lines of so many elements.
static Result<TmaView> getBoxView(const std::vector<int64_t> &shape,
                                  const std::vector<int64_t> &box,
                                  int64_t elementBytes, int64_t columns) {
  TmaView tma;
  for (size_t i = shape.size(); i-- > 0;)
    addDimension(tma, shape[i], elementBytes);
  tma.boxColumns = columns;
  tma.box.assign(shape.size(), 1);
  tma.box.front() = tma.boxColumns;
  for (size_t i = 1; i < box.size(); ++i) {
    int64_t extent = box[box.size() - 1 - i];
    if (extent > kMaxBoxExtent)
      return Error{
          "TMA copies boxes of at most " + std::to_string(kMaxBoxExtent) +
          " positions in a dimension, but there are " + std::to_string(extent)};
    tma.box[i] = extent;
    tma.boxRows *= extent;
  }
  if (Status status = checkLargestStride(tma); !status)
    return status.takeError();
  return tma;
}

Result<TmaView> convmlir::getTmaBoxView(const std::vector<int64_t> &shape,
                                        const std::vector<int64_t> &box,
                                        int64_t elementBytes) {
  if (!PanelTile::isPossible(box.back(), elementBytes))
    return Error{"TMA needs boxes with lines of a multiple of 32 "
                 "bytes, but they have " +
                 std::to_string(box.back() * elementBytes)};
  if (Status status = checkStride(shape.back(), elementBytes); !status)
    return status.takeError();
  return getBoxView(shape, box, elementBytes,
                    PanelTile(1, box.back(), elementBytes).getPanelColumns());
}

Result<TmaView> convmlir::getTmaDenseView(const std::vector<int64_t> &shape,
                                          const std::vector<int64_t> &box,
                                          int64_t elementBytes) {
  int64_t lineBytes = box.back() * elementBytes;
  if (lineBytes % kStrideUnit != 0 || box.back() > kMaxBoxExtent)
    return Error{"TMA copies lines of a multiple of 16 bytes and at most " +
                 std::to_string(kMaxBoxExtent) + " elements, but they have " +
                 std::to_string(box.back()) + " of " +
                 std::to_string(elementBytes)};
  if (shape.back() * elementBytes % kStrideUnit != 0)
    return Error{"TMA needs an innermost dimension of a multiple of 16 bytes, "
                 "but there are " +
                 std::to_string(shape.back() * elementBytes)};
  Result<TmaView> tma = getBoxView(shape, box, elementBytes, box.back());
  if (tma)
    tma->isDense = true;
  return tma;
}

Result<TmaView> convmlir::getTmaSkewedView(const std::vector<int64_t> &shape,
                                           const std::vector<int64_t> &box) {
  constexpr int64_t elementBytes = 2, unit = SkewedLines::kUnit;
  SkewedLines lines{shape.back()};
  int64_t classes = lines.getClasses();
  int64_t channels = shape[1], boxChannels = box.front();
  if (!PanelTile::isPossible(box.back(), elementBytes) ||
      lines.positions < unit || channels % classes != 0 ||
      boxChannels % classes != 0 || boxChannels / classes > kMaxBoxExtent ||
      PanelTile(1, box.back(), elementBytes).getNumPanels() != 1)
    return Error{
        "TMA copies skewed lines of at least 16 positions, in boxes of "
        "a multiple of " +
        std::to_string(classes) + " channels and one panel, but " +
        std::to_string(boxChannels) + " x " + std::to_string(box.back()) +
        " of " + std::to_string(channels) + " x " +
        std::to_string(lines.positions) + " are none"};
  TmaView tma;
  tma.boxColumns = box.back();
  tma.boxRows = boxChannels;
  tma.box = {box.back(), classes, boxChannels / classes, 1};
  tma.extents = {lines.getLength(), classes, channels / classes, shape.front()};
  // Of a class that is alone no stride is used, but each is one.
  int64_t between = lines.positions / unit * unit;
  for (int64_t stride :
       {between, classes * lines.positions, channels * lines.positions})
    tma.byteStrides.push_back(stride * elementBytes);
  tma.elementStrides.assign(tma.extents.size(), 1);
  if (Status status = checkLargestStride(tma); !status)
    return status.takeError();
  return tma;
}
