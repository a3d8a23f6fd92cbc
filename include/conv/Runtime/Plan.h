//===- Plan.h - a compiled problem ------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ahead-of-time artefact: everything needed to run compiled convolutions on
// a device, without MLIR. Plain data; PlanFile.h stores it, Executor.h runs it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_PLAN_H
#define CONV_RUNTIME_PLAN_H

#include "conv/Runtime/ElementType.h"
#include "conv/Runtime/FileIO.h"
#include "conv/Runtime/Shape.h"
#include "conv/Runtime/TensorMap.h"
#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace convmlir {

enum class BufferRole {
  Argument,  ///< bound by the caller before a run, only read.
  Result,    ///< bound by the caller, written by the launches.
  Workspace, ///< scratch of one run, undefined before and after it.
  Constant,  ///< holds `data`, only read.
};

/// A piece of device memory that launches refer to by its index.
struct PlanBuffer {
  std::string name; ///< For messages: "x", "w", "partial sums".
  BufferRole role = BufferRole::Argument;
  /// Position among the arguments or among the results; -1 for other roles.
  int64_t position = -1;
  ElementType type = ElementType::F32;
  Shape shape;
  Bytes data; ///< Constant: the content, dense; else empty.

  /// Dense size. Only for the buffers of a valid plan.
  int64_t bytes() const { return byteCount(shape, type).value_or(0); }
};

enum class ImageKind {
  Cubin, ///< for one architecture.
  Ptx,   ///< text, compiled by the driver when it is loaded.
  Nvvm,  ///< MLIR text in the nvvm and llvm dialects: emulator.
};

/// Code of one or more kernels. Several images of different kinds may hold the
/// same kernel; each device takes the kind that it runs.
struct PlanImage {
  ImageKind kind = ImageKind::Cubin;
  Bytes data;
};

/// A kernel parameter that is the address of a buffer plus an offset.
struct BufferArgument {
  int64_t buffer = 0;
  int64_t byteOffset = 0;
  bool operator==(const BufferArgument &) const = default;
};

/// One kernel parameter: an address, a scalar, or a tensor map by value.
using KernelArgument =
    std::variant<BufferArgument, int32_t, int64_t, float, double, TensorMap>;

using Dim3 = std::array<int64_t, 3>;

/// One kernel launch.
struct PlanLaunch {
  std::string kernel;          ///< Symbol in the images.
  std::vector<int64_t> images; ///< Indices; in order of preference.
  Dim3 grid{1, 1, 1};          ///< Blocks.
  Dim3 block{1, 1, 1};         ///< Threads.
  Dim3 cluster{1, 1, 1};       ///< Blocks; divides the grid.
  /// Whether the kernel itself waits for all that its stream ran before, so
  /// that it may be launched before that is done.
  bool waits = false;
  int64_t dynamicSharedBytes = 0;
  int64_t staticSharedBytes = 0; ///< As the compiler reports.
  int64_t registers = 0;         ///< Per thread; 0 where unknown.
  std::vector<KernelArgument> arguments;
};

/// A compiled function: buffers, code and the launches in their order.
struct Plan {
  std::string target; ///< "sm_80".
  /// Of the chip that the kernels are made for; 0: not known, of plans of older
  /// versions.
  int64_t multiprocessors = 0;
  std::string problem;   ///< The problem line, or a description of the input.
  std::string entry;     ///< Name of the function that was compiled.
  std::string schedule;  ///< What was chosen, for people.
  std::string precision; ///< Statement of the accumulation and rounding.
  /// In which order kernels add: "KERNEL: …; KERNEL: …"; empty without sums.
  std::string order;
  /// Why kernels are as they are, a sentence each: "… has no wgmma: …".
  std::vector<std::string> remarks;
  bool deterministic = true; ///< Bitwise equal results on every run.
  double compileMs = 0;      ///< Time that the compilation took.
  /// Floating-point (or integer) operations of one run, a multiply-add counted
  /// as two: those of its convolutions.
  int64_t flops = 0;
  /// Bytes that one run must read or write at least.
  int64_t leastBytes = 0;
  /// Of the operands that are multiplied, by the first convolution.
  ElementType operandType = ElementType::F32;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanImage> images;
  std::vector<PlanLaunch> launches;

  /// Bytes of all workspace buffers, as they are laid out (WorkspaceLayout.h).
  int64_t workspaceBytes() const;
  /// Indices of the buffers of that role (Argument, Result), by position.
  std::vector<int64_t> buffersOf(BufferRole role) const;
};

/// "argument", "result", "workspace", "constant"; "cubin", "ptx", "nvvm".
const char *toString(BufferRole role);
const char *toString(ImageKind kind);

/// "x (argument 0)" or "partials (workspace)": how messages call a buffer.
std::string describe(const PlanBuffer &buffer);

/// Checks every rule that a plan must keep (indices in range, sizes that fit,
/// positions without gaps, arguments and results as the problem line has them,
/// launch limits, tensor maps within their buffer). The
/// message says which part is wrong: "launches[1].arguments[0]: …". Whatever
/// reads or writes plan files calls it; an executor may rely on it.
Status validate(const Plan &plan);

} // namespace convmlir

#endif // CONV_RUNTIME_PLAN_H
