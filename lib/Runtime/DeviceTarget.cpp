//===- DeviceTarget.cpp - what to compile for on a device -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/DeviceTarget.h"

#include <charconv>
#include <string_view>

namespace convmlir {

/// Whether a device runs code for a target: an older architecture's, or exactly
/// its own where the target has a suffix ("sm_90a").
static bool runs(int64_t own, std::string_view target) {
  int64_t version = 0;
  const char *last = target.data() + target.size();
  target.remove_prefix(std::string_view("sm_").size());
  const char *end = std::from_chars(target.data(), last, version).ptr;
  return end == last ? version <= own : version == own;
}

DeviceLimits limitsOf(const DeviceInfo &device) {
  return {device.multiprocessors, device.sharedBytesPerBlock};
}

std::string bestTarget(const DeviceInfo &device) {
  if (device.target().empty())
    return std::string(getFullestChip().name);
  std::string_view best = getChips().front().name;
  int64_t own = 10 * device.capabilityMajor + device.capabilityMinor;
  for (const ChipInfo &chip : getChips())
    if (runs(own, chip.name))
      best = chip.name;
  return std::string(best);
}

} // namespace convmlir
