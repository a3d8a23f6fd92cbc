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
//
// Letters: N batch, C input channels, K output channels, G groups, D H W input
// extent, T R S filter extent, Z P Q output extent. C and K count all groups.
//
//   y[n, p, k] = sum over r, c of x[n, p*stride + r*dilation - padLow, c] * w[k, r, c]
//
// per group, where x is first spread by the input dilation (zeros between).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_CONVGEOMETRY_H
#define CONV_GEOMETRY_CONVGEOMETRY_H

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
  Spatial phase{};  ///< a: first input position of the phase.
  Spatial extent{}; ///< H_a: input positions of the phase, may be 0.
  Spatial taps{};   ///< T: taps of the phase, may be 0 (the phase is zeros).
  Spatial firstTap{}; ///< r_0: lowest filter tap of the phase.
  Spatial tapStep{};  ///< distance of its taps in r.
  MatrixView dy; ///< A operand [N*H_a, T, K]; tap t is the (T-1-t)-th of r_0...
  MatrixView w;  ///< B operand [K, T, C/G]; the same taps in the same order.
  MatrixView dx; ///< result [N*H_a, 1, C].
};

/// Box of a TMA im2col descriptor, per spatial dimension (outermost first):
/// lower and upper corner, element stride, and the distance of two taps.
struct TmaBox {
  Spatial lower{}, upper{}, elementStride{}, tapStep{};
};

/// The shape of one convolution. Fill the fields, then call check().
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

  /// One message for the first rule that is broken (positive extents, groups
  /// divide C and K, a window that fits the padded input, ...).
  Status check() const;

  /// Extent of x after input dilation: (extent-1)*inputDilation + 1, or 0.
  int64_t dilatedInput(int dim) const;
  /// Output extent: floor((dilatedInput + padLow + padHigh -
  /// dilation*(filter-1) - 1) / stride) + 1; 0 where the window does not fit.
  int64_t output(int dim) const;
  Spatial outputs() const;

  /// Extents of the implicit GEMM of an op (dgrad: summed over its phases, as
  /// if stride were one GEMM): see docs.
  int64_t gemmM(ConvKind kind) const;
  int64_t gemmN(ConvKind kind) const;
  int64_t gemmK(ConvKind kind) const;

  /// x as [N*P*Q, R*S, C]: A of forward, B of wgrad. Input dilation must be 1.
  MatrixView inputView() const;
  /// w as [K, R*S, C/G].
  MatrixView filterView() const;
  /// y or dy as [N*P*Q, 1, K].
  MatrixView outputView() const;
  /// All stride phases, in the order (0,0), (0,1), ... of their first position.
  std::vector<DgradPhase> dgradPhases() const;

  /// Box of x for forward's A and wgrad's B; box of dy for one dgrad phase.
  TmaBox inputTmaBox() const;
  TmaBox dgradTmaBox(const DgradPhase &phase) const;

  /// Floating-point operations: 2*N*P*Q*K*(C/G)*R*S for each of the three ops.
  int64_t flops() const;
  /// Elements of x, w and y.
  int64_t inputElements() const;
  int64_t filterElements() const;
  int64_t outputElements() const;
  /// Every byte that the op must read or write at least once.
  int64_t leastBytes(ConvKind kind, int64_t inputElementBytes,
                     int64_t outputElementBytes) const;

  bool operator==(const ConvGeometry &) const = default;
};

} // namespace convmlir

#endif // CONV_GEOMETRY_CONVGEOMETRY_H
