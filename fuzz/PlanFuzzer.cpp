//===- PlanFuzzer.cpp - plan files ----------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the content of a plan file; or what such a file is made of, the header
// of JSON, a zero, and the data, which a mutation can change without a hit on
// the sizes and the checksum. A plan that is taken is written and read again.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"
#include "conv/Runtime/PlanFile.h"

#include <algorithm>

using namespace convmlir;
using fuzzing::expect;

static void appendLittleEndian(Bytes &bytes, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

/// A file whose sizes and checksum are right.
static Bytes makeFile(std::span<const uint8_t> header,
                      std::span<const uint8_t> data) {
  static constexpr std::string_view magic = "CONVPLAN";
  Bytes file(magic.begin(), magic.end());
  appendLittleEndian(file, planFormatVersion, 4);
  appendLittleEndian(file, header.size(), 8);
  appendLittleEndian(file, data.size(), 8);
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  appendLittleEndian(file, crc64(file), 8);
  return file;
}

static void readAndWrite(std::span<const uint8_t> content) {
  Result<Plan> plan = parsePlan(content, "plan");
  if (!plan)
    return fuzzing::noteRefusal(plan.error());
  expect(bool(validate(*plan)), "a plan that was read is valid");
  expect(plan->workspaceBytes() >= 0, "the workspace can be counted");
  Result<Bytes> written = serialisePlan(*plan);
  expect(bool(written), "a plan that was read can be written");
  Result<Plan> again = parsePlan(*written, "plan");
  expect(bool(again), "a plan that was written can be read");
  Result<Bytes> twice = serialisePlan(*again);
  expect(twice && *twice == *written, "a plan is written as it was read");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> content(data, size);
  readAndWrite(content);
  size_t header = std::ranges::find(content, 0) - content.begin();
  readAndWrite(makeFile(content.first(header),
                        content.subspan(std::min(header + 1, size))));
  return 0;
}
