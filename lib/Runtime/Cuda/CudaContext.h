//===- CudaContext.h - one device with its stream ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H
#define CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H

#include "CudaDriver.h"

#include "conv/Runtime/Device.h"

#include <memory>

namespace convmlir::cuda {

/// A device, its primary context and the one stream on which all work runs.
/// Shared by the device and whatever it creates, so the order in which they go
/// does not matter.
class CudaContext {
public:
  static Result<std::shared_ptr<const CudaContext>>
  open(std::shared_ptr<const Driver> driver, int64_t ordinal);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const Driver &driver() const { return *api; }
  Stream stream() const { return queue; }
  const DeviceInfo &info() const { return description; }

  /// Makes the context current on the calling thread, which may have changed
  /// since, or may belong to a program that has contexts of its own.
  Status enter() const;
  /// Waits for all work on the stream.
  Status synchronize() const;

private:
  explicit CudaContext(std::shared_ptr<const Driver> driver)
      : api(std::move(driver)) {}
  Status retain(int64_t ordinal);
  Status describeDevice();

  std::shared_ptr<const Driver> api;
  DeviceId device = 0;
  Context context = nullptr;
  Stream queue = nullptr;
  DeviceInfo description;
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H
