//===- Targets.cpp - what kernels can be compiled for ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"
#include "conv/Compiler/Compiler.h"
#include "conv/Runtime/Device.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

const std::vector<std::string> &convmlir::supportedTargets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    for (const ChipInfo &chip : getChips())
      names.emplace_back(chip.name);
    return names;
  }();
  return targets;
}

/// Whether a device runs code for a target: an older architecture's, or exactly
/// its own where the target has a suffix ("sm_90a").
static bool runs(int own, StringRef target) {
  int version = 0;
  target.consume_front("sm_");
  target.consumeInteger(10, version);
  return target.empty() ? version <= own : version == own;
}

convmlir::DeviceLimits convmlir::limitsOf(const DeviceInfo &device) {
  return {device.multiprocessors, device.sharedBytesPerBlock};
}

std::string convmlir::bestTarget(const DeviceInfo &device) {
  const std::vector<std::string> &targets = supportedTargets();
  std::string best = targets.front();
  if (device.target().empty())
    return targets.back();
  int own =
      static_cast<int>(10 * device.capabilityMajor + device.capabilityMinor);
  for (const std::string &target : targets)
    if (runs(own, target))
      best = target;
  return best;
}
