//===- BoxSlots.cpp - room for what becomes tiles -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/BoxSlots.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Resources.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

int64_t conv::getBoxSlotsBytes(int64_t slots, int64_t slotBytes) {
  return llvm::alignTo(slots * slotBytes, kBarrierBytes);
}

int64_t conv::countBoxSlots(ScheduleAttr schedule, int64_t slotBytes) {
  constexpr int64_t most = 4, elementBytes = 2;
  int64_t available = getSharedBytesPerWorkgroup(schedule) -
                      getTileSharedBytes(schedule, elementBytes, elementBytes);
  for (int64_t slots = most; slots >= kFewestBoxSlots; --slots)
    if (getBoxSlotsBytes(slots, slotBytes) <= available)
      return slots;
  return 0;
}

Im2colOp conv::findGatheredImages(ArrayRef<Im2colOp> copies) {
  Im2colOp gathered;
  for (Im2colOp copy : copies) {
    if (!copy.getChannelsFirst())
      continue;
    if (gathered || !copy.readsNeighbours())
      return nullptr;
    gathered = copy;
  }
  return gathered;
}
