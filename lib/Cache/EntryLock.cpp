//===- EntryLock.cpp - one process compiles a plan ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLock.h"

#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace convmlir;

/// A byte of the file, which need not have it. Two keys on one byte only wait
/// for each other.
static off_t byteOf(const std::string &digest) {
  constexpr size_t digits = 15; // 60 bits: off_t has 63.
  return static_cast<off_t>(std::stoull(digest.substr(0, digits), nullptr, 16));
}

/// Of the open file, so that threads exclude each other as processes do.
static int tryLock(int descriptor, off_t byte) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

EntryLock::EntryLock(const std::string &path, const std::string &digest,
                     std::chrono::milliseconds patience)
    : descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor < 0)
    return;
  constexpr std::chrono::milliseconds pause(5);
  auto end = std::chrono::steady_clock::now() + patience;
  off_t byte = byteOf(digest);
  for (int code = tryLock(descriptor, byte);
       (code == EAGAIN || code == EACCES || code == EINTR) &&
       std::chrono::steady_clock::now() < end;
       code = tryLock(descriptor, byte))
    std::this_thread::sleep_for(pause);
}

EntryLock::~EntryLock() {
  if (descriptor >= 0)
    ::close(descriptor);
}
