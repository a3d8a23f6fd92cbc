//===- BulkStore.h - a bulk store under way ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One bulk copy from shared to global memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORE_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORE_H

#include "TensorMapBlob.h"

namespace convmlir::emu {

struct BulkStoreSite;

struct BulkStore {
  const BulkStoreSite *site = nullptr;
  TensorMapBlob map;
  TensorPosition position;
  /// In the shared memory of the issuing thread's workgroup.
  uint32_t source = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORE_H
