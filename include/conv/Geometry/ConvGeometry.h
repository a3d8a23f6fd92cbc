//===- ConvGeometry.h - what follows from a convolution's shape -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one derivation of output extents, implicit-GEMM views, stride phases and
// TMA boxes. Verifiers, lowerings, reference, emulator and runner call it.
// docs/ConvSpec.md has the definition, the rules and the derivations.
//
// Letters: N batch, C input channels, K output channels, G groups, D H W input
// extent, T R S filter extent, Z P Q output extent. C and K count all groups.
//
//   y[n, p, k] = sum over r, c of x[n, p*stride + r*dilation - padLow, c] *
//   w[k, r, c]
//
// per group, where x is first spread by the input dilation (zeros between).
// With `flip` the filter is read backwards: w[k, filter - 1 - r, c].
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_CONVGEOMETRY_H
#define CONV_GEOMETRY_CONVGEOMETRY_H

#include "conv/Geometry/Constraints.h"
#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convmlir {

enum class ConvKind { Forward, Dgrad, Wgrad };

/// "forward", "dgrad" or "wgrad".
const char *toString(ConvKind kind);

/// One stride phase of dgrad along all spatial dimensions: the input positions
/// h = phase + stride*i and the filter taps that reach them.
struct DgradPhase {
  Spatial phase{};    ///< a: first input position of the phase.
  Spatial extent{};   ///< H_a: input positions of the phase, at least 1.
  Spatial taps{};     ///< T: taps of the phase; where 0, the phase is zeros.
  Spatial firstTap{}; ///< r_0: lowest filter tap of the phase.
  Spatial tapStep{};  ///< distance of its taps in r.
  MatrixView dy;      ///< A operand [N*H_a, T, K]; tap t is r_(T-1-t).
  MatrixView w;  ///< B operand [K, T, C/G]; the same taps in the same order.
  MatrixView dx; ///< result [N*H_a, 1, C].

  /// True where no tap reaches the phase: it must still be stored, as zeros.
  bool isZero() const { return dy.numTaps() == 0; }
};

/// The operands and the result of one contraction of the implicit GEMM. An op
/// is one contraction, or several that write different parts of the result:
/// where strides or input dilation let positions meet only some of the taps.
struct GemmPhase {
  MatrixView a;      ///< forward x, dgrad dy, wgrad dy.
  MatrixView b;      ///< forward and dgrad w, wgrad x.
  MatrixView result; ///< y, dx or dw.

  /// True where no tap reaches the part: it must still be stored, as zeros.
  bool isZero() const { return b.numTaps() == 0; }
};

/// Box of a TMA im2col descriptor, per spatial dimension (outermost first). The
/// base positions run from `lower` to extent - 1 + `upper` inclusive, every
/// `elementStride`; tap t reads at distance t * `tapStep` from its base.
struct TmaBox {
  Spatial lower{}, upper{}, elementStride{}, tapStep{};
};

/// Whether a TMA im2col descriptor can encode the box that goes with a view:
/// corners, tap distances and strides have few bits, fewer the higher the rank.
/// `dimensions` are those of the descriptor between channels and batch: as many
/// as the view has or, where the batch is one of them, one more. The error says
/// which limit is exceeded and by what.
Status checkTmaRanges(const TmaBox &box, const MatrixView &view,
                      int dimensions);
inline Status checkTmaRanges(const TmaBox &box, const MatrixView &view) {
  return checkTmaRanges(box, view, view.spatialRank);
}

/// The shape of one convolution. Fill the fields, then call check(); all other
/// functions take a geometry that passed it.
struct ConvGeometry {
  int spatialRank = 2;
  int64_t n = 1, c = 1, k = 1, groups = 1;
  Spatial input{1, 1, 1};
  Spatial filter{1, 1, 1};
  Spatial stride{1, 1, 1};
  Spatial padLow{0, 0, 0};  ///< Negative: crop.
  Spatial padHigh{0, 0, 0}; ///< Negative: crop.
  Spatial dilation{1, 1, 1};
  Spatial inputDilation{1, 1, 1};
  bool flip = false; ///< The filter is read backwards, in all dimensions.

