//===- CudaDevice.h - CUDA devices ------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA GPU as a Device. The driver is opened when the first device is: a
// program that links this library starts on machines without one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_CUDADEVICE_H
#define CONV_RUNTIME_CUDADEVICE_H

#include "conv/Runtime/Device.h"

#include <memory>
#include <string>

namespace convmlir {

/// The name under which the dynamic linker finds the driver.
inline constexpr const char *cudaDriverLibrary = "libcuda.so.1";

/// Opens device `ordinal`, counted from 0, in its primary context (the one that
/// the CUDA runtime, and so PyTorch, uses). The error says whether the driver
/// is absent, refuses to start, or has no such device.
Result<std::unique_ptr<Device>>
openCudaDevice(int64_t ordinal, const std::string &library = cudaDriverLibrary);

} // namespace convmlir

#endif // CONV_RUNTIME_CUDADEVICE_H
