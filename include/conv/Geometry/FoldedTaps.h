//===- FoldedTaps.h - taps of a filter as channels --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution of few channels as one of more channels and fewer taps. Along a
// spatial dimension, F taps are folded: with tap r = F r' + a of a filter, for
// a in [0, F),
//
//   x'[n, i, (a, c)]  = x[n, i*stride + a*dilation - padLow, c]
//   w'[k, r', (a, c)] = w[k, F r' + a, c]
//   y[n, p, k]        = sum over r', a, c of
//                       x'[n, p + r' * F*dilation/stride, (a, c)] * w'[…]
//
// which has no stride and no padding along it. x' is zero where x has no such
// position, and w' past the taps of w. With F * dilation = stride each position
// of x is in x' once at most: space to depth. Where all taps are folded there
// is one tap left, and nothing need be divisible. With F = 1 the dimension
// stays as it is.
//
// dgrad and wgrad read y, too. Where its channels are no multiple of what TMA
// copies, they get zeros behind them, and w' and dw' filters of zeros.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_FOLDEDTAPS_H
#define CONV_GEOMETRY_FOLDEDTAPS_H

#include "conv/Geometry/ConvGeometry.h"

#include <vector>

namespace convmlir {

/// The convolution of x' and w'. `fold` has F for each spatial dimension. Its
/// channels are (a of each dimension, c), the last one fastest, and zeros up to
/// a multiple of `unit`, a step of gemm-k; channels of which no taps are folded
/// may be a multiple of half a unit. So may filters, of dgrad and wgrad. The
/// filter is not flipped: w' has its taps in the order of the products. The
/// error says why there is none.
///
/// A position of dx is one of dx': for dgrad, no two folded taps may reach the
/// same one.
Result<ConvGeometry> foldTaps(const ConvGeometry &geometry, ConvKind kind,
                              const std::vector<int64_t> &fold, int64_t unit);

/// Whether x' (or dx'), w' (dw') and y' differ from x, w and y.
inline bool foldsInput(const ConvGeometry &geometry,
                       const ConvGeometry &folded) {
  return folded.c != geometry.c;
}
inline bool foldsOutput(const ConvGeometry &geometry,
                        const ConvGeometry &folded) {
  return folded.k != geometry.k;
}
inline bool foldsFilter(const ConvGeometry &geometry,
                        const ConvGeometry &folded) {
  return foldsInput(geometry, folded) || foldsOutput(geometry, folded) ||
         geometry.flip;
}

/// Channels of x' that are no padding.
int64_t countFoldedChannels(const ConvGeometry &geometry,
                            const std::vector<int64_t> &fold);

/// What could be worth folding, at most three ways: strides, or what of them
/// the filter has; the same with all taps of the last dimension; and no taps,
/// where channels are padded only (the last one). Each is possible for `kind`.
/// None with groups or input dilation.
std::vector<std::vector<int64_t>> getUsefulFolds(const ConvGeometry &geometry,
                                                 ConvKind kind);

} // namespace convmlir

#endif // CONV_GEOMETRY_FOLDEDTAPS_H
