//===- Emulator.h - runs lowered GPU kernels on the CPU ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a gpu.module (or a builtin.module that contains one, or that directly
// contains kernels) in `nvvm` and `llvm` form, as it is right before the
// conversion to inline PTX. It is not modified. Output: host code in which each
// CUDA thread is a fiber and each `nvvm` op follows the rules of PTX, checked.
//
// See docs/Emulator.md for what is modelled.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_EMULATOR_EMULATOR_H
#define CONV_EMULATOR_EMULATOR_H

#include "conv/Emulator/EmulatorMemory.h"
#include "conv/Emulator/LaunchOptions.h"
#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace convmlir {

struct EmulatorCompileOptions {
  /// Run LLVM's O1 pipeline before code generation. Costs 30 to 100 ms; worth
  /// it for long kernels without tensor-core ops.
  bool optimize = false;
};

/// How a kernel takes an argument: an address or a number in a word, or the 128
/// bytes of a tensor map.
enum class EmulatedArgumentKind { Pointer, Scalar, TensorMap };

/// What is known of a kernel before it is launched.
struct EmulatedKernelInfo {
  std::string name;
  /// Threads per workgroup that the kernel demands (`nvvm.reqntid`), or zeros.
  std::array<uint32_t, 3> requiredBlock{0, 0, 0};
  /// Cluster extents that the kernel demands (`nvvm.cluster_dim`), or zeros.
  std::array<uint32_t, 3> requiredCluster{0, 0, 0};
  /// Bytes of shared memory that the kernel declares itself.
  uint32_t staticSharedBytes = 0;
  /// Bytes and kind of each argument, in order.
  std::vector<uint32_t> argumentBytes;
  std::vector<EmulatedArgumentKind> argumentKinds;
};

/// Kernels compiled for the host. Launches of one module may run concurrently.
class EmulatedModule {
public:
  struct Impl;
  explicit EmulatedModule(std::unique_ptr<Impl> impl);
  ~EmulatedModule();

  /// The kernels of the module, in the order of the IR.
  std::vector<EmulatedKernelInfo> kernels() const;

  /// The kernel of that name, if it can be launched so: the error names the
  /// limit of the device or of the kernel that is not kept.
  Result<EmulatedKernelInfo> check(std::string_view kernel,
                                   const LaunchGeometry &geometry) const;

  /// Runs a kernel to its end or to its first fault. `arguments[i]` points to
  /// the value of argument i, as for cuLaunchKernel; device pointers point into
  /// buffers of `memory`. The result is an error only if the launch could not
  /// be started: as of check().
  Result<LaunchReport> launch(std::string_view kernel,
                              const LaunchGeometry &geometry, void **arguments,
                              const EmulatorMemory &memory,
                              const LaunchOptions &options = {}) const;

private:
  std::unique_ptr<Impl> impl;
};

/// Compiles the kernels of `op`, which stays as it is. What kernels of ours do
/// not need is refused (docs/Emulator.md says what), by an error that names the
/// op and its location.
Result<std::unique_ptr<EmulatedModule>>
compileForEmulator(mlir::Operation *op,
                   const EmulatorCompileOptions &options = {});

/// The same from the text of a module, as a plan carries it, or from bytecode,
/// which is trusted. `name` stands for the file in messages.
Result<std::unique_ptr<EmulatedModule>>
compileForEmulator(std::string_view ir, std::string_view name = "kernel",
                   const EmulatorCompileOptions &options = {});

} // namespace convmlir

#endif // CONV_EMULATOR_EMULATOR_H
