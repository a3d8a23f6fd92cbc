//===- DeviceRegistry.h - devices by name -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar of `conv-run --device`. The runtime knows the CUDA device only;
// a tool registers what else it links, such as the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DEVICEREGISTRY_H
#define CONV_RUNTIME_DEVICEREGISTRY_H

#include "conv/Runtime/Device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convmlir {

class DeviceRegistry {
public:
  /// Opens the device of a kind with that number, counted from 0.
  using Factory =
      std::function<Result<std::unique_ptr<Device>>(int64_t ordinal)>;

  /// Registers a kind. `auto` tries the kinds in the order of registration.
  void add(std::string kind, Factory factory);

  /// Opens "auto", "KIND" or "KIND:N". An unknown kind or a malformed number is
  /// an error that begins with "bad device"; the others come from the device.
  Result<std::unique_ptr<Device>> open(const std::string &spec) const;

private:
  struct Entry {
    std::string kind;
    Factory factory;
  };
  std::vector<Entry> entries;
};

} // namespace convmlir

#endif // CONV_RUNTIME_DEVICEREGISTRY_H
