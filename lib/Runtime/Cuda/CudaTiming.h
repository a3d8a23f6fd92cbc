//===- CudaTiming.h - events and held queues --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDATIMING_H
#define CONV_LIB_RUNTIME_CUDA_CUDATIMING_H

#include "CudaContext.h"

#include <memory>

namespace convmlir::cuda {

/// A timer of two events on the stream.
Result<std::unique_ptr<DeviceTimer>>
createCudaTimer(std::shared_ptr<const CudaContext> context);

/// Holds the stream back with a host function that waits.
Result<std::unique_ptr<QueueHold>>
holdCudaQueue(const std::shared_ptr<const CudaContext> &context);

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDATIMING_H
