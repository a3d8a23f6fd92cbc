//===- PlanFileTest.cpp - plan files, whole and damaged -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/PlanFile.h"

#include "TestFiles.h"
#include "TestPlans.h"

#include "gtest/gtest.h"

#include <string>

using namespace convmlir;
using namespace convmlir::test;

namespace {

constexpr size_t headerAt = 28;

std::string errorOf(const Bytes &file) {
  Result<Plan> plan = parsePlan(file, "a.plan");
  return plan ? "" : plan.error();
}

void appendInteger(Bytes &file, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    file.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

/// The container of the format's description around any header and data.
Bytes makeFile(const std::string &header, const Bytes &data,
               uint32_t version = planFormatVersion) {
  Bytes file{'C', 'O', 'N', 'V', 'P', 'L', 'A', 'N'};
  appendInteger(file, version, 4);
  appendInteger(file, header.size(), 8);
  appendInteger(file, data.size(), 8);
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  appendInteger(file, crc64(file), 8);
  return file;
}

/// The data of the full plan: three images and a constant.
const Bytes fullData{0x7f, 'E', 'L', 'F', 'p', 'm', 'l', 1, 2, 3, 4};

/// The header of the full plan.
std::string fullHeader() {
  Bytes file = *serialisePlan(makeFullPlan());
  return std::string(file.begin() + headerAt,
                     file.end() - 8 - static_cast<ptrdiff_t>(fullData.size()));
}

TEST(PlanFile, crc64IsTheStandardOne) {
  std::string digits = "123456789";
  Bytes bytes(digits.begin(), digits.end());
  EXPECT_EQ(crc64(bytes), 0x995dc9bbdf1939fau);
}

/// One bit at a time, as the definition has it.
uint64_t crcByDefinition(std::span<const uint8_t> content) {
  uint64_t remainder = ~uint64_t(0);
  for (uint8_t byte : content) {
    remainder ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder =
          remainder >> 1 ^ (remainder & 1 ? 0xC96C5795D7870F42u : uint64_t(0));
  }
  return ~remainder;
}

TEST(PlanFile, crc64OfEveryLength) {
  Bytes bytes;
  for (uint8_t i = 0; i < 40; ++i) {
    EXPECT_EQ(crc64(bytes), crcByDefinition(bytes)) << bytes.size();
    bytes.push_back(static_cast<uint8_t>(37 * i + 11));
  }
}

TEST(PlanFile, roundTrip) {
  TemporaryDirectory directory;
  std::string path = directory.path("a.plan");
  Plan plan = makeFullPlan();
  ASSERT_TRUE(writePlan(plan, path));
  Result<Plan> read = readPlan(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(directory.fileCount(), 1u);
  // Every field is in the bytes of the file, so equal bytes are equal plans …
  EXPECT_EQ(*serialisePlan(*read), *serialisePlan(plan));
  // … if the fields do get there.
  EXPECT_EQ(read->problem, plan.problem);
  EXPECT_EQ(read->order, plan.order);
  EXPECT_EQ(read->remarks, plan.remarks);
  EXPECT_EQ(read->compileMs, 12.5);
  EXPECT_EQ(read->buffers[4].data, plan.buffers[4].data);
  EXPECT_EQ(read->images[2].data, plan.images[2].data);
  EXPECT_EQ(read->launches[0].cluster, plan.launches[0].cluster);
  EXPECT_EQ(read->launches[0].arguments, plan.launches[0].arguments);
}

TEST(PlanFile, olderPlansDoNotSayTheMultiprocessors) {
  Plan plan = makeFullPlan();
  plan.multiprocessors = 78;
  Bytes file = *serialisePlan(plan);
  EXPECT_EQ(parsePlan(file, "a.plan")->multiprocessors, 78);
  std::string older = fullHeader();
  size_t key = older.find("\"multiprocessors\"");
  ASSERT_NE(key, std::string::npos);
  older.erase(key, older.find('\n', key) - key);
  Result<Plan> read = parsePlan(makeFile(older, fullData), "a.plan");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->multiprocessors, 0);
  EXPECT_EQ(read->target, "sm_90a");
  plan.multiprocessors = -1;
  EXPECT_FALSE(serialisePlan(plan));
}

TEST(PlanFile, fileIsAsDescribed) {
  EXPECT_EQ(*serialisePlan(makeFullPlan()), makeFile(fullHeader(), fullData));
}

TEST(PlanFile, invalidPlansAreNotWritten) {
  TemporaryDirectory directory;
  Plan plan = makeFullPlan();
  plan.launches[0].grid = {0, 1, 1};
  EXPECT_TRUE(writePlan(plan, directory.path("a.plan"))
                  .error()
                  .starts_with("the plan is not valid: launches[0].grid"));
  EXPECT_EQ(directory.fileCount(), 0u);
}

TEST(PlanFile, everyTruncationIsFound) {
  Bytes file = *serialisePlan(makeFullPlan());
  for (size_t size = 0; size < file.size(); ++size) {
    std::string error = errorOf(Bytes(file.begin(), file.begin() + size));
    ASSERT_TRUE(error.starts_with("a.plan: ")) << size << error;
  }
  file.push_back(0);
  EXPECT_TRUE(contains(errorOf(file), "truncated or damaged"));
}

TEST(PlanFile, everyDamagedByteIsFound) {
  Bytes file = *serialisePlan(makeFullPlan());
  for (uint8_t mask : {0x01, 0xff})
    for (size_t i = 0; i < file.size(); ++i) {
      file[i] ^= mask;
      ASSERT_TRUE(errorOf(file).starts_with("a.plan: ")) << i;
      file[i] ^= mask;
    }
  file[headerAt + 5] ^= 4;
  EXPECT_EQ(errorOf(file), "a.plan: damaged: the checksum does not match");
}

TEST(PlanFile, otherFilesAndVersions) {
  EXPECT_TRUE(contains(errorOf(Bytes(100, 'x')), "not a plan"));
  EXPECT_TRUE(contains(errorOf(makeFile(fullHeader(), fullData, 3)),
                       "plan format version 3, this program reads version 5"));
  EXPECT_TRUE(contains(readPlan("no-such.plan").error(),
                       "cannot read 'no-such.plan': No such file"));
}

/// Replaces the first occurrence of a text in the header of the full plan.
std::string replaced(const std::string &from, const std::string &to) {
  std::string header = fullHeader();
  size_t at = header.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return header.replace(at, from.size(), to);
}

TEST(PlanFile, headersWithTheRightChecksumAreCheckedToo) {
  struct Case {
    std::string from, to, message;
  };
  const Case cases[] = {
      {"{", "[", "the header is not JSON"},
      {"\"buffers\": [", "\"bufers\": [", "'buffers' is absent"},
      {"\"target\": \"sm_90a\"", "\"target\": 90",
       "target: expected a string, got number"},
      {"\"deterministic\": true", "\"deterministic\": 1",
       "deterministic: expected true or false, got number"},
      {"\"compile_ms\": 12.5", "\"compile_ms\": \"12.5\"",
       "compile_ms: expected a number, got string"},
      {"\"compile_ms\": 12.5", "\"compile_ms\": -1.0", "compile_ms"},
      {"\"role\": \"argument\"", "\"role\": \"input\"",
       "buffers[0].role: expected one of argument, result, workspace, "
       "constant, got 'input'"},
      {"\"type\": \"bf16\"", "\"type\": \"bf17\"", "buffers[0].type: expected"},
      {"\"position\": 0", "\"position\": -7", "must be 0, 1, 2, …"},
      {"\"position\": 0", "\"position\": 0.5",
       "buffers[0].position: expected an integer, got number"},
      {"\"position\": 0", "\"position\": 18446744073709551615",
       "buffers[0].position: the integer does not fit"},
      {"\"bytes\": 4096", "\"bytes\": 4097",
       "buffers[0].bytes: 4097 is not the size of shape 2x8x8x16 of bf16"},
      {"\"bytes\": 4096", "\"bytes\": -4096", "is not the size of shape"},
      {"\"kind\": \"cubin\"", "\"kind\": \"elf\"", "images[0].kind: expected"},
      {"\"kind\": \"tiled\"", "\"kind\": \"box\"",
       "launches[0].arguments[1].kind: expected one of buffer, i32"},
      {"\"kernel\": \"conv_kernel\"", "\"kernel\": \"\"",
       "launches[0].kernel: expected the name"},
      {"\"kernel\": \"conv_kernel\"", "\"kernel\": \"a\\u0000b\"",
       "launches[0].kernel: expected the name"},
      {"\"swizzle\": 1", "\"swizzle\": 4", "swizzle: expected 0 to 3, got 4"},
      {"\"bits\": -5", "\"bits\": 2147483648",
       "bits: expected a signed 32-bit integer, got 2147483648"},
      {"\"buffer\": 3", "\"buffer\": 33", "buffer 33 does not exist"},
      {"\"byte_offset\": 256", "\"byte_offset\": -1", "offset -1 leave"},
      {"\"grid\": [", "\"grid\": [1,", "launches[0].grid: expected 3 integers"},
      {"\"registers\": 168", "\"registers\": null",
       "launches[0].registers: expected an integer, got null"},
      {"\"arguments\": [", "\"arguments\": [7,",
       "launches[0].arguments[0]: expected an object, got number"},
  };
  for (const Case &test : cases) {
    std::string error =
        errorOf(makeFile(replaced(test.from, test.to), fullData));
    EXPECT_TRUE(error.starts_with("a.plan: "));
    EXPECT_TRUE(contains(error, test.message)) << test.from;
  }
}

TEST(PlanFile, sizesOfTheDataMustAddUp) {
  Bytes shorter(fullData.begin(), fullData.end() - 1), longer = fullData;
  longer.push_back(9);
  EXPECT_TRUE(contains(errorOf(makeFile(fullHeader(), shorter)),
                       "buffers[4].bytes: 4 bytes of data are expected, 3 are "
                       "left"));
  EXPECT_TRUE(contains(errorOf(makeFile(fullHeader(), longer)),
                       "1 bytes of data belong to no image or constant"));
  std::string negative =
      replaced("\"bytes\": 4,\n   \"kind\"", "\"bytes\": -4,\n   \"kind\"");
  EXPECT_TRUE(contains(errorOf(makeFile(negative, fullData)),
                       "images[0].bytes: -4 bytes of data are expected"));
}

TEST(PlanFile, headersThatAreNoObjects) {
  for (const char *header : {"", "null", "3", "[]", "\"x\"", "{}", "{\"a\":"})
    EXPECT_TRUE(errorOf(makeFile(header, {})).starts_with("a.plan: "))
        << header;
  std::string deep(100000, '[');
  EXPECT_TRUE(contains(errorOf(makeFile(deep, {})), "not JSON"));
}

} // namespace
