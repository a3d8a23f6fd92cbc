//===- OlderGlibc.cpp - what glibc 2.36 has and 2.34 lacks ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The archives of LLVM and libstdc++ that go into libconv-mlir.so were built
// with glibc 2.36 and ask for `arc4random`. Defined here, over the system call
// that it is made of, the library runs where glibc is as old as 2.34. The list of
// exports keeps it within the library.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random() {
  uint32_t bits;
  // As many bytes come at once, or the system has no randomness to give.
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
    std::abort();
  return bits;
}
