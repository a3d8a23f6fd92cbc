//===- BulkLoads.h - bulk copies to shared memory ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor from global to shared memory. A copy that is issued
// waits in the worker's queue; it lands when no thread can run (late) or at
// once (early), and then completes transactions on its mbarrier.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKLOADS_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKLOADS_H

#include "Runtime/Machine/Site.h"
#include "TensorMapBlob.h"

#include <vector>

namespace convmlir::emu {

struct Worker;

/// Operands: shared destination, tensor map, mbarrier, i32 coordinates, i16
/// im2col offsets, and those that are present of i16 mask and i1 predicate.
struct BulkLoadSite : Site {
  unsigned rank = 0;
  bool isIm2col = false;
  unsigned offsets = 0;
  bool hasMask = false;
  bool hasPredicate = false;
};

/// A copy that has not landed. Offsets are in each destination's shared memory.
struct BulkLoad {
  const BulkLoadSite *site = nullptr;
  Thread *thread = nullptr;
  TensorMapBlob map;
  TensorPosition position;
  uint32_t destination = 0;
  uint32_t mbarrier = 0;
  /// Destination workgroups, by rank.
  uint32_t ranks = 0;
};

void loadBulk(Thread *thread, const Site *site, std::byte *mailbox);

/// Lets one of the worker's copies land. Returns whether there was one.
bool landBulkLoad(Worker &worker);

/// Faults if copies to the thread's workgroup are pending, whose last thread
/// this is.
void checkLoadsLanded(Thread &thread);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKLOADS_H
