//===- OperandLoads.cpp - what threads load before they use it ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/OperandLoads.h"

#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Registers of 16 bytes.
static constexpr int64_t kChunkRegisters = 4;

/// As many as there are registers for, in units that `ptxas` leaves in them:
/// what bounds the rate is their number. A chunk of channels is stored whole.
static LoadsAhead getElements(int64_t registers) {
  constexpr int64_t others = 72, unit = 16, chunk = 8;
  int64_t most = registers - others;
  if (most < chunk)
    return {chunk, chunk, most,
            formatv("a thread of the producer has {0} registers, but wants {1} "
                    "for loads on their way and all else",
                    registers, others + chunk)};
  int64_t chosen = std::max<int64_t>(llvm::alignDown(most, unit), chunk);
  return {chosen, chunk, most,
          formatv("a thread of the producer with {0} registers has {1} to {2} "
                  "loads on their way",
                  registers, chunk, most)};
}

/// What is loaded from shared memory comes soon: some are enough.
static LoadsAhead getChunks(int64_t registers, StringRef what, int64_t chosen) {
  int64_t most = registers / kChunkRegisters;
  return {std::min(chosen, most), 1, most,
          formatv("a thread of the producer with {0} registers has 1 to {1} "
                  "{2} on their way",
                  registers, most, what)};
}

/// Chunks of a row of images: few registers are left beside the places of a
/// panel's chunks.
static int64_t chooseImageChunks(ScheduleAttr schedule) {
  constexpr int64_t bytes = 2, fewPlaces = 2;
  int64_t columns =
      convmlir::PanelTile::alignColumns(schedule.getTile()[0], bytes);
  convmlir::PanelTile tile(schedule.getTile()[2], columns, bytes);
  int64_t places = tile.getPanelColumns() * bytes / convmlir::kChunkBytes;
  return places > fewPlaces ? 2 : 4;
}

std::optional<LoadsAhead> conv::getLoadsOfCopies(const LoadingKernel &kernel) {
  if (!hasProducer(kernel.schedule))
    return std::nullopt;
  constexpr int64_t some = 8;
  int64_t registers = *kernel.plan.producerRegisters;
  for (std::optional<OperandCopy> way : {kernel.plan.left, kernel.plan.right})
    switch (*way) {
    case OperandCopy::Registers:
      return getElements(registers);
    case OperandCopy::Boxes:
      return getChunks(registers, "loads of four matrices", some);
    case OperandCopy::SkewedBoxes:
      return getChunks(registers, "pieces", some);
    case OperandCopy::Images:
      return getChunks(registers, "chunks", chooseImageChunks(kernel.schedule));
    case OperandCopy::CpAsync:
    case OperandCopy::Tma:
    case OperandCopy::Pieces:
      break;
    }
  return std::nullopt;
}
