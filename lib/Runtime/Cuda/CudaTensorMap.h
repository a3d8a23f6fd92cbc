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

#include <array>
#include <mutex>

namespace convmlir::cuda {

/// Encodes a valid description with its base at `address`.
Status encodeTensorMap(const Driver &api, const TensorMap &map,
                       uint64_t address, TensorMapBits &bits);

/// One description, encoded for the addresses that it was wanted for last: to
/// encode it again takes the host longer than the rest of a launch that is
/// ours. Several threads may get maps at the same time.
class TensorMapCache {
public:
  Status get(const Driver &api, const TensorMap &map, uint64_t address,
             TensorMapBits &bits);

private:
  bool find(uint64_t address, TensorMapBits &bits);
  void keep(uint64_t address, const TensorMapBits &bits);

  struct Entry {
    uint64_t address = 0;
    TensorMapBits bits;
  };
  std::mutex mutex;
  std::array<Entry, 8> entries; ///< Address 0: none, no tensor is there.
  size_t oldest = 0;
};

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDATENSORMAP_H
