//===- WmmaShape.cpp - the matrices of wmma -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/WmmaShape.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

std::optional<WmmaShape> WmmaShape::lookup(Type factor) {
  if (factor.isF16())
    return WmmaShape{factor, /*stepK=*/16};
  if (isa<FloatTF32Type>(factor))
    return WmmaShape{Float32Type::get(factor.getContext()), /*stepK=*/8};
  return std::nullopt;
}

std::string conv::whyNoWmma(Type factor) {
  if (WmmaShape::lookup(factor))
    return "";
  return llvm::formatv("mma=wmma multiplies f16 and tf32, but not {0}, which "
                       "mma=mma_sync does",
                       getTypeName(factor));
}

int64_t conv::getWmmaSumBytes(ScheduleAttr schedule) {
  constexpr int64_t sumBytes = 4;
  if (schedule.getMma() != MmaKind::Wmma)
    return 0;
  return schedule.getTile()[0] * schedule.getTile()[1] * sumBytes;
}
