//===- NpzFuzzer.cpp - archives of NumPy files ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the content of a .npz file, of which the array `x` is read.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"
#include "conv/Runtime/Npy.h"

using namespace convmlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<NpyArray> array = parseNpz({data, size}, "archive", "x");
  if (!array) {
    fuzzing::noteRefusal(array.error());
    return 0;
  }
  // A claim beyond what deflate can pack is refused before memory is taken.
  fuzzing::expect(array->data.size() / 1032 <= size,
                  "an array is no larger than its archive can hold");
  return 0;
}
