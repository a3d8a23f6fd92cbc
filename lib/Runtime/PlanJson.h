//===- PlanJson.h - JSON header of plan files -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_PLANJSON_H
#define CONV_LIB_RUNTIME_PLANJSON_H

#include "conv/Runtime/Plan.h"

#include <span>
#include <string>
#include <string_view>

namespace convmlir {

/// The header of a valid plan: everything but the bytes of images and
/// constants, of which it has the sizes.
std::string planToJson(const Plan &plan);

/// Reads a header; `data` holds images and constants back to back. Checks
/// types, ranges of enumerations and sizes of the data; validate() does the
/// rest. Messages name the place: "buffers[2].shape[0]: expected …".
Result<Plan> planFromJson(std::string_view header,
                          std::span<const uint8_t> data);

} // namespace convmlir

#endif // CONV_LIB_RUNTIME_PLANJSON_H
