//===- Npy.cpp - reading and writing of .npy ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is NumPy's "NEP 1": magic, version, length of a header that is a
// Python dictionary literal, the data.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Npy.h"

#include "NpyHeader.h"

#include <bit>
#include <cstring>

static_assert(std::endian::native == std::endian::little,
              "arrays are read and written as they lie in memory");

namespace convmlir {

static constexpr char magic[] = "\x93NUMPY";
static constexpr size_t magicSize = 6;

/// Splits the content into header text and data.
static Status splitHeader(std::span<const uint8_t> content,
                          std::string_view &header,
                          std::span<const uint8_t> &data) {
  if (content.size() < magicSize + 2 ||
      std::memcmp(content.data(), magic, magicSize) != 0)
    return Error{"not a .npy file (it does not begin with \\x93NUMPY)"};
  int major = content[magicSize], minor = content[magicSize + 1];
  if (major < 1 || major > 3 || minor != 0)
    return Error{"unsupported .npy version " + std::to_string(major) + "." +
                 std::to_string(minor) + ", expected 1.0, 2.0 or 3.0"};

  size_t lengthSize = major == 1 ? 2 : 4, begin = magicSize + 2 + lengthSize;
  if (content.size() < begin)
    return Error{"truncated in the header"};
  size_t length = 0;
  for (size_t i = 0; i < lengthSize; ++i)
    length |= static_cast<size_t>(content[magicSize + 2 + i]) << (8 * i);
  if (content.size() - begin < length)
    return Error{"truncated in the header: it should have " +
                 std::to_string(length) + " bytes, " +
                 std::to_string(content.size() - begin) + " are left"};
  header = {reinterpret_cast<const char *>(content.data()) + begin, length};
  data = content.subspan(begin + length);
  return {};
}

static Result<NpyArray> parse(std::span<const uint8_t> content) {
  std::string_view headerText;
  std::span<const uint8_t> data;
  if (Status split = splitHeader(content, headerText, data); !split)
    return split.takeError();
  Result<NpyHeader> header = parseNpyHeader(headerText);
  if (!header)
    return header.takeError();

  NpyArray array;
  array.kind = header->kind;
  array.elementBytes = header->elementBytes;
  array.shape = std::move(header->shape);
  std::optional<int64_t> count = elementCount(array.shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, array.elementBytes, &bytes))
    return Error{"the size of shape " + toString(array.shape) +
                 " does not fit in 63 bits"};
  if (static_cast<uint64_t>(bytes) != data.size())
    return Error{"shape " + toString(array.shape) + " of " + array.dtype() +
                 " takes " + std::to_string(bytes) + " bytes, the file has " +
                 std::to_string(data.size())};
  array.data.assign(data.begin(), data.end());
  return array;
}

Result<NpyArray> parseNpy(std::span<const uint8_t> content,
                          const std::string &name) {
  Result<NpyArray> array = parse(content);
  if (!array)
    return Error{name + ": " + array.error()};
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<Bytes> content = readFile(path);
  if (!content)
    return content.takeError();
  return parseNpy(*content, path);
}

/// NumPy's descr of the file that holds a tensor of that type.
static const char *descrOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "<f2";
  case ElementType::F64:
    return "<f8";
  case ElementType::S8:
    return "|i1";
  case ElementType::S32:
    return "<i4";
  default:
    return "<f4";
  }
}

static std::string headerText(const Tensor &tensor) {
  std::string shape;
  for (int64_t extent : tensor.shape())
    shape += std::to_string(extent) + ", ";
  std::string text = std::string("{'descr': '") + descrOf(tensor.type()) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data begins at a multiple of 64, after magic, version, length and newline.
  size_t used = magicSize + 4 + text.size() + 1;
  text.append((64 - used % 64) % 64, ' ');
  return text + "\n";
}

/// Types that NumPy lacks are widened to f32.
static bool isNative(ElementType type) {
  return type == ElementType::F16 || type == ElementType::F32 ||
         type == ElementType::F64 || isInteger(type);
}

Bytes serialiseNpy(const Tensor &tensor) {
  std::string header = headerText(tensor);
  // Version 1.0, then the length of the header.
  std::string prefix(magic, magicSize);
  prefix += {1, 0, static_cast<char>(header.size() & 0xff),
             static_cast<char>(header.size() >> 8)};
  prefix += header;
  Bytes content(prefix.begin(), prefix.end());
  auto append = [&](std::span<const uint8_t> data) {
    content.insert(content.end(), data.begin(), data.end());
  };
  if (isNative(tensor.type()))
    append(tensor.bytes());
  else
    append(tensor.convertedTo(ElementType::F32).bytes());
  return content;
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  return writeFileAtomically(path, serialiseNpy(tensor));
}

} // namespace convmlir
