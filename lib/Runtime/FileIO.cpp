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
#include <functional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace convmlir {

/// Through which a file without a name gets one.
static constexpr char kOpenFiles[] = "/proc/self/fd/";

FileDescriptor::~FileDescriptor() {
  if (descriptor >= 0)
    ::close(descriptor);
}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  return *this;
}

bool FileDescriptor::close() { return ::close(std::exchange(descriptor, -1)) == 0; }

static Error systemError(const char *what, const std::string &path) {
  return Error{std::string("cannot ") + what + " '" + path +
               "': " + std::strerror(errno)};
}

Result<Bytes> readFile(const std::string &path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

/// Of any new file; the system applies the mask of the process, which can only
/// be read by changing it, for all threads.
static constexpr mode_t kModeOfNewFiles =
    S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

/// Calls `create` with new names beside `path` until one is not taken; returns
/// what it did. The name is short: that of `path` may be as long as names can
/// be.
static int createBeside(const std::string &path, std::string &name,
                        const std::function<int(const char *)> &create) {
  constexpr int mostTries = 100;
  std::random_device random;
  for (int i = 0; i < mostTries; ++i) {
    name = (fs::path(path).parent_path() /
            (".conv-mlir." + std::to_string(random())))
               .string();
    int result = create(name.c_str());
    if (result >= 0 || errno != EEXIST)
      return result;
  }
  return -1;
}

/// A file that has no name yet and is gone with the process, however that ends;
/// none where the file system has none, or no name can be given to it later.
static FileDescriptor createNameless(const std::string &path) {
  fs::path folder = fs::path(path).parent_path();
  if (::access(kOpenFiles, X_OK) != 0)
    return FileDescriptor(-1);
  return FileDescriptor(::open(folder.empty() ? "." : folder.c_str(),
                     O_TMPFILE | O_WRONLY | O_CLOEXEC, kModeOfNewFiles));
}

static FileDescriptor createNamed(const std::string &path, std::string &name) {
  return FileDescriptor(createBeside(path, name, [](const char *name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  kModeOfNewFiles);
  }));
}

/// Devices and FIFOs are what they are: a rename would put a file there.
static bool isSpecial(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

static Status writeDirectly(const std::string &path,
                            std::span<const uint8_t> content) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
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
  pending.target = std::move(*target);
  pending.file = createNameless(pending.target);
  if (!pending.file.isOpen())
    pending.file = createNamed(pending.target, pending.temporary);
  if (!pending.file.isOpen() || !writeAll(pending.file.get(), content))
    return systemError("write", path);
  // What has a name already needs no descriptor, of which there are few.
  if (!pending.temporary.empty() && !pending.file.close())
    return systemError("write", path);
  return pending;
}

PendingFile::PendingFile(PendingFile &&other) noexcept
    : file(std::move(other.file)),
      temporary(std::exchange(other.temporary, "")),
      target(std::move(other.target)) {}

PendingFile::~PendingFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

/// Gives the file its name where no other has it, else one to be renamed.
bool PendingFile::link() {
  std::string nameless = kOpenFiles + std::to_string(file.get());
  auto linkAs = [&](const char *name) {
    return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name,
                    AT_SYMLINK_FOLLOW);
  };
  if (linkAs(target.c_str()) == 0)
    return true;
  std::string name;
  if (errno != EEXIST || createBeside(target, name, linkAs) != 0)
    return false;
  temporary = std::move(name);
  return true;
}

Status PendingFile::commit() {
  if (file.isOpen() && !link())
    return systemError("write", target);
  // Where the system reports errors of writes this late, files have names.
  if (file.isOpen())
    file.close();
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
