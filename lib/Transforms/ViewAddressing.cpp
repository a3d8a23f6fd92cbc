//===- ViewAddressing.cpp - a view's index map as arithmetic --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewAddressing.h"

#include "KnownDivisor.h"

#include <numeric>

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// A coordinate that fails every test, whichever tap is added to it.
static constexpr int64_t kOutside = -(int64_t(1) << 30);

bool ViewAddressing::Dimension::isIdentity() const {
  return rows == extent && taps == 1 && stride == 1 && offset == 0;
}

/// Filters of at most so many taps have their tests in one register for each
/// row, made before the gemm-k loop.
static constexpr int64_t kMaxMaskedTaps = 32;

/// True if some row and tap name a coordinate outside [0, extent).
static bool leavesExtent(int64_t rows, int64_t taps, int64_t stride,
                         int64_t step, int64_t offset, int64_t extent) {
  int64_t lastRow = (rows - 1) * stride, lastTap = (taps - 1) * step;
  int64_t low =
      offset + std::min<int64_t>(0, lastRow) + std::min<int64_t>(0, lastTap);
  int64_t high =
      offset + std::max<int64_t>(0, lastRow) + std::max<int64_t>(0, lastTap);
  return low < 0 || high >= extent;
}

/// True if a tile that starts at `offset` can reach past `extent`. A tile that
/// starts at a multiple of its size starts before the extent.
static bool passesExtent(OpFoldResult offset, int64_t size, int64_t extent) {
  return extent % size != 0 || getKnownDivisor(offset) % size != 0;
}

ViewAddressing::ViewAddressing(ViewAttr view, ArrayRef<int64_t> shape,
                               ArrayRef<OpFoldResult> offsets, int64_t tileRows,
                               int64_t tileColumns, bool mayStartPastChannels)
    : offsets(offsets), numRows(shape.front() * view.getRowsPerImage()),
      groupChannels(shape.back() / view.getGroups()),
      rowsTested(passesExtent(offsets.front(), tileRows, numRows)),
      columnsTested(
          (mayStartPastChannels && !getConstantIntValue(offsets.back())) ||
          passesExtent(offsets.back(), tileColumns, groupChannels)) {
  int64_t channels = shape.back();
  commonDivisor = std::gcd(std::gcd(channels, groupChannels),
                           getKnownDivisor(offsets.back()));
  int64_t batch = shape.front();
  dimensions.push_back({batch, 1, 1, 1, 0, batch, channels, false});
  for (int64_t i = 0, rank = view.getSpatialRank(); i < rank; ++i) {
    int64_t extent = shape[1 + i];
    for (Dimension &outer : dimensions)
      outer.pitch *= extent;
    Dimension inner = {view.getRows()[i],
                       view.getTaps()[i],
                       view.getStride()[i],
                       view.getStep()[i],
                       view.getOffset()[i],
                       extent,
                       channels,
                       false};
    inner.isTested = leavesExtent(inner.rows, inner.taps, inner.stride,
                                  inner.step, inner.offset, inner.extent);
    Dimension &outer = dimensions.back();
    if (inner.isIdentity() && outer.isIdentity()) {
      outer.rows *= extent;
      outer.extent *= extent;
      outer.pitch = inner.pitch;
    } else {
      dimensions.push_back(inner);
    }
  }
  // Elsewhere a row meets one tap, which is tested faster than masked.
  int64_t taps = view.getNumTaps();
  tapsMasked = mayStartPastChannels && taps > 1 && taps <= kMaxMaskedTaps &&
               llvm::any_of(dimensions, [](auto &dim) { return dim.isTested; });
}

ViewAddressing::Position ViewAddressing::getRow(IndexMath &math,
                                                Value rowInTile) const {
  Value row = math.add(math.toValue(offsets.front()), rowInTile);
  Position result;
  if (rowsTested)
    result.exists = math.isBelow(row, numRows);
  result.element = math.constant(0);
  for (size_t i = dimensions.size(); i-- > 0;) {
    const Dimension &dim = dimensions[i];
    // The outermost index is what is left after the others were taken out.
    Value index = i == 0 ? row : math.rem(row, dim.rows);
    if (i != 0)
      row = math.div(row, dim.rows);
    Value coordinate = math.add(math.mul(index, dim.stride), dim.offset);
    result.element = math.add(result.element, math.mul(coordinate, dim.pitch));
    if (!dim.isTested)
      continue;
    // A row past the matrix is put outside the tensor: one test for both.
    if (result.exists && result.coordinates.empty())
      coordinate =
          math.select(result.exists, coordinate, math.constant(kOutside));
    result.coordinates.push_back(coordinate);
  }
  if (!result.coordinates.empty())
    result.exists = nullptr;
  if (tapsMasked)
    result.mask = getTapMask(math, result);
  return result;
}

