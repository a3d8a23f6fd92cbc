//===- TheirKernels.h - PyTorch's own convolutions --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a call of `aten::convolution` or `aten::convolution_backward`. Output:
// the results of PyTorch's own kernels, which throw what these throw.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_THEIRKERNELS_H
#define CONV_LIB_CAPI_TORCH_THEIRKERNELS_H

#include "Call.h"

namespace convmlir::torch {

inline constexpr size_t kGradients = 3; ///< Results of the backward.

TensorHandle runTheirConvolution(const StableAbi &abi, const Call &call);

/// Which of the results of a backward are asked for.
std::array<bool, kGradients> getMask(const Call &call);

std::array<TensorHandle, kGradients>
runTheirBackward(const StableAbi &abi, const Call &call,
                 std::array<bool, kGradients> wanted);

/// Throws the error that a tensor stands for: PyTorch's kernels raise it.
void throwErrorOf(const StableAbi &abi, TensorHandle tensor);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_THEIRKERNELS_H
