//===- EmulatorDevice.h - the emulator as a device --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans on the CPU: the device runs the nvvm image of a plan and reports every
// fault of a kernel as the error of its launch.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_EMULATORDEVICE_H
#define CONV_COMPILER_EMULATORDEVICE_H

#include "conv/Emulator/LaunchOptions.h"
#include "conv/Runtime/Device.h"

#include <memory>

namespace convmlir {

/// A new emulator with memory of its own. `options` hold for all launches;
/// hostThreads 0 means one per hardware thread.
std::unique_ptr<Device> createEmulatorDevice(LaunchOptions options);

} // namespace convmlir

#endif // CONV_COMPILER_EMULATORDEVICE_H
