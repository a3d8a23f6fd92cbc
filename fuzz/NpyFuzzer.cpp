//===- NpyFuzzer.cpp - NumPy files ----------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the content of a .npy file. An array that is taken is converted to
// every element type; what that gives is written and read again.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"
#include "conv/Runtime/Npy.h"

using namespace convmlir;
using fuzzing::expect;

static void expectConverted(const NpyArray &array, ElementType type) {
  Result<Tensor> tensor = tensorFromNpy(array, type, "array");
  if (!tensor)
    return fuzzing::noteRefusal(tensor.error());
  expect(tensor->shape() == array.shape, "a tensor has the array's shape");
  Result<NpyArray> again = parseNpy(serialiseNpy(*tensor), "array");
  expect(again && again->shape == array.shape, "what was written can be read");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<NpyArray> array = parseNpy({data, size}, "array");
  if (!array) {
    fuzzing::noteRefusal(array.error());
    return 0;
  }
  expect(array->data.size() < size, "an array is smaller than its file");
  for (ElementType type : allElementTypes)
    expectConverted(*array, type);
  return 0;
}
