//===- TensorInput.h - where a tensor's values come from --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar of `conv-run --input`: generated values, or a .npy or .npz file.
// Generated values depend on nothing but seed and position, so any element of
// any run can be computed again alone.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_TENSORINPUT_H
#define CONV_RUNTIME_TENSORINPUT_H

#include "conv/Runtime/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace convmlir {

/// A parsed input specification.
struct InputSpec {
  enum class Kind {
    Random,   ///< uniform in [-1, 1); integer types: [-128, 127].
    Integers, ///< half zeros, the rest from {-2, -1, 1, 2}.
    Ones,
    Zeros,
    File, ///< PATH.npy, or PATH.npz:KEY.
  };
  Kind kind = Kind::Random;
  std::optional<uint64_t> seed; ///< Random and Integers.
  std::string path;             ///< File.
  std::string key;              ///< File: member of a .npz, else empty.
};

/// Parses random[:SEED] | integers[:SEED] | ones | zeros | PATH.npy |
/// PATH.npz:KEY.
Result<InputSpec> parseInputSpec(const std::string &text);

/// A tensor of that type and shape. `defaultSeed` serves a specification that
/// has none: give every argument its own. A file must hold the same shape; its
/// values are converted as tensorFromNpy says.
Result<Tensor> makeInput(const InputSpec &spec, ElementType type,
                         const Shape &shape, uint64_t defaultSeed);

/// A uniform 64-bit number that depends on seed and position alone.
uint64_t randomBits(uint64_t seed, uint64_t position);

} // namespace convmlir

#endif // CONV_RUNTIME_TENSORINPUT_H
