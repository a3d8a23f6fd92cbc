//===- Devices.cpp - the devices of conv-run ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "conv/Compiler/EmulatorDevice.h"
#include "conv/Runtime/CudaDevice.h"

namespace convmlir {

static Result<std::unique_ptr<Device>> openEmulator(int64_t ordinal) {
  if (ordinal != 0)
    return Error{"bad device 'emulator:" + std::to_string(ordinal) +
                 "': there is one emulator, number 0"};
  LaunchOptions options;
  options.hostThreads = 0;
  return createEmulatorDevice(options);
}

Outcome<std::unique_ptr<Device>> openDevice(const std::string &spec) {
  DeviceRegistry registry;
  registry.add("cuda", [](int64_t ordinal) { return openCudaDevice(ordinal); });
  registry.add("emulator", openEmulator);
  Result<std::unique_ptr<Device>> device = registry.open(spec);
  if (device)
    return std::move(*device);
  if (device.error().starts_with("bad device"))
    return badInput("--device: " + device.error());
  return deviceFailed("--device=" + spec + ": " + device.error());
}

} // namespace convmlir
