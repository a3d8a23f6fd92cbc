//===- CudaDriver.h - the CUDA driver, opened at run time -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDADRIVER_H
#define CONV_LIB_RUNTIME_CUDA_CUDADRIVER_H

#include "CudaApi.h"

#include "conv/Support/Result.h"

#include <memory>
#include <string>

namespace convmlir::cuda {

/// The driver's functions. Those that are not required may be null.
class Driver {
public:
  /// Opens the library, looks all functions up and initialises the driver.
  static Result<std::shared_ptr<const Driver>> open(const std::string &library);

  /// Success, or an error with the attempt ("copy 12 bytes to the device") and
  /// the driver's name and description of the code.
  Status check(Code code, const std::string &attempt) const;

#define CONV_CUDA_MEMBER(member, symbol, required, parameters)                 \
  Code(*member) parameters = nullptr;
  CONV_CUDA_API(CONV_CUDA_MEMBER)
#undef CONV_CUDA_MEMBER
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDADRIVER_H
