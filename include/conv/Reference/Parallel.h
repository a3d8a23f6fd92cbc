//===- Parallel.h - independent units of work on all cores ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counted loop whose iterations are independent, spread over threads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_REFERENCE_PARALLEL_H
#define CONV_REFERENCE_PARALLEL_H

#include "conv/Reference/Reference.h"

#include <functional>

namespace convmlir {

/// Calls body(i) for every i in [0, count), on as many threads as the options
/// say; the calling thread takes part and reports progress.
void parallelFor(int64_t count, const ReferenceOptions &options,
                 const std::function<void(int64_t)> &body);

} // namespace convmlir

#endif // CONV_REFERENCE_PARALLEL_H
