//===- FileIOTest.cpp - files that are written ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
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

/// Whether the file system has files without a name.
bool hasNamelessFiles(const std::string &folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return file.isOpen();
}

TEST(FileIO, killedBeforeTheCommitLeavesNothing) {
  TemporaryDirectory directory;
  if (!hasNamelessFiles(directory.path("")))
    GTEST_SKIP() << "the file system has no files without a name";
  pid_t child = ::fork();
  if (child == 0) {
    auto pending = PendingFile::write(directory.path("x"), content);
    ::raise(pending ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(directory.fileCount(), 0u);
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

/// The mode of new files' mask, which umask() could not say without changing
/// it.
std::string readUmask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Umask:"))
      return line;
  return "";
}

TEST(FileIO, newFilesHaveTheMaskOfTheProcess) {
  TemporaryDirectory directory;
  std::string path = directory.path("x");
  mode_t before = ::umask(S_IWGRP | S_IRWXO);
  EXPECT_TRUE(writeFileAtomically(path, content));
  ::umask(before);
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(FileIO, maskOfTheProcessIsNeverAnother) {
  TemporaryDirectory directory;
  std::string mask = readUmask();
  std::atomic<int> left = 8, changes = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      std::string path = directory.path(std::to_string(i % 4));
      for (int round = 0; round < 300; ++round)
        EXPECT_TRUE(writeFileAtomically(path, content));
      --left;
    });
  while (left > 0)
    changes += readUmask() != mask;
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(readUmask(), mask);
  EXPECT_EQ(directory.fileCount(), 4u);
}

TEST(FileIO, limitsAndClosedPipesAreErrors) {
  TemporaryDirectory directory;
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = {2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  Status limited = writeFileAtomically(directory.path("x"), content);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(contains(limited.error(), "File too large"));
  EXPECT_EQ(directory.fileCount(), 0u);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_FALSE(writeAll(ends[1], content));
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGXFSZ) ||
               sigismember(&pending, SIGPIPE));
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
