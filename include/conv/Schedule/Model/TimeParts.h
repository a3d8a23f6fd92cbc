//===- TimeParts.h - what a modelled time consists of -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of time take an optional TimeParts, and note there what they add up:
// each part in the unit of the model. Some parts happen at the same time, so
// that their sum may be more than the whole; none is more than the whole alone.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_TIMEPARTS_H
#define CONV_SCHEDULE_MODEL_TIMEPARTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <utility>

namespace mlir::conv {

enum class TimePart {
  Products,       ///< Of tensor cores, or multiply-adds.
  Instructions,   ///< All of a kernel without matrices.
  Cache,          ///< Accesses of the L1 cache.
  Shared,         ///< Reads and writes of shared memory.
  Copies,         ///< From the L2 cache to shared memory.
  Gathers,        ///< Copies by warps.
  Latency,        ///< Of a slot that is loaded again.
  Fixed,          ///< Of a block or a tile whatever its size: barriers.
  Ends,           ///< Of tiles: stores, and what epilogues read.
  Memory,         ///< What all workgroups move.
  Launch,         ///< Of the kernel, and of its first block.
  Sums,           ///< Of a kernel that adds parts.
  Transpositions, ///< Of kernels that transpose tensors.
  Beside,         ///< What ranking adds to the kernel's own time.
};

/// In the words of docs/ConvRun.md.
llvm::StringRef getName(TimePart part);

class TimeParts {
public:
  void add(TimePart part, double time) { times[size_t(part)] += time; }
  void scale(double factor);
  double get(TimePart part) const { return times[size_t(part)]; }

  /// From those of one block to those of a kernel of so many cycles, whose
  /// tiles have so many blocks and such an end, and take `tile` together.
  void spread(double blocks, double end, double tile, double kernel);

  /// Those that are more than nothing, the largest first.
  SmallVector<std::pair<TimePart, double>> getLargest() const;

private:
  static constexpr size_t kNumber = size_t(TimePart::Beside) + 1;
  std::array<double, kNumber> times = {};
};

/// The time, which is noted as a part where parts are asked for.
inline double note(TimeParts *parts, TimePart part, double time) {
  if (parts)
    parts->add(part, time);
  return time;
}

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_TIMEPARTS_H
