//===- ViewAddressing.cpp - a view's index map as arithmetic --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewAddressing.h"
#include "Intervals.h"

#include "IndexRange.h"
#include "KnownDivisor.h"
#include "TileChunks.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// A coordinate that fails every test, whichever tap is added to it. It fits
/// the index type: taps that reach further have wide indices.
static int64_t getOutside(ArrayRef<ViewAttr> views) {
  int64_t reach = 0;
  for (ViewAttr view : views)
    reach = std::max(reach, getTapReach(view));
  return reach < kWideIndices ? -kWideIndices : -kWideIndices - reach;
}

bool ViewAddressing::Dimension::isIdentity() const {
  return rows == ByPhase{extent} && taps == ByPhase{1} && stride == 1 &&
         offset == ByPhase{0};
}

bool ViewAddressing::Dimension::hasOneRow() const {
  return rows == ByPhase{1};
}

/// Filters of at most so many taps have their tests in one register for each
/// row, made before the gemm-k loop.
static constexpr int64_t kMaxMaskedTaps = 32;
/// A ring that runs ahead passes the last tap by less than this.
static constexpr int64_t kMostAhead = 16;

bool conv::leavesExtent(ViewAttr view, int64_t dim, int64_t extent) {
  int64_t offset = view.getOffset()[dim], rows = view.getRows()[dim];
  if (dim + 1 == view.getSpatialRank())
    rows *= view.getStrips();
  int64_t lastRow = (rows - 1) * view.getStride()[dim];
  int64_t taps = std::max<int64_t>(view.getTaps()[dim], 1);
  int64_t lastTap = (taps - 1) * view.getStep()[dim];
  int64_t low =
      offset + std::min<int64_t>(0, lastRow) + std::min<int64_t>(0, lastTap);
  int64_t high =
      offset + std::max<int64_t>(0, lastRow) + std::max<int64_t>(0, lastTap);
  return low < 0 || high >= extent;
}

/// True if a tile that starts at `offset` can reach past `extent`. A tile that
/// starts at a multiple of its size starts before the extent.
static bool passesExtent(OpFoldResult offset, int64_t size, int64_t extent) {
  return extent == 0 || extent % size != 0 ||
         getKnownDivisor(offset) % size != 0;
}

//===----------------------------------------------------------------------===//
// What is known of all tiles
//===----------------------------------------------------------------------===//

ViewAddressing::ByPhase
ViewAddressing::collect(function_ref<int64_t(ViewAttr)> of) const {
  ByPhase values = llvm::map_to_vector<1>(tile.views, of);
  if (llvm::all_equal(values))
    values.truncate(1);
  return values;
}

ViewAddressing::ViewAddressing(const ViewTile &tile, ArrayRef<int64_t> shape,
                               int64_t tileRows, int64_t tileColumns,
                               ChangingOffsets changing, bool channelsFirst)
    : tile(tile), view(tile.views.front()) {
  int64_t channels = shape.back();
  int64_t batch = shape.front() / view.getRowGroups();
  // A matrix without taps, of a stride phase that none reaches, reads zero.
  numRows = collect([&](ViewAttr view) {
    return view.getNumTaps() == 0 ? 0 : batch * view.getRowsPerImage();
  });
  groupChannels = channels / view.getGroups();
  OpFoldResult row = tile.offsets[view.getRowDim()];
  OpFoldResult channel = tile.offsets.back();
  rowsTested = (changing.row && !getConstantIntValue(row)) ||
               llvm::any_of(numRows, [&](int64_t rows) {
                 return passesExtent(row, tileRows, rows);
               });
  columnsTested = (changing.channel && !getConstantIntValue(channel)) ||
                  passesExtent(channel, tileColumns, groupChannels);
  commonDivisor =
      std::gcd(std::gcd(channels, groupChannels), getKnownDivisor(channel));
  rowGroupsTested = changing.rowGroup;
  rowGroupElements = batch * llvm::product_of(shape.drop_front(), int64_t(1));
  if (channelsFirst)
    channelPitch = llvm::product_of(shape.drop_front().drop_back(), int64_t(1));
  addDimensions(shape);
  for (Dimension &dim : llvm::drop_begin(dimensions))
    dim.pitch /= channelsFirst ? channels : 1;
  hasInnerRows = dimensions.size() > 1 && getMostTaps() > 1 &&
                 view.getStrips() == 1 && !channelsFirst &&
                 dimensions.back().isIdentity() &&
                 llvm::all_of(llvm::drop_end(dimensions), [](const auto &dim) {
                   return dim.hasOneRow();
                 });
  // Elsewhere a row meets one tap, which is tested faster than masked.
  int64_t taps = getMostTaps();
  tapsMasked = changing.tap && !changing.row && taps > 1 &&
               taps <= kMaxMaskedTaps &&
               llvm::any_of(dimensions, [](auto &dim) { return dim.isTested; });
}

