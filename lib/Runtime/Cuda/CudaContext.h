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

/// A device, a context and the one stream on which all work runs that is not
/// the caller's. Shared by the device and whatever it creates, so the order in
/// which they go does not matter.
class CudaContext {
public:
  /// The primary context of a device, which is kept alive.
  static Result<std::shared_ptr<const CudaContext>>
  open(std::shared_ptr<const Driver> driver, int64_t ordinal);
  /// The context that is current on the calling thread and outlives the result.
  static Result<std::shared_ptr<const CudaContext>>
  adoptCurrent(std::shared_ptr<const Driver> driver);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const Driver &driver() const { return *api; }
  Context handle() const { return context; }
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
  Status adopt();
  Status prepare();
  Status describeDevice();

  std::shared_ptr<const Driver> api;
  DeviceId device = 0;
  Context context = nullptr;
  bool isRetained = false; ///< The primary context, released at the end.
  Stream queue = nullptr;
  DeviceInfo description;
};

/// Gives the calling thread, at the end, the context back that was current: a
/// program that calls us has contexts of its own.
class ContextGuard {
public:
  explicit ContextGuard(const Driver &api) : api(api) {
    api.ctxGetCurrent(&saved);
  }
  ~ContextGuard() {
    Context now = nullptr;
    api.ctxGetCurrent(&now);
    if (now != saved)
      api.ctxSetCurrent(saved);
  }
  ContextGuard(const ContextGuard &) = delete;
  ContextGuard &operator=(const ContextGuard &) = delete;

  /// The context that was current; null where there was none.
  Context previous() const { return saved; }

private:
  const Driver &api;
  Context saved = nullptr;
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H
