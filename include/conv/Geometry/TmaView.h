//===- TmaView.h - a matrix view as a TMA tensor ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the tensor memory accelerator copies tiles of a matrix view: the tensor
// map, and the coordinates of the box that holds a tile's panel.
//
//   view                            mode    tensor, innermost first
//   all positions, one tap          tiled   C, N*D*H*W
//   one row for each n (a filter)   tiled   C, W, H, D, N
//   all positions along W, one      tiled   C, W, H, D, N
//   along the others (filters last)
//   any other                       im2col  C, W, H, D, N
//
// In im2col mode the base positions of a pixel box are the rows at the tap that
// lies lowest: row position p at lower + p*stride. The distance from that tap
// is the offset, which the hardware adds and which cannot be negative. In tiled
// mode a tap moves the coordinate.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_TMAVIEW_H
#define CONV_GEOMETRY_TMAVIEW_H

#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convmlir {

/// Elements of a tiled box in one dimension; channels of an im2col box.
inline constexpr int64_t kMaxBoxExtent = 256;

/// Spatial lists have the innermost dimension (W) first, as the driver has it;
/// those of the tensor begin with the channels and end with the batch.
struct TmaView {
  /// A spatial dimension. Row position p (its index among `rows`) and tap r:
  /// coordinate = p * stride + base, and
  /// distance = r * step + tapBase is the offset, in tiled mode added to the
  /// coordinate.
  struct Dimension {
    int64_t rows, stride, base;
    int64_t taps, step, tapBase;
    bool operator==(const Dimension &) const = default;
  };
  bool isIm2col = false;
  bool isInterleaved = false; ///< Panels of a tile that is stored by one copy.
  bool isDense = false;       ///< In shared memory: no swizzle.
  /// Whether the group is the outermost dimension, for tiles that reach past
  /// the channels or the rows of one: what lies there reads zero, and is not
  /// stored. Im2col mode sees the batch as a spatial dimension then.
  bool hasGroups = false;
  std::vector<Dimension> dimensions; ///< Empty where positions are merged.
  int64_t groupChannels = 1;         ///< Channels of one group.

  /// Elements and bytes, as in conv/Runtime/TensorMap.h.
  int64_t byteOffset = 0; ///< Stores only.
  std::vector<int64_t> extents, byteStrides, elementStrides;
  std::vector<int64_t> box;            ///< Tiled mode only.
  std::vector<int64_t> lower, upper;   ///< Im2col mode only.
  int64_t boxRows = 1, boxColumns = 1; ///< In shared memory.

  /// What one copy gets: coordinates with the channel first and the batch last,
  /// or behind it the group, and in im2col mode the offsets.
  struct Place {
    std::vector<int64_t> coordinates, offsets;
  };
  /// Of the box whose first element is view[row, tap, channel] of a group of
  /// channels, or of rows. The row must be in the matrix: a base position
  /// outside of the pixel box is an illegal instruction.
  Place getPlace(int64_t row, int64_t tap, int64_t group,
                 int64_t channel) const;

  bool operator==(const TmaView &) const = default;
};

/// How TMA copies tiles of `tileRows` rows and `tileColumns` channels of the
/// view, whose channels `groups` groups share. Boxes are panels of the tile
/// (PanelTile). The error says what TMA cannot do: "TMA needs …, but …".
Result<TmaView> getTmaView(const MatrixView &view, int64_t groups,
                           int64_t elementBytes, int64_t tileRows,
                           int64_t tileColumns);

/// The same for tiles that are stored through a view that names no element
/// twice, such as the result's. Rows at a distance are a tensor of wider
/// strides that begins at the first of them: the phases of dgrad need no other
/// store.
Result<TmaView> getTmaStoreView(const MatrixView &view, int64_t groups,
                                int64_t elementBytes, int64_t tileRows,
                                int64_t tileColumns);

/// The same for tiles whose panels are interleaved, all of which one copy
/// stores. Rows must be those of a matrix, a multiple of eight of them, and
/// panels must end where the channels do. Memory takes whole rows faster than
/// one panel's part of all of them.
Result<TmaView> getTmaInterleavedStoreView(const MatrixView &view,
                                           int64_t groups, int64_t elementBytes,
                                           int64_t tileRows,
                                           int64_t tileColumns);

/// The same as getTmaView for several views of one tensor that differ in rows,
/// taps and offset: the stride phases of dgrad. They are of one mode, and those
/// with the same rows have the same tensor map, so that there are at most two
/// maps for each spatial dimension. `rowGroups` groups share the batch, where
/// tiles are to end with the rows of one; then there is one group of channels.
Result<std::vector<TmaView>> getTmaViews(const std::vector<MatrixView> &views,
                                         int64_t groups, int64_t elementBytes,
                                         int64_t tileRows, int64_t tileColumns,
                                         int64_t rowGroups = 1);

/// How TMA copies boxes of a dense channels-last tensor of this shape (batch,
/// extents, channels), in tiled mode. `box` has the extents of the innermost
/// dimensions; those that it leaves out are 1. Channels are cut into panels.
Result<TmaView> getTmaBoxView(const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &box,
                              int64_t elementBytes);

/// The same for boxes of any dense tensor whose lines, of the innermost
/// dimension, follow each other in shared memory as they are.
Result<TmaView> getTmaDenseView(const std::vector<int64_t> &shape,
                                const std::vector<int64_t> &box,
                                int64_t elementBytes);

/// The same for boxes [channel, position] of a tensor [batch, channel,
/// position] of 16-bit elements whose lines are skewed (RawRows.h). One copy
/// gets the coordinates position, 0, channel over classes and batch. `box` is
/// one panel of a multiple of the classes of channels, and so has the tensor.
Result<TmaView> getTmaSkewedView(const std::vector<int64_t> &shape,
                                 const std::vector<int64_t> &box);

/// Whether two views read through one tensor map.
bool hasSameMap(const TmaView &a, const TmaView &b);

/// The error of getTmaViews, or nothing where TMA can load the tiles.
std::string whyNoTensorMap(const std::vector<MatrixView> &views, int64_t groups,
                           int64_t elementBytes, int64_t tileRows,
                           int64_t tileColumns, int64_t rowGroups = 1);

} // namespace convmlir

#endif // CONV_GEOMETRY_TMAVIEW_H
