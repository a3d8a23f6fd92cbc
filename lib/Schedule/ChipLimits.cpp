//===- ChipLimits.cpp - what a chip refuses -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Engine;
using llvm::formatv;

std::string conv::whyNoEngine(ScheduleAttr schedule, const ChipInfo &chip) {
  bool lacksTma = schedule.getCopy() == CopyKind::Tma && !chip.has(Engine::Tma);
  bool lacksWgmma =
      schedule.getMma() == MmaKind::Wgmma && !chip.has(Engine::Wgmma);
  if (!lacksTma && !lacksWgmma)
    return "";
  return formatv(
      "TMA and wgmma are on {0}, not on {1}",
      convmlir::getChipsWith(lacksWgmma ? Engine::Wgmma : Engine::Tma),
      chip.name);
}

std::string conv::whyNoFloat8(Type type, const ChipInfo &chip) {
  if (!isFloat8(type) || chip.has(Engine::MmaFloat8))
    return "";
  return formatv("element type {0} has a kernel from {1} on, not on {2}",
                 getTypeName(type),
                 convmlir::getFirstChipWith(Engine::MmaFloat8), chip.name);
}

std::string conv::whyTooManyThreads(ScheduleAttr schedule) {
  int64_t threads = schedule.getThreads();
  if (threads <= convmlir::kMostThreads)
    return "";
  return formatv("{0} threads, but a workgroup has at most {1}", threads,
                 convmlir::kMostThreads);
}