/// Dimension by dimension, the innermost first: the mask so far is repeated for
/// every tap of the dimension that lies inside.
Value ViewAddressing::getTapMask(IndexMath &math, const Position &row) const {
  Value zero = math.constant32(0), mask = math.constant32(1);
  int64_t width = 1;
  unsigned next = 0;
  for (const Dimension &dim : llvm::reverse(dimensions)) {
    Value inner = mask;
    for (int64_t tap = 0; tap < dim.taps; ++tap) {
      Value part = math.shiftLeft(inner, math.constant32(tap * width));
      if (dim.isTested) {
        Value coordinate = math.add(row.coordinates[next], tap * dim.step);
        part = math.select(math.isBelow(coordinate, dim.extent), part, zero);
      }
      mask = tap == 0 ? part : math.bitOr(mask, part);
    }
    next += dim.isTested;
    width *= dim.taps;
  }
  return mask;
}

ViewAddressing::Position ViewAddressing::getTap(IndexMath &math,
                                                Value tap) const {
  Position result;
  result.element = math.constant(0);
  if (tapsMasked)
    result.mask = math.shiftLeft(math.constant32(1), math.toInt32(tap));
  for (const Dimension &dim : llvm::reverse(dimensions)) {
    Value index = math.rem(tap, dim.taps);
    tap = math.div(tap, dim.taps);
    Value distance = math.mul(index, dim.step);
    result.element = math.add(result.element, math.mul(distance, dim.pitch));
    if (dim.isTested)
      result.coordinates.push_back(distance);
  }
  return result;
}

ViewAddressing::Origin ViewAddressing::getOrigin(IndexMath &math) const {
  Origin origin;
  origin.tap = getTap(math, math.toValue(offsets[1]));
  origin.channel = math.toValue(offsets.back());
  origin.increment = math.add(origin.tap.element, origin.channel);
  if (offsets.size() == 4)
    origin.increment = math.add(
        origin.increment, math.mul(math.toValue(offsets[2]), groupChannels));
  return origin;
}

Value ViewAddressing::isInside(IndexMath &math, const Position &row,
                               const Origin &origin) const {
  if (row.mask)
    return math.hasCommonBit(row.mask, origin.tap.mask);
  Value inside = row.exists;
  unsigned next = 0;
  for (const Dimension &dim : llvm::reverse(dimensions)) {
    if (!dim.isTested)
      continue;
    Value coordinate =
        math.add(row.coordinates[next], origin.tap.coordinates[next]);
    inside = math.both(inside, math.isBelow(coordinate, dim.extent));
    ++next;
  }
  return inside;
}

Value ViewAddressing::isColumnInside(IndexMath &math, const Origin &origin,
                                     Value column) const {
  if (!columnsTested)
    return nullptr;
  return math.isBelow(math.add(origin.channel, column), groupChannels);
}

/// The column's test goes into the tap's bit, which rows share.
Value ViewAddressing::isElementInside(IndexMath &math, const Position &row,
                                      const Origin &origin,
                                      Value column) const {
  Value columnInside = isColumnInside(math, origin, column);
  if (!row.mask)
    return math.both(isInside(math, row, origin), columnInside);
  return math.hasCommonBit(
      row.mask, math.select(columnInside, origin.tap.mask, math.constant32(0)));
}

bool ViewAddressing::isLinearInRows() const {
  return llvm::all_of(llvm::drop_begin(dimensions),
                      [](const Dimension &dim) { return dim.rows == 1; });
}

int64_t ViewAddressing::getAlignment(int64_t limit) const {
  return std::min(limit, commonDivisor & -commonDivisor);
}
