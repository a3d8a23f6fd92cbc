//===- CudaTensorMap.h - tensor maps encoded by the driver ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDATENSORMAP_H
#define CONV_LIB_RUNTIME_CUDA_CUDATENSORMAP_H

#include "CudaDriver.h"

#include "conv/Runtime/TensorMap.h"

namespace convmlir::cuda {

/// Encodes a valid description with its base at `address`.
Status encodeTensorMap(const Driver &api, const TensorMap &map,
                       uint64_t address, TensorMapBits &bits);

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDATENSORMAP_H
