//===- TmaView.cpp - a matrix view as a TMA tensor ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a view and the tile that is copied. Output: the tensor map in numbers,
// or the limit of TMA that is in the way.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/TmaView.h"

#include "TmaDimensions.h"
#include "conv/Geometry/ConvGeometry.h"
#include "conv/Geometry/SharedTile.h"

#include <algorithm>
#include <map>

using namespace convmlir;

/// Base positions of an im2col box.
static constexpr int64_t kMaxPixels = 1024;

TmaView::Place TmaView::getPlace(int64_t row, int64_t tap, int64_t group,
                                 int64_t channel) const {
  Place place;
  int64_t first = group * groupChannels + channel;
  if (isInterleaved) {
    place.coordinates = {0, 0, first / boxColumns,
                         row / PanelTile::kInterleavedRows};
    return place;
  }
  place.coordinates.push_back(hasGroups ? channel : first);
  for (const Dimension &dim : dimensions) {
    int64_t coordinate = row % dim.rows * dim.stride + dim.base;
    int64_t distance = tap % dim.taps * dim.step + dim.tapBase;
    row /= dim.rows;
    tap /= dim.taps;
    if (isIm2col)
      place.offsets.push_back(distance);
    else
      coordinate += distance;
    place.coordinates.push_back(coordinate);
  }
  place.coordinates.push_back(row);
  if (hasGroups) {
    place.coordinates.push_back(group);
    if (isIm2col)
      place.offsets.push_back(0); // Of the batch.
  }
  return place;
}

/// True where the rows are all positions of the tensor, in their order.
static bool isPlainMatrix(const MatrixView &view) {
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.rows[d] != view.extent[d] || view.taps[d] != 1 ||
        view.offset[d] != 0 || (view.rows[d] > 1 && view.stride[d] != 1))
      return false;
  return true;
}

static bool hasOneRowPerImage(const MatrixView &view) {
  return std::all_of(view.rows.begin(), view.rows.begin() + view.spatialRank,
                     [](int64_t rows) { return rows == 1; });
}

/// True where the rows are all positions of the innermost dimension, and there
/// are several: filters last (FiltersLast.h). A tile's rows are neighbours.
static bool hasInnerRows(const MatrixView &view) {
  int inner = view.spatialRank - 1;
  return view.batch == 1 && view.strips == 1 && view.rows[inner] > 1 &&
         view.rows[inner] == view.extent[inner] && view.taps[inner] == 1 &&
         view.stride[inner] == 1 && view.offset[inner] == 0 &&
         view.numRows() == view.rows[inner];
}

void convmlir::addDimension(TmaView &tma, int64_t extent,
                            int64_t elementBytes) {
  if (tma.byteStrides.empty() && !tma.extents.empty())
    tma.byteStrides.push_back(tma.extents.back() * elementBytes);
  else if (!tma.extents.empty())
    tma.byteStrides.push_back(tma.byteStrides.back() * tma.extents.back());
  tma.extents.push_back(extent);
  tma.elementStrides.push_back(1);
}

Status convmlir::checkStride(int64_t channels, int64_t elementBytes) {
  if (channels * elementBytes % kStrideUnit == 0)
    return {};
  return Error{"TMA needs channels of a multiple of " +
               std::to_string(kStrideUnit) + " bytes, but there are " +
               std::to_string(channels) + " of " +
               std::to_string(elementBytes)};
}

Status convmlir::checkLargestStride(const TmaView &tma) {
  constexpr int64_t limit = int64_t(1) << 40;
  for (int64_t stride : tma.byteStrides)
    if (stride >= limit)
      return Error{"TMA has strides below 2^40 bytes, but one is " +
                   std::to_string(stride)};
  return {};
}

static TmaView viewAsMatrix(const MatrixView &view, int64_t elementBytes) {
  TmaView tma;
  addDimension(tma, view.channels, elementBytes);
  addDimension(tma, view.numRows(), elementBytes);
  return tma;
}

/// All dimensions of the tensor. `base` of a dimension is left at the view's
/// offset.
static TmaView viewAsTensor(const MatrixView &view, int64_t elementBytes) {
  TmaView tma;
  addDimension(tma, view.channels, elementBytes);
  for (int d = view.spatialRank - 1; d >= 0; --d) {
    addDimension(tma, view.extent[d], elementBytes);
    // A phase that no tap reaches reads nothing, from somewhere.
    int64_t taps = std::max<int64_t>(view.taps[d], 1);
    tma.dimensions.push_back(
        {view.rows[d], view.stride[d], view.offset[d], taps, view.step[d], 0});
  }
  addDimension(tma, view.batch, elementBytes);
  return tma;
}

