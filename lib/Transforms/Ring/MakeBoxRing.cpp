//===- MakeBoxRing.cpp - the boxes that a plan has ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeBoxRing.h"

#include "ImageRing.h"
#include "RawRowRing.h"

using namespace mlir;
using namespace mlir::conv;

/// While the plan is made it has no slots: there are as many as have room.
template <typename Ring, typename Slots>
static FailureOr<std::unique_ptr<BoxRing>>
makeRing(OpBuilder &builder, GemmKNest &nest, Slots slots) {
  if (slots) {
    slots->slots = nest.plan.slots.value_or(slots->slots);
    return std::unique_ptr<BoxRing>(
        std::make_unique<Ring>(builder, nest, *slots));
  }
  return nest.contraction.emitOpError(
      "has no operand that comes in boxes as the plan of its kernel says");
}

FailureOr<std::unique_ptr<BoxRing>>
conv::makeBoxRing(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule) {
  for (OperandCopy way : {*nest.plan.left, *nest.plan.right}) {
    if (way == OperandCopy::Images)
      return makeRing<ImageRing>(builder, nest,
                                 getImageSlots(schedule, nest.copies));
    if (way == OperandCopy::SkewedBoxes)
      return makeRing<RawRowRing>(builder, nest,
                                  getRawRowSlots(schedule, nest.copies));
  }
  return std::unique_ptr<BoxRing>();
}
