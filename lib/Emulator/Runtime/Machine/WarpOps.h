//===- WarpOps.h - shuffles, votes, reductions of a warp --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collectives of a warp that move registers only, and bar.warp.sync.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPOPS_H

#include "Machine.h"

namespace convmlir::emu {

/// Operands: mask, value, offset, clamp. Result: the value, and with
/// `withPredicate` an i1 after it.
struct ShuffleSite : Site {
  enum class Kind { Butterfly, Up, Down, Index };
  Kind kind = Kind::Index;
  bool withPredicate = false;
};

/// Operands: mask, i1 predicate. Result: i1, or i32 for a ballot.
struct VoteSite : Site {
  enum class Kind { Any, All, Ballot, Uniform };
  Kind kind = Kind::Any;
};

/// Operands: i32 value, mask. Result: i32.
struct ReduceSite : Site {
  enum class Kind { Add, And, Or, Xor, Min, Max, UnsignedMin, UnsignedMax };
  Kind kind = Kind::Add;
};

/// Operands: optionally a mask. Result of elect: i1.
struct MaskedSite : Site {
  bool hasMask = false;
};

void shuffle(Thread *thread, const Site *site, std::byte *mailbox);
void vote(Thread *thread, const Site *site, std::byte *mailbox);
void reduce(Thread *thread, const Site *site, std::byte *mailbox);
void elect(Thread *thread, const Site *site, std::byte *mailbox);
void syncWarp(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPOPS_H