/// Lets taps count from the one that lies lowest, and the pixel box hold just
/// the rows.
static void makeIm2col(TmaView &tma) {
  tma.isIm2col = true;
  for (size_t d = 0; d < tma.dimensions.size(); ++d) {
    TmaView::Dimension &dim = tma.dimensions[d];
    int64_t lowest = std::min<int64_t>(0, (dim.taps - 1) * dim.step);
    dim.base += lowest;
    dim.tapBase = -lowest;
    tma.lower.push_back(dim.base);
    tma.upper.push_back(dim.base + (dim.rows - 1) * dim.stride -
                        (tma.extents[d + 1] - 1));
    // Of one row nothing is stepped over.
    tma.elementStrides[d + 1] = dim.rows == 1 ? 1 : dim.stride;
  }
}

static Status checkIm2col(const TmaView &tma, const MatrixView &view) {
  TmaBox box;
  for (int d = 0; d < view.spatialRank; ++d) {
    size_t i = view.spatialRank - 1 - d;
    box.lower[d] = tma.lower[i];
    box.upper[d] = tma.upper[i];
    box.elementStride[d] = tma.elementStrides[i + 1];
    box.tapStep[d] = std::abs(view.step[d]);
  }
  return checkTmaRanges(box, view, tma.lower.size());
}

/// Whether a tile of so many channels reaches from one group into the next.
static bool passesGroup(const MatrixView &view, int64_t groups,
                        int64_t tileColumns) {
  return groups > 1 && view.channels / groups % tileColumns != 0;
}

/// Makes the group the outermost dimension, behind the batch; see hasGroups.
static Status addGroups(TmaView &tma, int64_t groups, bool ofRows,
                        int64_t elementBytes) {
  constexpr size_t mostDimensions = 5;
  if (tma.extents.size() == mostDimensions)
    return Error{"TMA has " + std::to_string(mostDimensions) +
                 " dimensions, but tiles that reach past the end of a group "
                 "need one more"};
  int64_t &extent = ofRows ? tma.extents.back() : tma.extents.front();
  extent /= groups;
  int64_t pitch = ofRows ? tma.byteStrides.back() : elementBytes;
  if (Status status = checkStride(extent * pitch, /*elementBytes=*/1); !status)
    return Error{"TMA needs groups of a multiple of " +
                 std::to_string(kStrideUnit) + " bytes, but one has " +
                 std::to_string(extent * pitch)};
  tma.hasGroups = true;
  tma.byteStrides.push_back(extent * pitch);
  tma.extents.push_back(groups);
  tma.elementStrides.push_back(1);
  if (tma.isIm2col) {
    tma.lower.push_back(0);
    tma.upper.push_back(0);
  } else {
    tma.box.push_back(1);
  }
  return {};
}

/// Whether the tile can be copied at all; then the sizes of a box.
static Status setBox(TmaView &tma, const MatrixView &view, int64_t groups,
                     int64_t elementBytes, int64_t tileRows,
                     int64_t tileColumns) {
  if (view.strips != 1)
    return Error{"TMA needs rows in one strip, but they are in " +
                 std::to_string(view.strips)};
  if (!PanelTile::isPossible(tileColumns, elementBytes))
    return Error{"TMA needs tiles with rows of a multiple of 32 "
                 "bytes, but they have " +
                 std::to_string(tileColumns * elementBytes)};
  if (Status status = checkStride(view.channels, elementBytes); !status)
    return status;
  if (Status status = checkLargestStride(tma); !status)
    return status;
  int64_t maxRows = tma.isIm2col ? kMaxPixels : kMaxBoxExtent;
  if (tileRows > maxRows)
    return Error{"TMA copies at most " + std::to_string(maxRows) + " rows in " +
                 (tma.isIm2col ? "im2col" : "tiled") +
                 " mode, but the tile has " + std::to_string(tileRows)};
  PanelTile tile(tileRows, tileColumns, elementBytes);
  tma.groupChannels = view.channels / groups;
  tma.boxRows = tileRows;
  tma.boxColumns = tile.getPanelColumns();
  if (!tma.isIm2col) {
    tma.box.assign(tma.extents.size(), 1);
    tma.box.front() = tma.boxColumns;
    (hasInnerRows(view) ? tma.box[1] : tma.box.back()) = tma.boxRows;
  }
  if (passesGroup(view, groups, tileColumns))
    return addGroups(tma, groups, /*ofRows=*/false, elementBytes);
  return {};
}

enum class LoadMode { Matrix, Tiled, Im2col };

