//===- WgmmaOps.h - wgmma and its groups ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async reads its operands when it is waited for (late) or at once
// (early); until then nobody may write them. Its operands must be visible to
// the async proxy when it is issued. An A in registers is read when it is
// issued.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAOPS_H

#include "Runtime/Machine/Machine.h"
#include "WgmmaKernel.h"

namespace convmlir::emu {

/// Operands: accumulator handle, descriptors of B and A, or the registers of A
/// in the place of the last. Result: the handle.
struct WgmmaSite : Site {
  WgmmaShape shape;
  /// A is what the threads hold, of 16-bit elements.
  bool aInRegisters = false;
  /// The product replaces the accumulator.
  bool clears = false;
};

struct WgmmaWaitSite : Site {
  /// Groups that may remain incomplete.
  uint32_t pendingGroups = 0;
};

/// Operand: a handle. Result: the element of that number that the thread holds,
/// f32 or s32.
struct AccumulatorReadSite : Site {
  unsigned element = 0;
};

/// Operand: the elements that the thread holds. Result: a handle.
struct AccumulatorWriteSite : Site {
  unsigned n = 0;
};

void multiplyAsync(Thread *thread, const Site *site, std::byte *mailbox);
void fenceWgmma(Thread *thread, const Site *site, std::byte *mailbox);
void commitWgmma(Thread *thread, const Site *site, std::byte *mailbox);
void waitForWgmma(Thread *thread, const Site *site, std::byte *mailbox);
void readAccumulator(Thread *thread, const Site *site, std::byte *mailbox);
void writeAccumulator(Thread *thread, const Site *site, std::byte *mailbox);

/// Faults if the thread ends while wgmma of its warpgroup are not waited for.
void checkWgmmaWaitedFor(Thread &thread);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAOPS_H
