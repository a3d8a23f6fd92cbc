//===- KernelLowering.h - rewriting one kernel ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state and the building blocks for turning `nvvm` ops of a kernel into
// calls of the runtime: operands are stored to the thread's mailbox, the
// handler is called through a constant address, results are loaded back.
//
// Pointers to the emulator's own memory have an address space of their own, by
// which the instrumentation leaves their accesses alone. x86-64 treats it, like
// those of NVPTX, as the flat one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_KERNELLOWERING_H
#define CONV_LIB_EMULATOR_LOWERING_KERNELLOWERING_H

#include "Runtime/Machine/Site.h"
#include "SiteTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::conv::emulator {

namespace emu = convmlir::emu;

/// The address space of the emulator's own memory.
inline constexpr unsigned kRuntimeAddressSpace = 200;

/// Bytes of a value of a type in the host's memory; 0 for types that the
/// emulator cannot pass.
unsigned hostBytes(Type type);

/// "file:line" of an op, or the name of its function.
std::string describeLocation(Operation *op);

class KernelLowering {
public:
  /// Adds the hidden first argument, through which the kernel finds its thread.
  KernelLowering(LLVM::LLVMFuncOp kernel, emu::SiteTable &sites);

  OpBuilder &rewriter() { return builder; }
  LLVM::LLVMFuncOp function() const { return kernel; }
  /// Largest mailbox that a call of this kernel needs.
  unsigned mailboxBytes() const { return neededMailboxBytes; }

  /// Pointer types: the runtime's, and LLVM's default one.
  Type runtimePointer();
  Type genericPointer();

  /// A site for an op, with its name and location.
  template <typename SiteT = emu::Site> SiteT &newSite(Operation *op) {
    return sites.create<SiteT>(op->getName().getStringRef().str(),
                               describeLocation(op));
  }

  /// The address `base + offset`, and one in the thread's mailbox.
  Value addressOf(Location loc, Value base, unsigned offset);
  Value mailboxAddress(Location loc, unsigned offset);

  /// A pointer from the thread's head, and the start of shared memory.
  Value loadThreadPointer(Location loc, unsigned offset);
  Value sharedBase() const { return shared; }

  /// Calls a handler; operands must be in the mailbox.
  void callHandler(Location loc, emu::Site &site, emu::Handler handler);

  /// Notes that `bytes` of mailbox are used.
  void useMailbox(unsigned bytes);

  /// At the insertion point, puts the operands into the mailbox in their order
  /// and calls a handler on behalf of `op`.
  LogicalResult call(Operation *op, emu::Site &site, emu::Handler handler,
                     ValueRange operands);

  /// At the insertion point, a scalar result of the last call.
  Value loadScalar(Location loc, Type type, unsigned offset);

  /// Replaces `op` by a call with the given operands in their order.
  LogicalResult replaceWithCall(Operation *op, emu::Site &site,
                                emu::Handler handler, ValueRange operands);

  /// Replaces `op` by a read of a word of the special registers.
  void replaceWithRegister(Operation *op, unsigned offset);

  /// Replaces all uses of a struct or scalar result by loads from the mailbox,
  /// where the result lies at `offset`. Elements that are extracted one by one
  /// are loaded one by one.
  void loadResult(Value result, unsigned offset);

private:
  Value constantPointer(Location loc, const void *address, Type type);

  LLVM::LLVMFuncOp kernel;
  emu::SiteTable &sites;
  OpBuilder builder;
  Value thread;
  Value mailbox;
  Value shared;
  unsigned neededMailboxBytes = 0;
};

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_KERNELLOWERING_H