/// Coordinates are signed and have 32 bits; a tile may begin anywhere in the
/// matrix.
static Status checkRows(const MatrixView &view) {
  constexpr int64_t limit = int64_t(1) << 31;
  if (view.numRows() < limit)
    return {};
  return Error{"TMA has coordinates below 2^31, but there are " +
               std::to_string(view.numRows()) + " rows"};
}

/// The plainest mode in which the rows of all views can be loaded. Tiles of
/// images are for one row of each; those of a plain matrix may have more.
static LoadMode getLoadMode(const std::vector<MatrixView> &views) {
  if (std::all_of(views.begin(), views.end(), isPlainMatrix))
    return LoadMode::Matrix;
  return std::all_of(views.begin(), views.end(), hasOneRowPerImage) ||
                 std::all_of(views.begin(), views.end(), hasInnerRows)
             ? LoadMode::Tiled
             : LoadMode::Im2col;
}

/// Where the lowest of the views with so many rows begins along a dimension.
static std::map<int64_t, int64_t>
getLowestOfRows(const std::vector<TmaView> &views, size_t d) {
  std::map<int64_t, int64_t> lowest;
  for (const TmaView &tma : views) {
    int64_t &low =
        lowest.try_emplace(tma.dimensions[d].rows, tma.lower[d]).first->second;
    low = std::min(low, tma.lower[d]);
  }
  return lowest;
}

/// Lets the pixel boxes of views with the same rows begin at the same place:
/// what lies between is added to the offsets.
static void shareBoxes(std::vector<TmaView> &views) {
  for (size_t d = 0; d < views.front().dimensions.size(); ++d) {
    std::map<int64_t, int64_t> lowest = getLowestOfRows(views, d);
    for (TmaView &tma : views) {
      TmaView::Dimension &dim = tma.dimensions[d];
      int64_t base = lowest[dim.rows];
      tma.lower[d] = base;
      tma.upper[d] =
          base + (dim.rows - 1) * dim.stride - (tma.extents[d + 1] - 1);
    }
  }
  for (TmaView &tma : views)
    for (size_t d = 0; d < tma.dimensions.size(); ++d) {
      TmaView::Dimension &dim = tma.dimensions[d];
      dim.tapBase += dim.base - tma.lower[d];
      dim.base = tma.lower[d];
    }
}

/// Largest offset that an instruction of im2col mode has bits for.
static int64_t getMaxOffset(size_t spatialRank) {
  return spatialRank == 1 ? 65534 : spatialRank == 2 ? 254 : 30;
}

static Status checkOffsets(const TmaView &tma) {
  for (const TmaView::Dimension &dim : tma.dimensions) {
    int64_t last = dim.tapBase + (dim.taps - 1) * dim.step;
    int64_t highest = std::max(dim.tapBase, last);
    if (int64_t limit = getMaxOffset(tma.lower.size()); highest > limit)
      return Error{"TMA has offsets of up to " + std::to_string(limit) +
                   ", but a tap lies " + std::to_string(highest) +
                   " from the first"};
  }
  return {};
}

Result<std::vector<TmaView>>
convmlir::getTmaViews(const std::vector<MatrixView> &views, int64_t groups,
                      int64_t elementBytes, int64_t tileRows,
                      int64_t tileColumns, int64_t rowGroups) {
  LoadMode mode = getLoadMode(views);
  std::vector<TmaView> result;
  for (const MatrixView &view : views) {
    if (Status status = checkRows(view); !status)
      return status.takeError();
    TmaView tma = mode == LoadMode::Matrix ? viewAsMatrix(view, elementBytes)
                                           : viewAsTensor(view, elementBytes);
    if (mode == LoadMode::Im2col)
      makeIm2col(tma);
    if (Status status =
            setBox(tma, view, groups, elementBytes, tileRows, tileColumns);
        !status)
      return status.takeError();
    if (rowGroups > 1)
      if (Status status =
              addGroups(tma, rowGroups, /*ofRows=*/true, elementBytes);
          !status)
        return status.takeError();
    if (mode == LoadMode::Im2col)
      if (Status status = checkIm2col(tma, view); !status)
        return status.takeError();
    result.push_back(std::move(tma));
  }
  if (mode != LoadMode::Im2col)
    return result;
  shareBoxes(result);
  for (const TmaView &tma : result)
    if (Status status = checkOffsets(tma); !status)
      return status.takeError();
  return result;
}

Result<TmaView> convmlir::getTmaView(const MatrixView &view, int64_t groups,
                                     int64_t elementBytes, int64_t tileRows,
                                     int64_t tileColumns) {
  Result<std::vector<TmaView>> views =
      getTmaViews({view}, groups, elementBytes, tileRows, tileColumns);
  if (!views)
    return views.takeError();
  return views->front();
}

