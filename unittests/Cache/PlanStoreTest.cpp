//===- PlanStoreTest.cpp - plans on disk ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/PlanStore.h"
#include "TestKeys.h"

#include <csignal>
#include <sys/resource.h>

using namespace convmlir;
using namespace convmlir::test;

namespace fs = std::filesystem;

namespace {

constexpr int64_t plenty = 1 << 20;

class PlanStoreTest : public testing::Test {
protected:
  PlanStore open(int64_t limit = plenty) {
    Result<PlanStore> store = PlanStore::open(folder.path("cache"), limit);
    EXPECT_TRUE(store) << store.error();
    return *store;
  }
  static PlanKey keyOf(int64_t channels) {
    return makeKey("forward h=8 w=8 k=4 r=3 s=3 c=" + std::to_string(channels));
  }
  /// As if the file had been used that long ago.
  static void age(const std::string &path, std::chrono::seconds by) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - by);
  }

  TemporaryDirectory folder;
};

TEST_F(PlanStoreTest, readsWhatWasWritten) {
  PlanStore store = open();
  auto absent = store.read(keyOf(16));
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  ASSERT_TRUE(store.write(keyOf(16), makeEntry("stages=5")));
  auto found = open().read(keyOf(16));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->plan.schedule, "stages=5");
  EXPECT_FALSE(*open().read(keyOf(32)));
}

TEST_F(PlanStoreTest, foreignAndTruncatedFilesAreErrors) {
  PlanStore store = open();
  ASSERT_TRUE(store.write(keyOf(16), makeEntry()));
  std::string path = store.pathOf(keyOf(16));
  fs::copy_file(path, store.pathOf(keyOf(32)));
  EXPECT_TRUE(contains(store.read(keyOf(32)).error(), "holds another plan"));
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_TRUE(contains(store.read(keyOf(16)).error(), path + ": its plan: "));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_TRUE(contains(store.read(keyOf(16)).error(), "not a regular file"));
}

TEST_F(PlanStoreTest, leastRecentlyUsedFilesGo) {
  PlanStore store = open();
  for (int64_t channels : {1, 2, 3})
    ASSERT_TRUE(store.write(keyOf(channels), makeEntry()));
  int64_t size = store.list().front().bytes;
  age(store.pathOf(keyOf(1)), std::chrono::hours(2));
  age(store.pathOf(keyOf(2)), std::chrono::hours(3));
  age(store.pathOf(keyOf(3)), std::chrono::hours(1));
  ASSERT_TRUE(*store.read(keyOf(2))); // Now used last.
  Result<int64_t> removed = open(3 * size + 3).write(keyOf(4), makeEntry());
  ASSERT_TRUE(removed) << removed.error();
  EXPECT_EQ(*removed, 1);
  EXPECT_FALSE(*store.read(keyOf(1)));
  for (int64_t channels : {2, 3, 4})
    EXPECT_TRUE(*store.read(keyOf(channels))) << channels;
}

TEST_F(PlanStoreTest, whatIsMoreThanTheLimitIsNotWritten) {
  PlanStore store = open(100);
  Result<int64_t> written = store.write(keyOf(16), makeEntry());
  ASSERT_FALSE(written);
  EXPECT_TRUE(contains(written.error(), "is more than the limit of 100"));
  EXPECT_TRUE(store.list().empty());
}

TEST_F(PlanStoreTest, listAndClearTouchNothingElse) {
  PlanStore store = open();
  for (int64_t channels : {1, 2})
    ASSERT_TRUE(store.write(keyOf(channels), makeEntry()));
  age(store.pathOf(keyOf(2)), std::chrono::hours(1));
  Bytes text = {'x'};
  std::string mine = store.folder() + "/mine.conv-entry",
              damaged =
                  store.folder() + "/" + std::string(64, 'a') + ".conv-entry";
  for (const std::string &path : {mine, damaged})
    ASSERT_TRUE(writeFileAtomically(path, text));
  age(damaged, std::chrono::hours(2));
  std::vector<StoredFile> files = store.list();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].key, keyOf(1).text());
  EXPECT_EQ(files[1].key, keyOf(2).text());
  EXPECT_EQ(files[2].key, "");
  EXPECT_EQ(files[2].bytes, 1);
  EXPECT_EQ(store.clear().size(), 3u);
  EXPECT_TRUE(store.list().empty());
  EXPECT_TRUE(fs::exists(mine));
}

TEST_F(PlanStoreTest, leftoversOfKilledWritersGo) {
  PlanStore store = open();
  std::string old = store.folder() + "/.conv-mlir.abcdef",
              recent = store.folder() + "/.conv-mlir.ghijkl";
  for (const std::string &path : {old, recent})
    ASSERT_TRUE(writeFileAtomically(path, Bytes{1}));
  age(old, std::chrono::hours(1));
  ASSERT_TRUE(store.write(keyOf(1), makeEntry()));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
}

TEST_F(PlanStoreTest, foldersThatCannotBe) {
  ASSERT_TRUE(writeFileAtomically(folder.path("file"), Bytes{1}));
  EXPECT_TRUE(contains(
      PlanStore::open(folder.path("file/cache"), plenty).error(),
      "cannot make the folder '" + folder.path("file/cache") + "': Not a dir"));
  EXPECT_TRUE(contains(PlanStore::open(folder.path("file"), plenty).error(),
                       "cannot make the folder"));
  EXPECT_EQ(PlanStore::open(folder.path("cache"), -1).error(),
            "expected a limit of at least 0 bytes, got -1");
  EXPECT_EQ(PlanStore::open("", plenty).error(), "expected a folder, got none");
  EXPECT_EQ(folder.fileCount(), 1u);
}

/// Nobody may write below /proc, not even root.
TEST_F(PlanStoreTest, foldersThatCannotBeWrittenAreEmptyAndWork) {
  Result<PlanStore> store = PlanStore::open("/proc", plenty);
  ASSERT_TRUE(store) << store.error();
  EXPECT_FALSE(*store->read(keyOf(16)));
  EXPECT_TRUE(contains(store->write(keyOf(16), makeEntry()).error(),
                       "cannot write '/proc/plans/"));
  EXPECT_TRUE(store->list().empty());
  EXPECT_TRUE(store->clear().empty());
}

/// A full disk fails in the middle of a file, as this limit does.
TEST_F(PlanStoreTest, fullDisksLeaveNothing) {
  PlanStore store = open();
  ASSERT_TRUE(store.write(keyOf(1), makeEntry()));
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = {100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Result<int64_t> written = store.write(keyOf(2), makeEntry());
  Result<int64_t> again = store.write(keyOf(1), makeEntry("stages=7"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(contains(written.error(), "cannot write '"));
  EXPECT_FALSE(again);
  EXPECT_EQ(std::distance(fs::directory_iterator(store.folder()), {}), 1);
  auto kept = store.read(keyOf(1));
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->plan.schedule, "stages=3");
}

} // namespace
