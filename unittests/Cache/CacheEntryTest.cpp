//===- CacheEntryTest.cpp - plans as files of the cache -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKeys.h"

using namespace convmlir;
using namespace convmlir::test;

namespace {

const std::string key = "problem forward\ntarget sm_80\n";

Bytes bytesOf(const std::string &text = key) {
  Result<Bytes> bytes = serialiseEntry(text, makeEntry());
  EXPECT_TRUE(bytes) << bytes.error();
  return *bytes;
}

TEST(CacheEntry, roundTrip) {
  Result<CacheEntry> entry = parseEntry(bytesOf(), key, "x");
  ASSERT_TRUE(entry) << entry.error();
  EXPECT_EQ(entry->plan.schedule, "stages=3");
  EXPECT_EQ(entry->plan.images.size(), 3u);
  EXPECT_EQ(entry->notes.warnings,
            std::vector<std::string>{"ptxas: (C7510) \xef\xbf\xbd"});
  EXPECT_EQ(entry->notes.tuned, std::vector<size_t>{0});
  ASSERT_EQ(entry->notes.untuned.size(), 1u);
  EXPECT_EQ(entry->notes.untuned[0].second, "NVIDIA L4");
}

TEST(CacheEntry, holdsOneKey) {
  Result<CacheEntry> entry = parseEntry(bytesOf(), key + "device x\n", "x");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error(), "x: it holds another plan than its name says");
}

/// Each byte counts: no change of one gives an entry.
TEST(CacheEntry, everyDamageIsFound) {
  Bytes good = bytesOf();
  for (size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= 0x10;
    EXPECT_FALSE(parseEntry(bad, key, "x")) << "byte " << at;
  }
}

TEST(CacheEntry, everyTruncationIsFound) {
  Bytes good = bytesOf();
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseEntry(std::span(good).first(size), key, "x")) << size;
  good.push_back(0);
  EXPECT_FALSE(parseEntry(good, key, "x"));
}

TEST(CacheEntry, sizesThatAreTooLargeAreFound) {
  for (size_t at : {12, 20}) {
    Bytes bad = bytesOf();
    std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(at), 8, 0xff);
    EXPECT_TRUE(
        contains(parseEntry(bad, key, "x").error(), "truncated or damaged"));
  }
}

TEST(CacheEntry, otherFormats) {
  Bytes newer = bytesOf();
  newer[8] = 9;
  EXPECT_EQ(parseEntry(newer, key, "x").error(),
            "x: entry format version 9, this program reads version 1");
  EXPECT_FALSE(peekKey(newer));
  Bytes plan = {'C', 'O', 'N', 'V', 'P', 'L', 'A', 'N'};
  EXPECT_TRUE(contains(parseEntry(plan, key, "x").error(), "not an entry"));
}

TEST(CacheEntry, keyIsSeenInTheFirstBytes) {
  Bytes bytes = bytesOf();
  EXPECT_EQ(peekKey(bytes), key);
  EXPECT_EQ(peekKey(std::span(bytes).first(35)), "problem");
  EXPECT_FALSE(peekKey(std::span(bytes).first(27)));
}

} // namespace
