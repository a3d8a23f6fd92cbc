//===- FileIO.cpp - whole files, written atomically -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/FileIO.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace convmlir {

static Error systemError(const char *what, const std::string &path) {
  return Error{std::string("cannot ") + what + " '" + path +
               "': " + std::strerror(errno)};
}

namespace {
/// A file descriptor that closes itself.
class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Closes now; false where the system reports a late write error.
  bool close() { return ::close(std::exchange(descriptor, -1)) == 0; }

private:
  int descriptor;
};
} // namespace

Result<Bytes> readFile(const std::string &path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!file.isOpen() || ::fstat(file.get(), &info) != 0)
    return systemError("read", path);
  if (!S_ISREG(info.st_mode))
    return Error{"cannot read '" + path + "': not a regular file"};

  Bytes content(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < content.size()) {
    ssize_t got =
        ::read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError("read", path);
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

namespace {
/// While one lives, a write of this thread that passes the limit on the size of
/// files, or goes to a pipe that nobody reads, fails with an error. It would
/// otherwise also send the process a signal that ends it. The system sends both
/// signals to the thread that writes, so that no disposition of the process has
/// to be touched.
class HeldWriteSignals {
public:
  HeldWriteSignals() {
    sigemptyset(&held);
    sigset_t pending;
    sigpending(&pending);
    for (int signal : {SIGXFSZ, SIGPIPE})
      if (!sigismember(&pending, signal)) // Else it is not ours.
        sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before);
  }
  /// Drops what came. errno is still that of the write.
  ~HeldWriteSignals() {
    int error = errno;
    const timespec atOnce = {};
    while (sigtimedwait(&held, nullptr, &atOnce) > 0)
      ;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }
  HeldWriteSignals(const HeldWriteSignals &) = delete;
  HeldWriteSignals &operator=(const HeldWriteSignals &) = delete;

private:
  sigset_t held, before;
};
} // namespace

bool writeAll(int descriptor, std::span<const uint8_t> content) {
  HeldWriteSignals signals;
  while (!content.empty()) {
    ssize_t put = ::write(descriptor, content.data(), content.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    content = content.subspan(static_cast<size_t>(put));
  }
  return true;
}

/// Creates a file of a new name beside `path`, and says which. The system gives
/// it the mode of any new file: the mask of the process can only be read by
/// changing it, for all threads. The name is short: that of `path` may be as
/// long as names can be.
static File createBeside(const std::string &path, std::string &name) {
  constexpr int mostTries = 100;
  std::random_device random;
  for (int i = 0; i < mostTries; ++i) {
    name = (fs::path(path).parent_path() /
            (".conv-mlir." + std::to_string(random())))
               .string();
    int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
               S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
    if (descriptor >= 0 || errno != EEXIST)
      return File(descriptor);
  }
  return File(-1);
}

/// Devices and FIFOs are what they are: a rename would put a file there.
static bool isSpecial(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

static Status writeDirectly(const std::string &path,
                            std::span<const uint8_t> content) {
  File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.isOpen() && writeAll(file.get(), content) && file.close())
    return {};
  return systemError("write", path);
}

Result<std::string> resolveLinks(const std::string &path) {
  constexpr int mostLinks = 40; // As Linux has it.
  fs::path resolved = path;
  for (int links = 0; links < mostLinks; ++links) {
    std::error_code code;
    if (!fs::is_symlink(fs::symlink_status(resolved, code)))
      return resolved.string();
    fs::path target = fs::read_symlink(resolved, code);
    if (code)
      return Error{"cannot read '" + path + "': " + code.message()};
    resolved = resolved.parent_path() / target;
  }
  errno = ELOOP;
  return systemError("write", path);
}

Result<PendingFile> PendingFile::write(const std::string &path,
                                       std::span<const uint8_t> content) {
  PendingFile pending;
  if (isSpecial(path)) {
    Status status = writeDirectly(path, content);
    return status ? Result<PendingFile>(std::move(pending))
                  : status.takeError();
  }
  Result<std::string> target = resolveLinks(path);
  if (!target)
    return target.takeError();
  std::string temporary;
  File file = createBeside(*target, temporary);
  if (!file.isOpen())
    return systemError("write", path);
  pending.temporary = std::move(temporary);
  pending.target = std::move(*target);
  if (writeAll(file.get(), content) && file.close())
    return pending;
  return systemError("write", path);
}

PendingFile::PendingFile(PendingFile &&other) noexcept
    : temporary(std::exchange(other.temporary, "")),
      target(std::move(other.target)) {}

PendingFile::~PendingFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Status PendingFile::commit() {
  if (temporary.empty())
    return {};
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return systemError("write", target);
  temporary.clear();
  return {};
}

Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> content) {
  Result<PendingFile> pending = PendingFile::write(path, content);
  return pending ? pending->commit() : Status(pending.takeError());
}

} // namespace convmlir
