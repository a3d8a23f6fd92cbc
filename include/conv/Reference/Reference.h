//===- Reference.h - the definition of convolution in f64 -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every kernel is verified against: the definition (docs/ConvSpec.md) of
// the three ops, computed in f64, for all ranks, groups, dilations and layouts.
// Whole results for small problems; for large ones, exact single elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_REFERENCE_REFERENCE_H
#define CONV_REFERENCE_REFERENCE_H

#include "conv/Problem/Problem.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace convmlir {

/// How a reference is computed; the result does not depend on it.
struct ReferenceOptions {
  int threads = 0; ///< 0: one per hardware thread.
  /// Called now and then on the calling thread with the share done, in [0, 1].
  std::function<void(double)> progress;
};

/// The arguments of a problem, dense, in the order and memory order of
/// Problem::arguments(). T is float, or double where float cannot hold the
/// elements (f64, s32).
template <typename T>
using ReferenceArguments = std::vector<std::span<const T>>;

/// The whole result in the memory order of Problem::result(). The error says
/// which argument has not the number of elements that the problem gives it.
template <typename T>
Result<std::vector<double>>
computeReference(const Problem &problem, const ReferenceArguments<T> &arguments,
                 const ReferenceOptions &options = {});

/// The gradient of a bias, of K elements: the sums of dy, in the memory order
/// of the problem, over all positions.
template <typename T>
std::vector<double> computeBiasGradient(const Problem &problem,
                                        std::span<const T> dy);

/// The elements of the result at these positions of its memory order, each
/// summed in extended precision. Costs one pass over the terms of each.
template <typename T>
Result<std::vector<double>>
sampleReference(const Problem &problem, const ReferenceArguments<T> &arguments,
                std::span<const int64_t> positions,
                const ReferenceOptions &options = {});

/// `count` positions below `elements`, increasing: the first, the last, and a
/// random one from each of equal parts between. All of them where `count` is
/// not smaller than `elements`.
std::vector<int64_t> samplePositions(int64_t elements, int64_t count,
                                     uint64_t seed);

} // namespace convmlir

#endif // CONV_REFERENCE_REFERENCE_H
