//===- ExpectedElements.h - all elements, or some ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two ways to compute what is expected: a whole result, or single elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_EXPECTEDELEMENTS_H
#define CONV_LIB_REFERENCE_EXPECTEDELEMENTS_H

#include "conv/Reference/Expected.h"

namespace convmlir {

template <typename T>
Result<Expected> computeAllExpected(const Problem &problem,
                                    const ReferenceArguments<T> &arguments,
                                    const ReferenceOptions &options);

template <typename T>
Result<Expected> sampleExpected(const Problem &problem,
                                const ReferenceArguments<T> &arguments,
                                std::span<const int64_t> positions,
                                const ReferenceOptions &options);

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_EXPECTEDELEMENTS_H
