//===- DeviceTarget.h - what to compile for on a device ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: what a device is. Output: the name of the target whose kernels suit
// it best.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DEVICETARGET_H
#define CONV_RUNTIME_DEVICETARGET_H

#include "conv/Chip/Chip.h"
#include "conv/Runtime/Device.h"

#include <string>

namespace convmlir {

/// The target to compile for where none is asked for: the device's own, the
/// last that it can run, or, where it has no architecture (the emulator), the
/// last of all.
std::string bestTarget(const DeviceInfo &device);

/// What is known of a device; nothing of the emulator.
DeviceLimits limitsOf(const DeviceInfo &device);

} // namespace convmlir

#endif // CONV_RUNTIME_DEVICETARGET_H
