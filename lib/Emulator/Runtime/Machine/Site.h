//===- Site.h - one emulated operation of the program -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Site is the static description of one lowered op (or of one checked load or
// store): what to call, where it is in the source, and where its operands lie
// in the mailbox of a thread. Compiled code carries its address as a constant.
// Each family of ops derives its own site with the decoded attributes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_SITE_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_SITE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace convmlir::emu {

struct Thread;
struct Site;

/// What compiled code calls: reads its operands from the mailbox and leaves its
/// result there, so that no value crosses by an ABI rule.
using Handler = void (*)(Thread *thread, const Site *site, std::byte *mailbox);

struct Site {
  virtual ~Site() = default;

  /// What a thread that is blocked at this op waits for, beyond its name.
  virtual std::string describeWait(const Thread &) const { return {}; }

  /// The op as a person knows it, e.g. "nvvm.ldmatrix".
  std::string op;
  /// "file:line", or the kernel's name where the op carries no location.
  std::string location;
  /// Position among the sites of the module; keys the traffic log.
  uint32_t index = 0;
  /// Byte offset of each operand in the mailbox.
  std::vector<uint16_t> operandOffsets;
  /// Byte offset of the result in the mailbox.
  uint16_t resultOffset = 0;

  template <typename T> T operand(const std::byte *mailbox, unsigned i) const {
    T value;
    std::memcpy(&value, mailbox + operandOffsets[i], sizeof(T));
    return value;
  }

  template <typename T>
  void setResult(std::byte *mailbox, T value, unsigned byteOffset = 0) const {
    std::memcpy(mailbox + resultOffset + byteOffset, &value, sizeof(T));
  }
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_SITE_H
