//===- Devices.h - the devices of conv-run ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_DEVICES_H
#define CONV_TOOLS_CONV_RUN_DEVICES_H

#include "Support/Failure.h"
#include "conv/Runtime/DeviceRegistry.h"

#include <memory>
#include <string>

namespace convmlir {

/// Opens what --device names: CUDA devices first, the emulator where there is
/// none.
Outcome<std::unique_ptr<Device>> openDevice(const std::string &spec);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_DEVICES_H
