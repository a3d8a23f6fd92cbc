//===- GemmShape.h - the implicit GEMMs of an operation ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What limits, models and rankings know of an operation: the extents of its
// GEMMs, and parts that say for which operands, which direction or which form
// of kernels they hold. getGemmShape() (Schedule.h) fills them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_GEMMSHAPE_H
#define CONV_SCHEDULE_SHAPE_GEMMSHAPE_H

#include "conv/Chip/Chip.h"
#include "conv/Geometry/MatrixView.h"

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::conv {

/// The implicit GEMMs of one operation. Each group has one (for dgrad, one of
/// each stride phase): `m` x `n` times `wgrad.resultTaps` sums of `taps` times
/// `channels` products.
struct GemmShape {
  /// What differs between phases. A phase that no tap reaches has 0.
  struct Phase {
    int64_t m, taps;
  };

  /// What of the operation the schedule regroups.
  struct Variant {
    int64_t merge = 1;                 ///< Groups of it in each of `groups`.
    SmallVector<int64_t, 3> fold = {}; ///< Taps that are channels; or empty.
  };

  /// The left or the right operand.
  struct Operand {
    /// Whether rows of its tile are along gemm-k: MN-major.
    bool isMnMajor = false;
    /// Whether it is a tensor with channels first that is transposed.
    bool isTransposed = false;
    /// Bytes that one access reads where its channels are last: the largest
    /// power of two, at most 16, that divides its rows in memory.
    int64_t accessBytes = 16;
  };

  /// Of operands that tiles are gathered from (GatherSchedule.h).
  struct Gathered {
    /// Whether rows of an operand (wgrad: of B, else of A) are gathered from
    /// images of three dimensions.
    bool hasVolumes = false;
    /// Bytes of the operands that are transposed.
    int64_t transposedBytes = 0;
    /// Where rows of their tiles are the positions of images in their order,
    /// the largest power of two, at most 8, that divides an image: so many are
    /// copied at once if they are gathered.
    int64_t neighbours = 1;
  };

  /// Of implicit GEMM with channels last.
  struct Views {
    /// Of the operand with taps whose positions a window can hold, of an
    /// operation with one phase, or of the positions that one among zeros has.
    std::optional<convmlir::MatrixView> window = std::nullopt;
    /// Of dgrad whose taps reach one phase: of the result that it is scattered
    /// through, if all other phases stay zeros and lie between its rows. Some
    /// kernels store them with it (ZeroFill.h).
    std::optional<convmlir::MatrixView> cells = std::nullopt;
  };

  /// What only wgrad has.
  struct Wgrad {
    int64_t resultTaps = 1;   ///< No tile has columns of two taps.
    bool reducesRows = false; ///< `channels` are pixels.
    /// Whether dy is a matrix [channel, position] for each image, and x has its
    /// channels last. Then gemm-k are images, which are taps here, and the
    /// positions of one, where blocks end with the image.
    bool isKMajor = false;
    /// Whether it has a sum of dy beside it that its kernel with `wgmma` can
    /// make (conv-fuse-bias-gradient).
    bool sumsRows = false;
    /// Whether parts may have taps each: of few channels with many taps, which
    /// are what wgrad becomes with transposed copies.
    bool hasPartsOfTaps = false;
  };

  /// Taps along a line of so many positions that have sums of their own, of
  /// images with channels first (Kn2row.h): gemm-m counts filters, of which a
  /// tile multiplies so many rows each. One where none have.
  struct LineTaps {
    int64_t tapSums = 1, line = 1;
  };

  /// Bytes of the tensors that are read and written.
  struct Memory {
    int64_t readBytes = 0, writtenBytes = 0;
  };

  /// Of what follows the sums in their kernel.
  struct Epilogue {
    /// Of an element of what the kernel stores, behind its epilogue.
    int64_t resultBytes = 2;
    /// Tensors of the same shape that the epilogue reads: residuals.
    int64_t readResults = 0;
    /// Whether it reads others, of fewer dimensions: biases.
    bool readsVectors = false;
  };

  /// How a result that gets its channels first is stored
  /// (ChannelsFirstResult.h).
  struct Stored {
    /// Whether the result is transposed, to have its channels first.
    bool isTransposed = false;
    /// Positions that the kernel stores at a time where it transposes the
    /// result itself; 0 where another one does, or none.
    int64_t positions = 0;
    /// How far apart in memory they and others are: more than one in phases.
    int64_t distance = 1;
    /// Positions of an image, if rows of the matrix are all of them in their
    /// order; else 0.
    int64_t imagePositions = 0;
    /// Elements of a line whose phases are pairs of columns, and which some
    /// kernels store as a whole (PhasePairs.h); 0 where none do.
    int64_t pairedLine = 0;
  };

  SmallVector<Phase, 1> phases = {}; ///< Most taps first.
  int64_t n = 1;
  int64_t channels = 1; ///< The reduction in blocks; for wgrad, pixels.
  int64_t groups = 1;
  int64_t elementBytes = 0; ///< Of the operands.
  /// Of the operands, as they are multiplied: tf32 where they are f32 in
  /// memory.
  Type factorType = {};
  /// Whether images are matrices [channel, position]: gemm-n is along the
  /// positions of one of them, which is a group (wgrad: what is reduced, and
  /// images are taps). Tiles of them end where the image does.
  bool isChannelsFirst = false;
  /// That of the operation's module: kernels whose warps have roles have as
  /// many workgroups as are resident there.
  convmlir::ChipInfo chip = convmlir::getFullestChip();

  Variant variant = {};
  Operand a = {}, b = {};
  Gathered gathered = {};
  Views views = {};
  Wgrad wgrad = {};
  LineTaps kn2row = {};
  Memory memory = {};
  Epilogue epilogue = {};
  Stored stored = {};

  /// Elements of the result, in all groups.
  int64_t getResults() const;
  /// Whether operands have 16 bits, and all tensors their channels last: what
  /// choices were measured most widely with (docs/Performance.md).
  bool isPlain() const;

  /// Whether gemm-k has several images of blocks of positions, which are
  /// counted through.
  bool hasImages() const;
  /// Whether so many parts have taps each, in blocks of so many channels.
  bool dividesTaps(int64_t split, int64_t blockK) const;
  /// The parts that gemm-k can have, in blocks of so many channels.
  int64_t getMostParts(int64_t blockK) const;
  /// Blocks that the longest of so many parts of a phase has.
  int64_t getLongestPart(Phase phase, int64_t parts, int64_t blockK) const;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_GEMMSHAPE_H
