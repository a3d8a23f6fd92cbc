//===- KernelArgument.h - arguments given as text ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel arguments of conv-emulate: device buffers with a way to fill them, and
// scalars.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_EMULATE_KERNELARGUMENT_H
#define CONV_TOOLS_CONV_EMULATE_KERNELARGUMENT_H

#include "conv/Emulator/EmulatedTensorMap.h"
#include "conv/Emulator/EmulatorMemory.h"
#include "conv/Support/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

enum class BufferType { F16, BF16, F32, I8, I32, I64 };

/// Bytes of an element.
size_t elementBytes(BufferType type);

/// One kernel argument. The texts are
///
///   TYPE:COUNT:FILL   a buffer; FILL is zeros, ones, iota, random[SEED] (small
///                     integers) or nan (not initialised)
///   TYPE=VALUE        a scalar of an integer type or f32
///   null              the null pointer
///   tiled:…, im2col:… a tensor map with a buffer of its own or another's; see
///                     TensorMapArgument.h
class KernelArgument {
public:
  static Result<KernelArgument> parse(std::string_view text);

  bool isBuffer() const { return kind == Kind::Buffer; }
  size_t count() const { return elements; }

  /// Allocates the buffer, if it is one, and encodes the tensor map; `earlier`
  /// are the arguments before this one.
  Status allocate(EmulatorMemory &memory,
                  const std::vector<KernelArgument> &earlier);
  /// Gives the buffer its initial contents.
  void fill();
  /// Element `index` of the buffer as a number.
  double element(size_t index) const;
  /// What a launch wants: the address of the argument's value.
  void *address() {
    return map ? static_cast<void *>(&encoded) : static_cast<void *>(&value);
  }

private:
  enum class Kind { Buffer, Scalar, Null };
  enum class Fill { Zeros, Ones, Iota, Random, NaN };

  Status parseBuffer(std::string_view count, std::string_view fill);
  Status parseScalar(std::string_view text);
  Status parseMap(std::string_view text);
  double initialValue(size_t index, uint64_t &state) const;
  void setElement(size_t index, double number);

  Kind kind = Kind::Null;
  BufferType type = BufferType::F32;
  Fill filling = Fill::NaN;
  uint64_t seed = 1;
  size_t elements = 0;
  /// The pointer, or the scalar's bits.
  uint64_t value = 0;
  /// Of a tensor map, what it describes, whose buffer it shares if not its own,
  /// and its value.
  std::optional<TensorMap> map;
  std::optional<size_t> sharedWith;
  EmulatedTensorMap encoded;
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV_EMULATE_KERNELARGUMENT_H
