//===- EntryLock.h - one process compiles a plan -------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight processes that want the same plan at the same time need one
// compilation: the others wait for it. A lock is on one byte of one file, which
// the digest of the key chooses, and ends with the process that holds it,
// however that ends. Where nothing can be locked (a folder that cannot be
// written, a file system without locks), each compiles for itself, which is as
// right.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CACHE_ENTRYLOCK_H
#define CONV_LIB_CACHE_ENTRYLOCK_H

#include <chrono>
#include <string>

namespace convmlir {

class EntryLock {
public:
  /// Waits until no other process or thread has the lock of this digest, but no
  /// longer than `patience`: who holds it may be stopped.
  EntryLock(const std::string &path, const std::string &digest,
            std::chrono::milliseconds patience);
  ~EntryLock();
  EntryLock(const EntryLock &) = delete;
  EntryLock &operator=(const EntryLock &) = delete;

private:
  int descriptor;
};

} // namespace convmlir

#endif // CONV_LIB_CACHE_ENTRYLOCK_H
