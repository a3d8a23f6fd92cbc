//===- RegisterOps.h - setmaxnreg -------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes the registers of the threads of a warp; an increase waits until
// others have released enough.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTEROPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTEROPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

struct SetRegistersSite : Site {
  uint32_t registers = 0;
  bool increase = false;

  std::string describeWait(const Thread &thread) const override;
};

void setRegisters(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTEROPS_H
