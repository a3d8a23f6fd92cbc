//===- ElementType.cpp - names and sizes of element types -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/ElementType.h"

namespace convmlir {

const char *toString(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::TF32:
    return "tf32";
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  case ElementType::S8:
    return "s8";
  case ElementType::E4M3:
    return "e4m3";
  case ElementType::E5M2:
    return "e5m2";
  case ElementType::S32:
    return "s32";
  }
  return "";
}

std::optional<ElementType> parseElementType(std::string_view name) {
  for (ElementType type : allElementTypes)
    if (name == toString(type))
      return type;
  return std::nullopt;
}

std::string elementTypeNames() {
  std::string names;
  for (ElementType type : allElementTypes)
    names += (names.empty() ? "" : ", ") + std::string(toString(type));
  return names;
}

int64_t byteSize(ElementType type) {
  switch (type) {
  case ElementType::S8:
  case ElementType::E4M3:
  case ElementType::E5M2:
    return 1;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::TF32:
  case ElementType::F32:
  case ElementType::S32:
    return 4;
  case ElementType::F64:
    return 8;
  }
  return 0;
}

bool isInteger(ElementType type) {
  return type == ElementType::S8 || type == ElementType::S32;
}

} // namespace convmlir
