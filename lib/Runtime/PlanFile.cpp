//===- PlanFile.cpp - container of plan files -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and checks the container: magic, version, sizes and checksum. The
// header's JSON is in PlanJson.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/PlanFile.h"

#include "PlanJson.h"
#include "conv/Support/LittleEndian.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace convmlir {

static constexpr std::string_view magic = "CONVPLAN";
static constexpr size_t versionAt = 8, headerSizeAt = 12, dataSizeAt = 20,
                        headerAt = 28, checksumSize = 8;

/// [n][i]: the remainder of byte i with n bytes of zero behind it.
using CrcTables = std::array<std::array<uint64_t, 256>, 8>;

static constexpr CrcTables crcTables = [] {
  CrcTables tables{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t remainder = i;
    for (int bit = 0; bit < 8; ++bit)
      remainder =
          remainder >> 1 ^ (remainder & 1 ? 0xC96C5795D7870F42u : uint64_t(0));
    tables[0][i] = remainder;
  }
  for (size_t n = 1; n < tables.size(); ++n)
    for (size_t i = 0; i < 256; ++i) {
      uint64_t before = tables[n - 1][i];
      tables[n][i] = tables[0][before & 0xff] ^ before >> 8;
    }
  return tables;
}();

/// Eight bytes at a time ("slicing"): the look-ups of one step do not wait for
/// each other. It is most of the time that reading a plan takes.
uint64_t crc64(std::span<const uint8_t> content) {
  constexpr size_t step = crcTables.size();
  uint64_t remainder = ~uint64_t(0);
  for (; content.size() >= step; content = content.subspan(step)) {
    remainder ^= readLittleEndian(content, 0, step);
    uint64_t next = 0;
    for (size_t i = 0; i < step; ++i)
      next ^= crcTables[step - 1 - i][remainder >> (8 * i) & 0xff];
    remainder = next;
  }
  for (uint8_t byte : content)
    remainder = crcTables[0][(remainder ^ byte) & 0xff] ^ remainder >> 8;
  return ~remainder;
}

Result<Bytes> serialisePlan(const Plan &plan) {
  if (Status status = validate(plan); !status)
    return Error{"the plan is not valid: " + status.error()};
  std::string header = planToJson(plan);
  size_t dataSize = 0;
  for (const PlanImage &image : plan.images)
    dataSize += image.data.size();
  for (const PlanBuffer &buffer : plan.buffers)
    dataSize += buffer.data.size();

  Bytes file(magic.begin(), magic.end());
  file.reserve(headerAt + header.size() + dataSize + checksumSize);
  appendLittleEndian(file, planFormatVersion, 4);
  appendLittleEndian(file, header.size(), 8);
  appendLittleEndian(file, dataSize, 8);
  file.insert(file.end(), header.begin(), header.end());
  for (const PlanImage &image : plan.images)
    file.insert(file.end(), image.data.begin(), image.data.end());
  for (const PlanBuffer &buffer : plan.buffers)
    file.insert(file.end(), buffer.data.begin(), buffer.data.end());
  appendLittleEndian(file, crc64(file), checksumSize);
  return file;
}

/// The two parts of a container that passed every check.
namespace {
struct Container {
  std::string_view header;
  std::span<const uint8_t> data;
};
} // namespace

static Result<Container> openContainer(std::span<const uint8_t> file) {
  if (file.size() < magic.size() ||
      !std::equal(magic.begin(), magic.end(), file.begin()))
    return Error{"not a plan (it does not begin with CONVPLAN)"};
  if (file.size() < headerAt + checksumSize)
    return Error{"truncated: " + std::to_string(file.size()) +
                 " bytes are less than an empty plan has"};
  uint64_t version = readLittleEndian(file, versionAt, 4);
  if (version != planFormatVersion)
    return Error{"plan format version " + std::to_string(version) +
                 ", this program reads version " +
                 std::to_string(planFormatVersion) + ": compile it again"};
  uint64_t headerSize = readLittleEndian(file, headerSizeAt, 8);
  uint64_t dataSize = readLittleEndian(file, dataSizeAt, 8);
  uint64_t rest = file.size() - headerAt - checksumSize;
  if (headerSize > rest || dataSize != rest - headerSize)
    return Error{"truncated or damaged: a header of " +
                 std::to_string(headerSize) + " and data of " +
                 std::to_string(dataSize) + " bytes are promised, " +
                 std::to_string(rest) + " bytes are there"};
  std::span<const uint8_t> checked = file.first(file.size() - checksumSize);
  if (crc64(checked) != readLittleEndian(file, checked.size(), checksumSize))
    return Error{"damaged: the checksum does not match"};
  const char *text = reinterpret_cast<const char *>(file.data());
  return Container{{text + headerAt, headerSize},
                   file.subspan(headerAt + headerSize, dataSize)};
}

static Result<Plan> parse(std::span<const uint8_t> content) {
  Result<Container> container = openContainer(content);
  if (!container)
    return container.takeError();
  Result<Plan> plan = planFromJson(container->header, container->data);
  if (!plan)
    return plan;
  if (Status status = validate(*plan); !status)
    return status.takeError();
  return plan;
}

Result<Plan> parsePlan(std::span<const uint8_t> content,
                       const std::string &name) {
  Result<Plan> plan = parse(content);
  if (!plan)
    return Error{name + ": " + plan.error()};
  return plan;
}

Status writePlan(const Plan &plan, const std::string &path) {
  Result<Bytes> content = serialisePlan(plan);
  if (!content)
    return content.takeError();
  return writeFileAtomically(path, *content);
}

Result<Plan> readPlan(const std::string &path) {
  Result<Bytes> content = readFile(path);
  if (!content)
    return content.takeError();
  return parsePlan(*content, path);
}

} // namespace convmlir