ViewAddressing::Dimension ViewAddressing::getDimension(ArrayRef<int64_t> shape,
                                                       int64_t dim) const {
  int64_t extent = shape[1 + dim];
  Dimension result;
  result.rows = collect([&](ViewAttr v) { return v.getRows()[dim]; });
  result.taps = collect([&](ViewAttr v) { return v.getTaps()[dim]; });
  result.offset = collect([&](ViewAttr v) { return v.getOffset()[dim]; });
  result.stride = view.getStride()[dim];
  result.step = view.getStep()[dim];
  result.extent = extent;
  result.pitch = shape.back();
  result.isTested = llvm::any_of(
      tile.views, [&](ViewAttr v) { return leavesExtent(v, dim, extent); });
  return result;
}

void ViewAddressing::addDimensions(ArrayRef<int64_t> shape) {
  int64_t batch = shape.front() / view.getRowGroups();
  dimensions.push_back({{batch}, {1}, 1, 1, {0}, batch, shape.back(), false});
  for (int64_t i = 0, rank = view.getSpatialRank(); i < rank; ++i) {
    Dimension inner = getDimension(shape, i);
    for (Dimension &outer : dimensions)
      outer.pitch *= inner.extent;
    Dimension &outer = dimensions.back();
    bool isWhole = view.getStrips() == 1 || i + 1 < rank;
    // Channels stand between the batch and the others.
    if (channelPitch > 1 && dimensions.size() == 1)
      isWhole = false;
    if (inner.isIdentity() && outer.isIdentity() && isWhole) {
      outer.rows.front() *= inner.extent;
      outer.extent *= inner.extent;
      outer.pitch = inner.pitch;
    } else {
      dimensions.push_back(inner);
    }
  }
}

