//===- Roofline.h - the least time of a problem -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roofline bound: no kernel is faster than its multiplications at the peak
// of the tensor cores, nor than its compulsory traffic at the bandwidth of the
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_ROOFLINE_H
#define CONV_RUNTIME_ROOFLINE_H

#include "conv/Runtime/Device.h"
#include "conv/Runtime/ElementType.h"

#include <cstdint>
#include <optional>

namespace convmlir {

/// Dense floating-point (or integer) operations per cycle and multiprocessor
/// with operands of that type, a multiply-add counted as two. Nothing for
/// unknown capabilities and for types that have no matrix instruction there.
std::optional<int64_t> peakOperationsPerCycle(int64_t capabilityMajor,
                                              int64_t capabilityMinor,
                                              ElementType type);

struct Roofline {
  double computeUs = 0;
  double memoryUs = 0;
  /// The larger of both.
  double boundUs() const { return computeUs > memoryUs ? computeUs : memoryUs; }
};

/// The bound for `flops` operations on operands of that type and `bytes` of
/// compulsory traffic; nothing where the device's peaks are unknown.
std::optional<Roofline> computeRoofline(const DeviceInfo &info,
                                        ElementType type, int64_t flops,
                                        int64_t bytes);

} // namespace convmlir

#endif // CONV_RUNTIME_ROOFLINE_H
