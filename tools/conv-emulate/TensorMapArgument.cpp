//===- TensorMapArgument.cpp - tensor maps given as text ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMapArgument.h.
//
//===----------------------------------------------------------------------===//

#include "TensorMapArgument.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace convmlir {

static Error badMap(llvm::StringRef part, const char *expected) {
  return Error{"--arg: '" + part.str() + "': expected " + expected};
}

static Result<std::vector<int64_t>> parseNumbers(llvm::StringRef text) {
  std::vector<int64_t> numbers;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    int64_t number = 0;
    if (part.getAsInteger(10, number))
      return badMap(text, "integers separated by commas");
    numbers.push_back(number);
  }
  return numbers;
}

static Status setSwizzle(TensorMap &map, int64_t bytes) {
  switch (bytes) {
  case 0:
    map.swizzle = TensorMapSwizzle::None;
    return {};
  case 32:
    map.swizzle = TensorMapSwizzle::B32;
    return {};
  case 64:
    map.swizzle = TensorMapSwizzle::B64;
    return {};
  case 128:
    map.swizzle = TensorMapSwizzle::B128;
    return {};
  default:
    return badMap("swizzle", "0, 32, 64 or 128");
  }
}

static Status setOne(TensorMapArgument &argument, llvm::StringRef key,
                     int64_t number) {
  TensorMap &map = argument.map;
  if (key == "swizzle")
    return setSwizzle(map, number);
  auto *field = llvm::StringSwitch<int64_t *>(key)
                    .Case("channels", &map.channelsPerPixel)
                    .Case("pixels", &map.pixelsPerColumn)
                    .Case("offset", &map.byteOffset)
                    .Default(nullptr);
  if (field)
    *field = number;
  else if (key == "of")
    argument.sharedWith = size_t(number);
  else
    return badMap(key, "a key of a tensor map");
  return {};
}

static Status setField(TensorMapArgument &argument, llvm::StringRef text) {
  auto [key, value] = text.split('=');
  Result<std::vector<int64_t>> numbers = parseNumbers(value);
  if (!numbers)
    return numbers.takeError();
  TensorMap &map = argument.map;
  auto *list = llvm::StringSwitch<std::vector<int64_t> *>(key)
                   .Case("extents", &map.extents)
                   .Case("strides", &map.byteStrides)
                   .Case("steps", &map.elementStrides)
                   .Case("box", &map.box)
                   .Case("lower", &map.lowerCorner)
                   .Case("upper", &map.upperCorner)
                   .Default(nullptr);
  if (list) {
    *list = *numbers;
    return {};
  }
  return setOne(argument, key, numbers->front());
}

/// Strides of a dense tensor, and unit steps, where none are given.
static void addDefaults(TensorMap &map) {
  if (map.elementStrides.empty())
    map.elementStrides.assign(map.extents.size(), 1);
  if (!map.byteStrides.empty())
    return;
  int64_t stride = byteSize(map.type);
  for (size_t i = 0; i + 1 < map.extents.size(); ++i)
    map.byteStrides.push_back(stride *= map.extents[i]);
}

Result<TensorMapArgument> TensorMapArgument::parse(std::string_view text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ':');
  TensorMapArgument argument;
  TensorMap &map = argument.map;
  map.mode =
      parts[0] == "im2col" ? TensorMap::Mode::Im2col : TensorMap::Mode::Tiled;
  if (parts.size() < 4)
    return badMap(text, "MODE:TYPE:FILL:KEY=NUMBERS");
  argument.type = parts[1].str();
  argument.fill = parts[2].str();
  std::optional<ElementType> type = parseElementType(argument.type);
  if (!type)
    return badMap(parts[1], "an element type");
  map.type = *type;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front(3))
    if (Status status = setField(argument, part); !status)
      return status.takeError();
  addDefaults(map);
  if (Status status = validate(map); !status)
    return Error{"tensor map: " + status.error()};
  return argument;
}

int64_t TensorMapArgument::elements() const {
  return (map.byteOffset + spannedBytes(map).value_or(0)) / byteSize(map.type);
}

} // namespace convmlir