int64_t ViewAddressing::getMostTaps() const {
  int64_t most = 0;
  for (ViewAttr view : tile.views)
    most = std::max(most, view.getNumTaps());
  return most;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// The number of the tile's phase, found where the phase is known.
Value ViewAddressing::lookUp(IndexMath &math, ArrayRef<int64_t> values) const {
  if (values.size() == 1)
    return math.constant(values.front());
  OpBuilder builder(math.getBuilder().getContext());
  setInsertionPointAfter(builder, tile.phase);
  IndexMath behind(builder, math.getLoc());
  return lookUpEntry(behind, tile.phase, values);
}

/// The products of two tables.
static SmallVector<int64_t, 1> multiply(ArrayRef<int64_t> a,
                                        ArrayRef<int64_t> b) {
  SmallVector<int64_t, 1> result;
  for (size_t i = 0, e = std::max(a.size(), b.size()); i < e; ++i)
    result.push_back(a[a.size() == 1 ? 0 : i] * b[b.size() == 1 ? 0 : i]);
  return result;
}

/// The bit of a tap of a dimension inside of which there are `width` bits.
Value ViewAddressing::lookUpShift(IndexMath &math, ArrayRef<int64_t> width,
                                  int64_t tap) const {
  SmallVector<int64_t, 1> shifts = multiply(width, tap);
  if (shifts.size() == 1)
    return math.constant32(shifts.front());
  // Those of taps that a phase does not have are not used, but must be small.
  for (int64_t &shift : shifts)
    shift = std::min<int64_t>(shift, kMaxMaskedTaps - 1);
  return math.toInt32(lookUp(math, shifts));
}

Value ViewAddressing::takeRemainder(IndexMath &math, Value &value,
                                    ArrayRef<int64_t> divisor) const {
  Value whole = value;
  if (divisor.size() == 1) {
    Value remainder = math.rem(whole, divisor.front());
    value = math.div(whole, divisor.front());
    return remainder;
  }
  Value number = lookUp(math, divisor);
  value = math.div(whole, number);
  return math.sub(whole, math.mul(value, number));
}

/// The strip of a row, or null where there is one. `row` receives the row that
/// it would be in a view of the first strip alone. Phases have no strips.
Value ViewAddressing::takeStrip(IndexMath &math, Value &row) const {
  int64_t strips = view.getStrips();
  if (strips == 1)
    return Value();
  int64_t rows = view.getRowsPerImage() / strips;
  Value image = math.div(row, rows * strips);
  Value strip = math.rem(math.div(row, rows), strips);
  row = math.add(math.mul(image, rows), math.rem(row, rows));
  return strip;
}

/// The same for taps. There are few, so that a division by a number that is not
/// constant is a multiplication: floor(t / n) = t * ceil(2^16 / n) / 2^16 where
/// t * n < 2^16.
Value ViewAddressing::takeTap(IndexMath &math, Value &tap,
                              ArrayRef<int64_t> taps) const {
  if (taps.size() == 1)
    return takeRemainder(math, tap, taps);
  constexpr int64_t one = int64_t(1) << 16;
  auto positive = llvm::map_to_vector(
      taps, [](int64_t n) { return std::max<int64_t>(n, 1); });
  if ((getMostTaps() + kMostAhead) * *llvm::max_element(positive) >= one)
    return takeRemainder(math, tap, positive);
  auto reciprocals = llvm::map_to_vector(
      positive, [&](int64_t n) { return (one + n - 1) / n; });
  Value whole = tap;
  tap = math.div(math.mul(whole, lookUp(math, reciprocals)), one);
  return math.sub(whole, math.mul(tap, lookUp(math, positive)));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

ViewAddressing::Position ViewAddressing::getRow(IndexMath &math,
                                                Value rowInTile) const {
  Value row = math.add(math.toValue(tile.offsets[view.getRowDim()]), rowInTile);
  Position result;
  if (rowsTested)
    result.exists = math.isBelow(row, lookUp(math, numRows));
  result.element = math.constant(0);
  Value strip = takeStrip(math, row);
  for (size_t i = dimensions.size(); i-- > 0;) {
    const Dimension &dim = dimensions[i];
    // The outermost index is what is left after the others were taken out.
    Value index;
    if (hasInnerRows)
      index = i + 1 == dimensions.size() ? row : math.constant(0);
    else
      index = i == 0 ? row : takeRemainder(math, row, dim.rows);
    if (strip && i + 1 == dimensions.size())
      index = math.add(index, math.mul(strip, dim.rows.front()));
    Value coordinate =
        math.add(math.mul(index, dim.stride), lookUp(math, dim.offset));
    result.element = math.add(result.element, math.mul(coordinate, dim.pitch));
    if (!dim.isTested)
      continue;
    // A row past the matrix is put outside the tensor: one test for both.
    if (result.exists && result.coordinates.empty())
      coordinate = math.select(result.exists, coordinate,
                               math.constant(getOutside(tile.views)));
    result.coordinates.push_back(coordinate);
  }
  if (!result.coordinates.empty())
    result.exists = nullptr;
  if (tapsMasked)
    result.mask = getTapMask(math, result);
  return result;
}

/// Dimension by dimension, the innermost first: the mask so far is repeated for
/// every tap of the dimension that lies inside. Where phases have different
/// numbers of taps, those that the phase does not have are outside.
Value ViewAddressing::getTapMask(IndexMath &math, const Position &row) const {
  Value zero = math.constant32(0), mask = math.constant32(1);
  ByPhase width = {1};
  unsigned next = 0;
  for (const Dimension &dim : llvm::reverse(dimensions)) {
    Value inner = mask;
    for (int64_t tap = 0; tap < *llvm::max_element(dim.taps); ++tap) {
      Value part = math.shiftLeft(inner, lookUpShift(math, width, tap));
      Value inside;
      if (dim.taps.size() > 1)
        inside = math.isBelow(math.constant(tap), lookUp(math, dim.taps));
      if (dim.isTested) {
        Value coordinate = math.add(row.coordinates[next], tap * dim.step);
        inside = math.both(inside, math.isBelow(coordinate, dim.extent));
      }
      part = math.select(inside, part, zero);
      mask = tap == 0 ? part : math.bitOr(mask, part);
    }
    next += dim.isTested;
    width = multiply(width, dim.taps);
  }
  return mask;
}

ViewAddressing::Position ViewAddressing::getTap(IndexMath &math,
                                                Value tap) const {
  Position result;
  result.element = math.constant(0);
  if (tapsMasked) {
    result.mask = math.shiftLeft(math.constant32(1), math.toInt32(tap));
    // A shift by as many bits as there are is undefined.
    if (getMostTaps() + kMostAhead > kMaxMaskedTaps)
      result.mask = math.select(math.isBelow(tap, kMaxMaskedTaps), result.mask,
                                math.constant32(0));
  }
  for (const Dimension &dim : llvm::reverse(dimensions)) {
    Value index = takeTap(math, tap, dim.taps);
    Value distance = math.mul(index, dim.step);
    result.element = math.add(result.element, math.mul(distance, dim.pitch));
    if (dim.isTested)
      result.coordinates.push_back(distance);
  }
  return result;
}

ViewAddressing::Origin ViewAddressing::getOrigin(IndexMath &math) const {
  return getOriginOfTap(math, math.toValue(tile.offsets[view.getTapDim()]));
}

SmallVector<ViewAddressing::Origin>
ViewAddressing::getOrigins(IndexMath &math, Value first, int64_t number) const {
  first = math.add(math.toValue(tile.offsets[view.getTapDim()]), first);
  SmallVector<Origin> origins;
  for (int64_t tap = 0; tap < number; ++tap)
    origins.push_back(getOriginOfTap(math, math.add(first, tap)));
  return origins;
}

ViewAddressing::Origin ViewAddressing::getOriginOfTap(IndexMath &math,
                                                      Value tap) const {
  Origin origin;
  origin.tap = getTap(math, tap);
  origin.channel = math.toValue(tile.offsets.back());
  origin.channelOfAll = origin.channel;
  if (view.getGroups() > 1) {
    Value group = math.toValue(tile.offsets[view.getTapDim() + 1]);
    origin.channelOfAll =
        math.add(origin.channel, math.mul(group, groupChannels));
  }
  origin.increment = math.add(origin.tap.element, origin.channelOfAll);
  if (view.getRowGroups() > 1) {
    Value group = math.toValue(tile.offsets.front());
    // What is past the last block is read from somewhere, for nothing.
    if (rowGroupsTested)
      group = math.select(math.isBelow(group, view.getRowGroups()), group,
                          math.constant(0));
    origin.rowGroup = math.mul(group, rowGroupElements);
    origin.increment = math.add(origin.increment, origin.rowGroup);
  }
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

Value ViewAddressing::getElement(IndexMath &math, const Position &row,
                                 const Origin &origin, Value column) const {
  if (channelPitch == 1)
    return math.add(math.add(row.element, origin.increment), column);
  Value element = math.add(row.element, origin.tap.element);
  if (origin.rowGroup)
    element = math.add(element, origin.rowGroup);
  return math.add(
      element, math.mul(math.add(origin.channelOfAll, column), channelPitch));
}

int64_t ViewAddressing::getPositionsOfImage() const {
  bool isWhole = dimensions.size() == 2 && dimensions.back().isIdentity() &&
                 dimensions.back().pitch == 1 && view.getStrips() == 1 &&
                 view.getRowGroups() == 1;
  return isWhole ? dimensions.back().extent : 0;
}

int64_t ViewAddressing::getRowRun(int64_t limit) const {
  const Dimension &inner = dimensions.back();
  if (inner.stride != 1 || inner.pitch != 1)
    return 1;
  int64_t divisor =
      std::gcd(inner.extent, getKnownDivisor(tile.offsets[view.getRowDim()]));
  for (int64_t value : llvm::concat<const int64_t>(inner.rows, inner.offset))
    divisor = std::gcd(divisor, value);
  return std::min(limit, divisor & -divisor);
}

bool ViewAddressing::isLinearInRows() const {
  return hasInnerRows ||
         llvm::all_of(llvm::drop_begin(dimensions),
                      [](const Dimension &dim) { return dim.hasOneRow(); });
}

int64_t ViewAddressing::getRowPitch() const {
  return (hasInnerRows ? dimensions.back() : dimensions.front()).pitch;
}

int64_t ViewAddressing::getAlignment(int64_t limit) const {
  return std::min(limit, commonDivisor & -commonDivisor);
}
