//===- ElementType.h - element types of tensors -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types that a tensor of a plan can have, their names and sizes. bf16, tf32
// and the 8-bit floats have no C++ type: tensors hold their bits, FloatFormat.h
// converts them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_ELEMENTTYPE_H
#define CONV_RUNTIME_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convmlir {

/// tf32 is stored as 32 bits of which the lowest 13 are zero. e4m3 and e5m2 are
/// the OCP 8-bit floats (e4m3 has no infinity).
enum class ElementType { F16, BF16, TF32, F32, F64, S8, E4M3, E5M2, S32 };

/// Every element type, for loops over all of them.
inline constexpr ElementType allElementTypes[] = {
    ElementType::F16,  ElementType::BF16, ElementType::TF32,
    ElementType::F32,  ElementType::F64,  ElementType::S8,
    ElementType::E4M3, ElementType::E5M2, ElementType::S32};

/// "f16", "bf16", "tf32", "f32", "f64", "s8", "e4m3", "e5m2" or "s32".
const char *toString(ElementType type);

/// The type of that name, or nothing.
std::optional<ElementType> parseElementType(std::string_view name);

/// The names of all element types, "f16, bf16, …", for error messages.
std::string elementTypeNames();

/// Bytes of one element in memory: 1, 2, 4 or 8.
int64_t byteSize(ElementType type);

/// True for s8 and s32.
bool isInteger(ElementType type);

} // namespace convmlir

#endif // CONV_RUNTIME_ELEMENTTYPE_H
