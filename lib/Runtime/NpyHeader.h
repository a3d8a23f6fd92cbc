//===- NpyHeader.h - header of a .npy file ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is a Python dictionary literal with exactly three keys:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_NPYHEADER_H
#define CONV_LIB_RUNTIME_NPYHEADER_H

#include "conv/Runtime/Shape.h"
#include "conv/Support/Result.h"

#include <string_view>

namespace convmlir {

struct NpyHeader {
  char kind = 'f';
  int elementBytes = 4;
  Shape shape;
};

/// Parses the dictionary; refuses big-endian data, Fortran order and element
/// types other than those of Npy.h.
Result<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace convmlir

#endif // CONV_LIB_RUNTIME_NPYHEADER_H
