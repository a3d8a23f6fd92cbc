//===- CudaProgram.h - plans on the caller's streams ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan inside a program that has a CUDA context, streams and memory of its
// own, such as PyTorch. Where Executor.h owns and checks everything, this does
// as little as it can: a launch is the kernels, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_CUDAPROGRAM_H
#define CONV_RUNTIME_CUDAPROGRAM_H

#include "conv/Runtime/CudaDevice.h"
#include "conv/Runtime/Plan.h"
#include "conv/Runtime/WorkspaceLayout.h"

#include <memory>
#include <span>
#include <string>

namespace convmlir {

/// Every pointer that a kernel gets is a multiple of that many bytes.
inline constexpr int64_t pointerAlignment = 16;

/// In place of the number of a device: the context that is current on the
/// calling thread, which must outlive the program.
inline constexpr int64_t currentCudaContext = -1;

/// The buffers that a caller binds, as indices: arguments, then results, both
/// by position.
std::vector<int64_t> operandsOf(const Plan &plan);

/// The code and constants of a plan in a CUDA context.
class CudaProgram {
public:
  /// Loads into the primary context of device `ordinal` (the one that the CUDA
  /// runtime and PyTorch use), or into the current context. The context that
  /// was current on the thread is current again afterwards, as after every
  /// call here.
  static Result<std::unique_ptr<CudaProgram>>
  load(std::shared_ptr<const Plan> plan, int64_t ordinal,
       const std::string &library = cudaDriverLibrary);
  virtual ~CudaProgram() = default;

  virtual const DeviceInfo &device() const = 0;

  /// The address of every buffer of the plan for one run. `operands` are
  /// addresses in the order of operandsOf(); `workspace` has `workspaceBytes`
  /// bytes that are the run's alone until it is done. The error names what is
  /// absent, too small or not aligned.
  virtual Result<std::vector<DeviceAddress>>
  bind(std::span<const DeviceAddress> operands, DeviceAddress workspace,
       int64_t workspaceBytes) const = 0;

  /// Enqueues all launches of the plan with the addresses of bind() on a stream
  /// of the context (null: its default stream). Allocates no device memory,
  /// copies nothing and waits for nothing, so it can be captured into a graph.
  /// Several threads may launch at the same time. Errors of a kernel appear at
  /// the caller's next synchronisation.
  virtual Status launch(std::span<const DeviceAddress> bound,
                        void *stream) const = 0;
};

/// What device `ordinal` is. Leaves the current context of the thread alone.
Result<DeviceInfo>
describeCudaDevice(int64_t ordinal,
                   const std::string &library = cudaDriverLibrary);

} // namespace convmlir

#endif // CONV_RUNTIME_CUDAPROGRAM_H
