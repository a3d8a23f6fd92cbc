//===- WgradWindowShape.h - blocks of wgrad with windows --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from a schedule of wgrad with `window` and the view of the
// input: the taps of a tile, the box of positions of a block, what a slot of
// the ring holds and what is loaded as it lies (conv/Geometry/RawWindow.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_WGRADWINDOWSHAPE_H
#define CONV_SCHEDULE_FORMS_WGRADWINDOWSHAPE_H

#include "conv/Geometry/RawWindow.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/TapRuns.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// Rows of a tile: the channels of a line of dy.
inline constexpr int64_t kWgradWindowRows = 64;

/// Barriers, full and empty ones together, of slots and boxes.
inline constexpr int64_t kMostWindowBarriers = kBarrierBytes / 16;

/// Bytes of the lines of a block of one image, in a slot of the ring, that
/// warps make of boxes: so many 16-bit channels of each.
int64_t getRawSlotBytes(const convmlir::WindowBlock &block, int64_t channels);

/// Blocks of which there are boxes at a time, so many with so many bytes for
/// each: two where shared memory has room for them beside a ring whose slots
/// have `slotBytes`, else one.
int64_t getBoxSlots(ScheduleAttr schedule, int64_t boxes, int64_t boxBytes,
                    int64_t slotBytes);

/// A tile and its blocks; elements of both operands have `elementBytes`.
struct WgradWindow {
  convmlir::Spatial taps; ///< Of a tile.
  TapRuns runs;           ///< Of a warpgroup.
  convmlir::MatrixView padded;
  convmlir::WindowBlock block;
  int64_t line; ///< Channels of a line of the window.
  /// Of a block, in memory; more than the block has where dy is K-major.
  int64_t dyPositions = 0;
  /// What dy and the window are made of where they come as they lie.
  std::optional<convmlir::RawWindow> rawDy = std::nullopt, raw = std::nullopt;

  int64_t getBlocks() const {
    return convmlir::countBlocks(padded, block.getPositions());
  }
  /// Of one instruction.
  int64_t getMostColumns() const {
    int64_t most = 0;
    for (TapRun run : runs)
      most = std::max(most, run.number * line);
    return most;
  }
  /// Of a slot of the ring, which begins at a multiple of eight lines.
  int64_t getSlotBytes(int64_t elementBytes) const {
    convmlir::WindowBlock box = block;
    box.window = box.box;
    box.packed.reset();
    return getWindowBytes(elementBytes) +
           (rawDy ? getRawSlotBytes(box, kWgradWindowRows)
                  : dyPositions * kWgradWindowRows * elementBytes);
  }
  int64_t getWindowBytes(int64_t elementBytes) const {
    return raw ? getRawSlotBytes(block, line)
               : llvm::alignTo(block.getWindowLines(), 8) * line * elementBytes;
  }
  /// Of boxes, which warps transpose.
  int64_t getRawBytes() const {
    return (rawDy ? rawDy->getBytes(kWgradWindowRows) : 0) +
           (raw ? raw->getBytes(line) : 0);
  }
  int64_t countBoxes() const {
    return (rawDy ? rawDy->getBoxes() : 0) + (raw ? raw->getBoxes() : 0);
  }
  /// Bytes of a block that TMA copies.
  int64_t getCopiedBytes(int64_t elementBytes) const {
    int64_t dy = rawDy ? 0 : dyPositions * kWgradWindowRows;
    int64_t x = raw ? 0 : block.getWindowLines() * line;
    return (dy + x) * elementBytes + getRawBytes();
  }
};

/// The padded view of dy: the same positions, of another tensor.
convmlir::MatrixView getDyView(const convmlir::MatrixView &padded,
                               const convmlir::MatrixView &view);

/// What a block of so many positions of a padded view is made of where it comes
/// as it lies.
convmlir::Result<convmlir::RawWindow>
getRawWindow(const convmlir::MatrixView &padded, const convmlir::Spatial &taps,
             int64_t positions);

/// Whether a kernel that loads x as it lies leaves the transposition of dy to
/// another one, since TMA cannot load dy so. Both views are padded; `taps` are
/// those of a tile and `positions` those of a block.
bool transposesDyApart(const convmlir::MatrixView &dy,
                       const convmlir::MatrixView &x,
                       const convmlir::Spatial &taps, int64_t positions);

/// The same of a shape with a view of a window, where both are gathered.
bool transposesDyApart(ScheduleAttr schedule, const GemmShape &gemm);

/// The error says why there is none. `line`: channels of a line of the window.
/// Says nothing of what is gathered.
convmlir::Result<WgradWindow> getWgradWindow(ScheduleAttr schedule,
                                             const convmlir::MatrixView &view,
                                             int64_t line);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_WGRADWINDOWSHAPE_H
