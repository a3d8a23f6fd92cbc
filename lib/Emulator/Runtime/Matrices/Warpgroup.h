//===- Warpgroup.h - what four warps do together ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wgmma operations of a warpgroup. Its 128 threads execute the same
// sequence of steps, each at its own pace; a step takes effect when the last of
// them has come. Only the wait holds the others up.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_WARPGROUP_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_WARPGROUP_H

#include "Accumulators.h"
#include "MatrixDescriptor.h"
#include "Runtime/Copies/GroupQueue.h"
#include "Runtime/Memory/VectorClock.h"

#include <deque>
#include <memory>

namespace convmlir::emu {

struct Cta;
struct RegisterMatrix;
struct Site;
struct WgmmaSite;

/// What the first thread that comes to a step finds, and all others must find,
/// too.
struct WarpgroupStep {
  const Site *site = nullptr;
  uint64_t a = 0;
  uint64_t b = 0;
  AccumulatorHandle accumulator;
  AccumulatorHandle result;
  std::shared_ptr<RegisterMatrix> registers; ///< A, where threads hold it.
  unsigned arrived = 0;
};

/// A wgmma that is issued and not waited for.
struct Wgmma {
  const WgmmaSite *site = nullptr;
  MatrixDescriptor a;
  MatrixDescriptor b;
  std::shared_ptr<RegisterMatrix> registers; ///< In the place of `a`, or null.
  uint32_t file = 0;
  /// Of the granules of A and B when it was issued; 0 where invalid.
  std::vector<uint16_t> versions;
};

struct Warpgroup {
  Cta *cta = nullptr;
  unsigned index = 0;
  /// Clock slot of its reads.
  uint32_t slot = 0;
  /// Steps that some thread has come to and not all; the number of the first.
  std::deque<WarpgroupStep> steps;
  uint64_t firstStep = 0;
  /// Number of the step after the last fence; 0 for none.
  uint64_t fenced = 0;
  AccumulatorFiles files;
  GroupQueue<Wgmma> pending;
  /// Reads up to this one are complete.
  AccessStamp completedReads;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_WARPGROUP_H
