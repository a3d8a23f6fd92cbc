//===- NpzTest.cpp - NumPy archives ---------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Npy.h"

#include "TestFiles.h"

#include "gtest/gtest.h"

using namespace convmlir;
using namespace convmlir::test;

namespace {

/// An archive as NumPy writes it (zip64 fields in the local headers): x.npy,
/// stored, float32 [1, 2, 3]; w.npy, deflated, float32, nine times 0.5.
constexpr const char *archiveHex =
    "504b03042d00000000000000215877a640d1ffffffffffffffff05001400782e6e707901"
    "0010008c000000000000008c00000000000000934e554d5059010076007b276465736372"
    "273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c202773"
    "68617065273a2028332c292c207d20202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020202020202020202020202020202020202020"
    "20200a0000803f0000004000004040504b03042d0000000800000021589deae08cffffff"
    "ffffffffff05001400772e6e707901001000a4000000000000004a000000000000009bec"
    "17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f"
    "94920a12774bcc294e058a17672416a402f91a963a9a3a0ab50a14002e0606067b421800"
    "504b01022d032d00000000000000215877a640d18c0000008c0000000500000000000000"
    "00000000800100000000782e6e7079504b01022d032d0000000800000021589deae08c4a"
    "000000a40000000500000000000000000000008001c3000000772e6e7079504b05060000"
    "00000200020066000000440100000000";

Bytes archive() {
  Bytes bytes;
  for (std::string hex = archiveHex; !hex.empty(); hex.erase(0, 2))
    bytes.push_back(
        static_cast<uint8_t>(std::stoi(hex.substr(0, 2), nullptr, 16)));
  return bytes;
}

class NpzTest : public testing::Test {
protected:
  Result<NpyArray> read(const Bytes &content, const std::string &key) {
    EXPECT_TRUE(writeFileAtomically(path, content));
    return readNpz(path, key);
  }
  std::vector<double> values(const NpyArray &array) {
    return tensorFromNpy(array, ElementType::F32, path)->toDoubles();
  }

  TemporaryDirectory directory;
  std::string path = directory.path("a.npz");
};

TEST_F(NpzTest, readsStoredAndDeflatedMembers) {
  Result<NpyArray> x = read(archive(), "x");
  ASSERT_TRUE(x) << x.error();
  EXPECT_EQ(values(*x), (std::vector<double>{1, 2, 3}));
  Result<NpyArray> w = read(archive(), "w.npy");
  ASSERT_TRUE(w) << w.error();
  EXPECT_EQ(values(*w), std::vector<double>(9, 0.5));
}

TEST_F(NpzTest, namesTheKeysThatThereAre) {
  EXPECT_EQ(read(archive(), "y").error(),
            path + ": no array 'y', the archive has 'x', 'w'");
}

TEST_F(NpzTest, refusesEveryTruncation) {
  Bytes whole = archive();
  for (size_t size = 0; size < whole.size(); ++size) {
    Result<NpyArray> x = read(Bytes(whole.begin(), whole.begin() + size), "x");
    ASSERT_FALSE(x) << size;
    EXPECT_TRUE(x.error().starts_with(path)) << x.error();
  }
}

/// Bytes that no reader looks at, such as dates, may change; values may not.
TEST_F(NpzTest, damageIsFoundOrHarmless) {
  for (size_t i = 0; i < archive().size(); ++i)
    for (const char *key : {"x", "w"}) {
      Bytes damaged = archive();
      damaged[i] ^= 0xff;
      Result<NpyArray> array = read(damaged, key);
      if (!array)
        continue;
      EXPECT_EQ(values(*array), values(*read(archive(), key))) << i;
    }
}

TEST_F(NpzTest, refusesOtherFiles) {
  EXPECT_TRUE(
      contains(read(Bytes(100, 'x'), "x").error(), "not a zip archive"));
}

} // namespace
