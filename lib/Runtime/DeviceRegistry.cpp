//===- DeviceRegistry.cpp - devices by name -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/DeviceRegistry.h"

#include <charconv>

namespace convmlir {

void DeviceRegistry::add(std::string kind, Factory factory) {
  entries.push_back({std::move(kind), std::move(factory)});
}

Result<std::unique_ptr<Device>>
DeviceRegistry::open(const std::string &spec) const {
  if (spec == "auto") {
    std::string reasons;
    for (const Entry &entry : entries) {
      Result<std::unique_ptr<Device>> device = entry.factory(0);
      if (device)
        return device;
      reasons += (reasons.empty() ? "" : "; ") + device.error();
    }
    return Error{"no device: " + reasons};
  }

  std::string kind = spec.substr(0, spec.find(':')), kinds = "auto";
  for (const Entry &entry : entries) {
    kinds += ", " + entry.kind;
    if (entry.kind != kind)
      continue;
    int64_t ordinal = 0;
    if (kind.size() == spec.size())
      return entry.factory(ordinal);
    const char *begin = spec.data() + kind.size() + 1;
    const char *last = spec.data() + spec.size();
    auto [end, code] = std::from_chars(begin, last, ordinal);
    if (code != std::errc() || end != last || ordinal < 0)
      return Error{"bad device '" + spec + "': expected a number after '" +
                   kind + ":'"};
    return entry.factory(ordinal);
  }
  return Error{"bad device '" + spec + "': expected one of " + kinds +
               ", optionally with ':N'"};
}

} // namespace convmlir
