//===- TimeParts.cpp - what a modelled time consists of -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/TimeParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::conv;

llvm::StringRef conv::getName(TimePart part) {
  switch (part) {
  case TimePart::Products:
    return "products";
  case TimePart::Instructions:
    return "instructions";
  case TimePart::Cache:
    return "L1 cache";
  case TimePart::Shared:
    return "shared memory";
  case TimePart::Copies:
    return "copies";
  case TimePart::Gathers:
    return "gathers";
  case TimePart::Latency:
    return "latency of slots";
  case TimePart::Fixed:
    return "start of blocks";
  case TimePart::Ends:
    return "ends of tiles";
  case TimePart::Memory:
    return "memory";
  case TimePart::Launch:
    return "launch";
  case TimePart::Sums:
    return "sums of parts";
  case TimePart::Transpositions:
    return "transpositions";
  case TimePart::Beside:
    return "beside the kernel";
  }
  llvm_unreachable("unknown part of a time");
}

void TimeParts::scale(double factor) {
  for (double &time : times)
    time *= factor;
}

void TimeParts::spread(double blocks, double end, double tile, double kernel) {
  scale(blocks);
  add(TimePart::Ends, end);
  scale(kernel / tile);
}

SmallVector<std::pair<TimePart, double>> TimeParts::getLargest() const {
  SmallVector<std::pair<TimePart, double>> largest;
  for (auto [number, time] : llvm::enumerate(times))
    if (time > 0)
      largest.push_back({TimePart(number), time});
  llvm::stable_sort(largest, [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  return largest;
}
