//===- Launch.h - a launch, over all host threads ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the geometry of a launch and runs its clusters.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_LAUNCH_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_LAUNCH_H

#include "Machine.h"
#include "conv/Emulator/Emulator.h"

namespace convmlir::emu {

/// Says why the geometry is impossible for the kernel, if it is.
Status checkGeometry(const EmulatedKernelInfo &kernel,
                     const LaunchGeometry &geometry);

/// Runs all clusters, or up to the first fault.
Result<LaunchReport> runLaunch(const LaunchContext &context);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_LAUNCH_H