bool convmlir::hasSameMap(const TmaView &a, const TmaView &b) {
  return a.isIm2col == b.isIm2col && a.extents == b.extents &&
         a.byteStrides == b.byteStrides && a.byteOffset == b.byteOffset &&
         a.elementStrides == b.elementStrides && a.box == b.box &&
         a.lower == b.lower && a.upper == b.upper && a.boxRows == b.boxRows &&
         a.boxColumns == b.boxColumns && a.isDense == b.isDense;
}

/// Makes the rows all positions of a smaller tensor.
static void gatherRows(TmaView &tma) {
  tma.isIm2col = true;
  for (size_t d = 0; d < tma.dimensions.size(); ++d) {
    TmaView::Dimension &dim = tma.dimensions[d];
    tma.byteOffset += dim.base * tma.byteStrides[d];
    tma.byteStrides[d] *= dim.stride;
    tma.extents[d + 1] = dim.rows;
    dim.base = 0;
    dim.stride = 1;
    tma.lower.push_back(0);
    tma.upper.push_back(0);
  }
}

Result<TmaView> convmlir::getTmaStoreView(const MatrixView &view,
                                          int64_t groups, int64_t elementBytes,
                                          int64_t tileRows,
                                          int64_t tileColumns) {
  for (int d = 0; d < view.spatialRank; ++d) {
    int64_t last = view.offset[d] + (view.rows[d] - 1) * view.stride[d];
    if (view.taps[d] != 1 || view.offset[d] < 0 || last >= view.extent[d])
      return Error{"TMA stores rows inside the tensor only, but spatial "
                   "dimension " +
                   std::to_string(d) + " has rows from " +
                   std::to_string(view.offset[d]) + " to " +
                   std::to_string(last) + " of " +
                   std::to_string(view.extent[d])};
  }
  if (Status status = checkRows(view); !status)
    return status.takeError();
  bool isMatrix = isPlainMatrix(view);
  if (!isMatrix && passesGroup(view, groups, tileColumns))
    return Error{
        "TMA stores tiles that reach past the end of a group into rows "
        "of a matrix only: else rows past the last one are those of "
        "the next group"};
  TmaView tma = isMatrix ? viewAsMatrix(view, elementBytes)
                         : viewAsTensor(view, elementBytes);
  if (!isMatrix)
    gatherRows(tma);
  if (Status status =
          setBox(tma, view, groups, elementBytes, tileRows, tileColumns);
      !status)
    return status.takeError();
  return tma;
}

Result<TmaView> convmlir::getTmaInterleavedStoreView(const MatrixView &view,
                                                     int64_t groups,
                                                     int64_t elementBytes,
                                                     int64_t tileRows,
                                                     int64_t tileColumns) {
  constexpr int64_t unit = PanelTile::kInterleavedRows;
  if (!isPlainMatrix(view))
    return Error{"TMA stores interleaved panels into rows of a matrix only"};
  Result<TmaView> plain =
      getTmaStoreView(view, groups, elementBytes, tileRows, tileColumns);
  if (!plain)
    return plain.takeError();
  if (plain->hasGroups)
    return Error{"TMA stores interleaved panels of whole groups only"};
  if (view.numRows() % unit != 0 || tileRows % unit != 0)
    return Error{"TMA stores interleaved panels of a multiple of " +
                 std::to_string(unit) + " rows, but the tile has " +
                 std::to_string(tileRows) + " of " +
                 std::to_string(view.numRows())};
  int64_t columns = plain->boxColumns;
  if (view.channels % columns != 0)
    return Error{"TMA stores interleaved panels of a multiple of " +
                 std::to_string(columns) + " channels, but there are " +
                 std::to_string(view.channels)};
  TmaView tma = std::move(*plain);
  int64_t panels = tileColumns / columns, rowBytes = tma.byteStrides.front();
  tma.isInterleaved = true;
  tma.extents = {columns, unit, view.channels / columns, view.numRows() / unit};
  tma.byteStrides = {rowBytes, columns * elementBytes, unit * rowBytes};
  tma.elementStrides = {1, 1, 1, 1};
  tma.box = {columns, unit, panels, tileRows / unit};
  tma.boxRows = panels * tileRows;
  return tma;
}

std::string convmlir::whyNoTensorMap(const std::vector<MatrixView> &views,
                                     int64_t groups, int64_t elementBytes,
                                     int64_t tileRows, int64_t tileColumns,
                                     int64_t rowGroups) {
  Result<std::vector<TmaView>> tma = getTmaViews(
      views, groups, elementBytes, tileRows, tileColumns, rowGroups);
  return tma ? std::string() : tma.error();
}
