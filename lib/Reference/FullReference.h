//===- FullReference.h - whole results in f64 -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three ops on packed f64 tensors: x [n, positions, C], y [n, positions, K]
// and w [taps, C/G, K] (forward, wgrad) or [taps, K, C/G] (dgrad), so that the
// innermost loop of each op runs over adjacent numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_FULLREFERENCE_H
#define CONV_LIB_REFERENCE_FULLREFERENCE_H

#include "Loops.h"
#include "conv/Reference/Reference.h"

namespace convmlir {

using Packed = std::vector<double>;

Packed fullForward(const Loops &loops, const Packed &x, const Packed &w,
                   const ReferenceOptions &options);
Packed fullDgrad(const Loops &loops, const Packed &dy, const Packed &w,
                 const ReferenceOptions &options);
Packed fullWgrad(const Loops &loops, const Packed &x, const Packed &dy,
                 const ReferenceOptions &options);

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_FULLREFERENCE_H
