//===- MakeBoxRing.cpp - the boxes that a schedule has --------------------===//
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

std::unique_ptr<BoxRing> conv::makeBoxRing(OpBuilder &builder, GemmKNest &nest,
                                           ScheduleAttr schedule) {
  if (auto slots = getImageSlots(schedule, nest.copies))
    return std::make_unique<ImageRing>(builder, nest, *slots);
  if (auto slots = getRawRowSlots(schedule, nest.copies))
    return std::make_unique<RawRowRing>(builder, nest, *slots);
  return nullptr;
}
