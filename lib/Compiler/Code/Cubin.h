//===- Cubin.h - whether bytes are code for a GPU ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: what an assembler wrote. Output: whether that is a whole cubin, an ELF
// file for CUDA, for the architecture that was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_CODE_CUBIN_H
#define CONV_LIB_COMPILER_CODE_CUBIN_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <string>

namespace convmlir {

/// The error completes "it wrote no cubin for sm_90: ". Whether code is for
/// sm_90 or sm_90a is not in the file's header, and not checked.
Status checkCubin(std::span<const uint8_t> content, const std::string &target);

} // namespace convmlir

#endif // CONV_LIB_COMPILER_CODE_CUBIN_H
