//===- PtxAssembler.h - ptxas as a subprocess -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: PTX text. Output: a cubin, and what each kernel takes of registers and
// memory. The assembler is a separate program: where it dies, does not come to
// an end or writes something else, we report.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_PTXASSEMBLER_H
#define CONV_COMPILER_PTXASSEMBLER_H

#include "conv/Runtime/FileIO.h"
#include "conv/Support/Result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// What ptxas says about a kernel.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0;         ///< Per thread.
  int64_t spillBytes = 0;        ///< Stores and loads, per thread.
  int64_t staticSharedBytes = 0; ///< Declared by the kernel itself.
};

struct AssembledPtx {
  Bytes cubin;
  std::vector<KernelResources> kernels;
  /// Its messages about losses of speed, "(C7510) Potential Performance Loss:
  /// wgmma.mma_async instructions are serialized …".
  std::vector<std::string> losses;
};

/// Where to look for ptxas, in this order.
struct PtxasSearch {
  std::string cudaPath;   ///< A toolkit that must have it; or empty.
  std::string cudaHome;   ///< A toolkit that may have it; or empty.
  std::string searchPath; ///< Folders separated by colons.
};

/// The path of ptxas, empty where there is none (/usr/local/cuda is the last
/// resort). An error where `cudaPath` is given and has none.
Result<std::string> findPtxas(const PtxasSearch &search);

/// Assembles PTX for an architecture such as "sm_90", in `limit` at most. The
/// error has the first line of what ptxas complained about, or how it died, or
/// why what it wrote is no cubin.
Result<AssembledPtx> assemblePtx(const std::string &ptxas, std::string_view ptx,
                                 const std::string &target,
                                 std::chrono::seconds limit);

/// Reads the output of `ptxas -v`.
std::vector<KernelResources> parsePtxasReport(std::string_view report);

/// The messages C7500 to C7599 of the same output.
std::vector<std::string> parsePtxasLosses(std::string_view report);

/// What makes the kernels slower than their PTX, in one line: losses, and
/// registers that are spilled. Empty where there is nothing.
std::string describeFlaws(const AssembledPtx &assembled);

} // namespace convmlir

#endif // CONV_COMPILER_PTXASSEMBLER_H
