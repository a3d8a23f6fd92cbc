//===- FileIOTest.cpp - files that are written ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace convmlir;
using namespace convmlir::test;

namespace fs = std::filesystem;

namespace {

const Bytes content = {1, 2, 3};

TEST(FileIO, failedWriteLeavesNothing) {
  TemporaryDirectory directory;
  EXPECT_TRUE(
      contains(writeFileAtomically(directory.path("no/x.npy"), content).error(),
               "No such file or directory"));
  fs::create_directory(directory.path("folder"));
  EXPECT_TRUE(
      contains(writeFileAtomically(directory.path("folder"), content).error(),
               "Is a directory"));
  EXPECT_EQ(directory.fileCount(), 1u);
}

TEST(FileIO, pendingFileHasNoNameYet) {
  TemporaryDirectory directory;
  std::string path = directory.path("x");
  {
    Result<PendingFile> dropped = PendingFile::write(path, content);
    ASSERT_TRUE(dropped);
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(directory.fileCount(), 0u);
  Result<PendingFile> kept = PendingFile::write(path, content);
  ASSERT_TRUE(kept);
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(*readFile(path), content);
  EXPECT_EQ(directory.fileCount(), 1u);
}

TEST(FileIO, longestName) {
  TemporaryDirectory directory;
  std::string path = directory.path(std::string(NAME_MAX, 'x'));
  ASSERT_TRUE(writeFileAtomically(path, content));
  EXPECT_EQ(*readFile(path), content);
  EXPECT_TRUE(
      contains(writeFileAtomically(path + "x", content).error(), "too long"));
  EXPECT_EQ(directory.fileCount(), 1u);
}

TEST(FileIO, linksStayLinks) {
  TemporaryDirectory directory;
  std::string first = directory.path("first"),
              second = directory.path("second");
  fs::create_symlink("second", first);
  fs::create_symlink(directory.path("file"), second);
  // The file is made by the first round, and replaced by the second.
  for (const Bytes &bytes : {content, Bytes{4}}) {
    ASSERT_TRUE(writeFileAtomically(first, bytes));
    EXPECT_TRUE(fs::is_symlink(first));
    EXPECT_TRUE(fs::is_symlink(second));
    EXPECT_EQ(*readFile(directory.path("file")), bytes);
  }
  EXPECT_EQ(directory.fileCount(), 3u);
}

TEST(FileIO, linkToItself) {
  TemporaryDirectory directory;
  fs::create_symlink("x", directory.path("x"));
  EXPECT_TRUE(
      contains(writeFileAtomically(directory.path("x"), content).error(),
               "Too many levels of symbolic links"));
  EXPECT_EQ(directory.fileCount(), 1u);
}

TEST(FileIO, fifoStaysAFifo) {
  TemporaryDirectory directory;
  std::string path = directory.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(writeFileAtomically(path, content));
  Bytes got(8);
  got.resize(static_cast<size_t>(::read(reader, got.data(), got.size())));
  ::close(reader);
  EXPECT_EQ(got, content);
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(directory.fileCount(), 1u);
}

} // namespace
