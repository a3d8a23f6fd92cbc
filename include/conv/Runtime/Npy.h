//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading of .npy (format 1 to 3) and .npz files, writing of .npy. Little
// endian, C order; f2 f4 f8, i1 i2 i4 i8, u1 u2 u4. Every malformed file gives
// one message that begins with the file's name.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_NPY_H
#define CONV_RUNTIME_NPY_H

#include "conv/Runtime/FileIO.h"
#include "conv/Runtime/Shape.h"
#include "conv/Runtime/Tensor.h"

#include <span>
#include <string>

namespace convmlir {

/// An array as the file holds it.
struct NpyArray {
  char kind = 'f'; ///< 'f' floating point, 'i' signed, 'u' unsigned.
  int elementBytes = 4;
  Shape shape;
  Bytes data; ///< Dense, row-major, little endian.

  /// NumPy's name of the element type, such as "f4".
  std::string dtype() const { return kind + std::to_string(elementBytes); }
};

/// Parses the content of a .npy file; `name` is what messages call it.
Result<NpyArray> parseNpy(std::span<const uint8_t> content,
                          const std::string &name);

/// Reads a .npy file.
Result<NpyArray> readNpy(const std::string &path);

/// Parses the member `key` (or `key`.npy) of the content of a .npz file: a zip
/// archive with stored or deflated members below 4 GiB, each checked by its
/// CRC-32. `name` is what messages call it.
Result<NpyArray> parseNpz(std::span<const uint8_t> content,
                          const std::string &name, const std::string &key);

/// Reads that member of a .npz file.
Result<NpyArray> readNpz(const std::string &path, const std::string &key);

/// Converts to an element type: floating-point values round to nearest even.
/// u2 for bf16 and u1 for e4m3 and e5m2 are taken as the bits of the type.
/// Integer types take only values that they hold exactly, floats only what is
/// no larger than their numbers, and an infinity or NaN where they have one;
/// anything else is an error that names the first such element.
Result<Tensor> tensorFromNpy(const NpyArray &array, ElementType type,
                             const std::string &name);

/// The content of a .npy file: f2, f4, f8, i1 or i4. bf16, tf32 and the 8-bit
/// floats are written as f4, which holds their values exactly.
Bytes serialiseNpy(const Tensor &tensor);

/// Writes that content atomically.
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace convmlir

#endif // CONV_RUNTIME_NPY_H
