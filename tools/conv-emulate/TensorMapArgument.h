//===- TensorMapArgument.h - tensor maps given as text ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a tensor map as a kernel argument of conv-emulate.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_EMULATE_TENSORMAPARGUMENT_H
#define CONV_TOOLS_CONV -EMULATE_TENSORMAPARGUMENT_H

#include "conv/Runtime/TensorMap.h"
#include "conv/Support/Result.h"

#include <optional>
#include <string>
#include <string_view>

namespace convmlir {

/// `tiled:TYPE:FILL:KEY=NUMBERS:…` or `im2col:TYPE:FILL:KEY=NUMBERS:…`, with
/// numbers separated by commas, innermost dimension first. The buffer of a map
/// of tf32 is f32.
///
///   extents=C,W,H,N      of the tensor, in elements
///   strides=W,H,N        in bytes; dense if not given
///   steps=1,2,2,1        element strides; 1 if not given
///   box=64,64            tiled
///   lower=-1,-1 upper=-1,-1 channels=64 pixels=128      im2col
///   swizzle=32|64|128    none if not given
///   offset=BYTES         of the tensor in its buffer
///   of=I                 the buffer is that of argument I; FILL is then `-`
struct TensorMapArgument {
  static Result<TensorMapArgument> parse(std::string_view text);

  /// Elements from the start of the buffer to the end of the tensor.
  int64_t elements() const;

  std::string type;
  std::string fill;
  TensorMap map;
  std::optional<size_t> sharedWith;
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV-EMULATE_TENSORMAPARGUMENT_H
