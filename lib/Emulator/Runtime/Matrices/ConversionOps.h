//===- ConversionOps.h - conversions of 8-bit floats ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_CONVERSIONOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_CONVERSIONOPS_H

#include "Runtime/Machine/Site.h"
#include "conv/Runtime/FloatFormat.h"

namespace convmlir::emu {

struct Float8Site : Site {
  FloatFormat format = e4m3Format;
};

/// cvt.rn.satfinite.e4m3x2.f32 or .e5m2x2: of two f32 the first one becomes the
/// upper byte.
void narrowToFloat8(Thread *thread, const Site *site, std::byte *mailbox);

/// cvt.rn.f16x2.e4m3x2 or .e5m2x2: two bytes to two f16, the lower first.
void widenFloat8(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_CONVERSIONOPS_H