  /// The first of the rules conv-c1 to conv-c13 that is broken, with the values
  /// that break it. Any values may be in the fields.
  Status check() const;

  /// The letter of a dimension: of x ("H"), of w ("R") or of y ("P"), counted
  /// so that the innermost is always W, S, Q.
  char inputLetter(int dim) const { return "DHW"[dim + 3 - spatialRank]; }
  char filterLetter(int dim) const { return "TRS"[dim + 3 - spatialRank]; }
  char outputLetter(int dim) const { return "ZPQ"[dim + 3 - spatialRank]; }

  /// Extent of x after input dilation: (extent-1)*inputDilation + 1.
  int64_t dilatedInput(int dim) const;
  /// Extent of the filter after dilation: (extent-1)*dilation + 1.
  int64_t dilatedFilter(int dim) const;
  /// Output extent: floor((dilatedInput + padLow + padHigh - dilatedFilter) /
  /// stride) + 1; 0 where the window does not fit.
  int64_t output(int dim) const;
  /// All output extents; 1 past the spatial rank.
  Spatial outputs() const;

  /// Extents of the implicit GEMM of an op, one group's. For dgrad they are
  /// summed over the phases: gemm-m is N*H*W, gemm-k is R*S*K/G; those of one
  /// phase are dy.numRows() and dy.numTaps() * K/G.
  int64_t gemmM(ConvKind kind) const;
  int64_t gemmN(ConvKind kind) const;
  int64_t gemmK(ConvKind kind) const;

  /// Whether x is spread in any dimension.
  bool hasInputDilation() const;
  /// x as [N*P*Q, R*S, C]: A of forward, B of wgrad (whose taps a flip turns
  /// around, see phases()). Without input dilation only.
  MatrixView inputView() const;
  /// w as [K, R*S, C/G], its taps in memory order.
  MatrixView filterView() const;
  /// y or dy as [N*P*Q, 1, K].
  MatrixView outputView() const;
  /// All stride phases that have input positions, in the order (0,0), (0,1),
  /// ... of their first position.
  std::vector<DgradPhase> dgradPhases() const;

  /// The contractions of an op. The results' views name every element of the
  /// result once. Where there are several, those of one op differ in rows, taps
  /// and offsets only; those of wgrad have the same number of rows, and read
  /// zero from the first operand in rows that other phases have more.
  std::vector<GemmPhase> phases(ConvKind kind) const;
  /// As many along each spatial dimension.
  Spatial countPhases(ConvKind kind) const;

  /// Box of x for forward's A and wgrad's B. Without input dilation only.
  TmaBox inputTmaBox() const;
  /// Box of dy for one dgrad phase that has taps.
  TmaBox dgradTmaBox(const DgradPhase &phase) const;

  /// Floating-point operations: 2*N*P*Q*K*(C/G)*R*S for each of the three ops,
  /// products with padding counted; INT64_MAX where that is larger.
  int64_t flops() const;
  /// Elements of x, w and y.
  int64_t inputElements() const;
  int64_t filterElements() const;
  int64_t outputElements() const;
  /// Every byte that the op must read or write at least once: its result, its
  /// filter or dy, and the positions of x that a window touches (a 1x1 filter
  /// of stride 2 needs a quarter of x). INT64_MAX where that is larger.
  int64_t leastBytes(ConvKind kind, int64_t inputElementBytes,
                     int64_t outputElementBytes) const;

  /// Input positions along `dim` that some window touches (all of them where
  /// there is input dilation).
  int64_t touchedInput(int dim) const;

  bool operator==(const ConvGeometry &) const = default;
};

} // namespace convmlir

#endif // CONV_GEOMETRY_CONVGEOMETRY_H
