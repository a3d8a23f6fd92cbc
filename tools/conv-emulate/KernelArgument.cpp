//===- KernelArgument.cpp - arguments given as text -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelArgument.h.
//
//===----------------------------------------------------------------------===//

#include "KernelArgument.h"
#include "TensorMapArgument.h"
#include "conv/Runtime/FloatFormat.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>
#include <optional>

namespace convmlir {

static std::optional<BufferType> parseType(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<BufferType>>(text)
      .Case("f16", BufferType::F16)
      .Case("bf16", BufferType::BF16)
      .Case("f32", BufferType::F32)
      .Case("i8", BufferType::I8)
      .Case("i32", BufferType::I32)
      .Case("i64", BufferType::I64)
      .Default(std::nullopt);
}

size_t elementBytes(BufferType type) {
  switch (type) {
  case BufferType::I8:
    return 1;
  case BufferType::F16:
  case BufferType::BF16:
    return 2;
  case BufferType::F32:
  case BufferType::I32:
    return 4;
  case BufferType::I64:
    return 8;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static Error badArgument(std::string_view text, const char *expected) {
  return Error{"--arg=" + std::string(text) + ": expected " + expected};
}

Status KernelArgument::parseBuffer(std::string_view countText,
                                   std::string_view fillText) {
  llvm::StringRef count(countText), fill(fillText);
  kind = Kind::Buffer;
  if (count.getAsInteger(10, elements))
    return badArgument(countText, "a number of elements");
  if (fill.consume_front("random")) {
    filling = Fill::Random;
    if (!fill.empty() && fill.getAsInteger(10, seed))
      return badArgument(fillText, "a seed after 'random'");
    return {};
  }
  auto parsed = llvm::StringSwitch<std::optional<Fill>>(fill)
                    .Case("zeros", Fill::Zeros)
                    .Case("ones", Fill::Ones)
                    .Case("iota", Fill::Iota)
                    .Case("nan", Fill::NaN)
                    .Default(std::nullopt);
  if (!parsed)
    return badArgument(fillText, "zeros, ones, iota, random or nan");
  filling = *parsed;
  return {};
}

Status KernelArgument::parseScalar(std::string_view text) {
  kind = Kind::Scalar;
  llvm::StringRef number(text);
  if (type == BufferType::F32) {
    double parsed = 0;
    if (number.getAsDouble(parsed))
      return badArgument(text, "a number");
    auto single = float(parsed);
    std::memcpy(&value, &single, sizeof single);
    return {};
  }
  int64_t integer = 0;
  if (number.getAsInteger(10, integer))
    return badArgument(text, "an integer");
  value = uint64_t(integer);
  return {};
}

Status KernelArgument::parseMap(std::string_view text) {
  Result<TensorMapArgument> parsed = TensorMapArgument::parse(text);
  if (!parsed)
    return parsed.takeError();
  // What is rounded to tf32 on its way is f32.
  std::optional<BufferType> element =
      parseType(parsed->type == "tf32" ? "f32" : parsed->type);
  if (!element)
    return badArgument(text, "f16, bf16, f32 or tf32 as the type");
  type = *element;
  map = parsed->map;
  sharedWith = parsed->sharedWith;
  if (sharedWith)
    return {};
  return parseBuffer(std::to_string(parsed->elements()), parsed->fill);
}

Result<KernelArgument> KernelArgument::parse(std::string_view text) {
  KernelArgument argument;
  llvm::StringRef whole(text);
  if (whole == "null")
    return argument;
  if (whole.starts_with("tiled:") || whole.starts_with("im2col:")) {
    if (Status status = argument.parseMap(text); !status)
      return status.takeError();
    return argument;
  }
  bool isScalar = whole.contains('=');
  auto [typeText, rest] = whole.split(isScalar ? '=' : ':');
  std::optional<BufferType> type = parseType(typeText);
  if (!type)
    return badArgument(text, "TYPE:COUNT:FILL, TYPE=VALUE or null, with TYPE "
                             "one of f16, bf16, f32, i8, i32, i64");
  argument.type = *type;
  auto [count, fill] = rest.split(':');
  Status status =
      isScalar ? argument.parseScalar(rest) : argument.parseBuffer(count, fill);
  if (!status)
    return status.takeError();
  return argument;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

Status KernelArgument::allocate(EmulatorMemory &memory,
                                const std::vector<KernelArgument> &earlier) {
  if (sharedWith) {
    if (*sharedWith >= earlier.size() || !earlier[*sharedWith].isBuffer())
      return Error{"of=" + std::to_string(*sharedWith) +
                   ": no earlier argument with a buffer"};
    value = earlier[*sharedWith].value;
  } else if (kind == Kind::Buffer) {
    Result<void *> pointer = memory.allocate(elements * elementBytes(type));
    if (!pointer)
      return pointer.takeError();
    value = reinterpret_cast<uint64_t>(*pointer);
  }
  if (!map)
    return {};
  auto *tensor = reinterpret_cast<std::byte *>(value) + map->byteOffset;
  Result<EmulatedTensorMap> result = encodeForEmulator(*map, tensor);
  if (!result)
    return result.takeError();
  encoded = *result;
  return {};
}

/// Small integers: their products and sums are exact in every type.
double KernelArgument::initialValue(size_t index, uint64_t &state) const {
  switch (filling) {
  case Fill::Ones:
    return 1;
  case Fill::Iota:
    return double(index);
  case Fill::Random:
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 33) - double((state >> 33) / 5 * 5) - 2;
  default:
    return 0;
  }
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t encode(BufferType type, double number) {
  switch (type) {
  case BufferType::F16:
    return encodeFloat(number, f16Format);
  case BufferType::BF16:
    return encodeFloat(number, bf16Format);
  case BufferType::F32:
    return bitsOf(float(number));
  default:
    return uint64_t(int64_t(number));
  }
}

static double decode(BufferType type, uint64_t bits) {
  switch (type) {
  case BufferType::F16:
    return decodeFloat(uint32_t(bits), f16Format);
  case BufferType::BF16:
    return decodeFloat(uint32_t(bits), bf16Format);
  case BufferType::F32:
    return floatOf(uint32_t(bits));
  case BufferType::I8:
    return int8_t(bits);
  case BufferType::I32:
    return int32_t(bits);
  case BufferType::I64:
    return double(int64_t(bits));
  }
  return 0;
}

void KernelArgument::setElement(size_t index, double number) {
  size_t bytes = elementBytes(type);
  uint64_t bits = encode(type, number);
  std::memcpy(reinterpret_cast<std::byte *>(value) + index * bytes, &bits,
              bytes);
}

double KernelArgument::element(size_t index) const {
  size_t bytes = elementBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte *>(value) + index * bytes,
              bytes);
  return decode(type, bits);
}

void KernelArgument::fill() {
  if (kind != Kind::Buffer)
    return;
  if (filling == Fill::NaN) {
    std::memset(reinterpret_cast<void *>(value), 0xFF,
                elements * elementBytes(type));
    return;
  }
  uint64_t state = seed;
  for (size_t i = 0; i < elements; ++i)
    setElement(i, initialValue(i, state));
}

} // namespace convmlir
