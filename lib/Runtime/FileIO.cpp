//===- FileIO.cpp - whole files, written atomically -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/FileIO.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

static bool writeAll(int descriptor, std::span<const uint8_t> content) {
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

/// mkstemp creates files for the owner only; the result gets the mode that an
/// ordinary open would have given it.
static bool applyUsualMode(int descriptor) {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(descriptor, 0666 & ~mask) == 0;
}

Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> content) {
  std::string temporary = path + ".XXXXXX";
  File file(::mkstemp(temporary.data()));
  if (!file.isOpen())
    return systemError("write", path);
  if (writeAll(file.get(), content) && applyUsualMode(file.get()) &&
      file.close() && ::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  Error error = systemError("write", path);
  ::unlink(temporary.c_str());
  return error;
}

} // namespace convmlir
