//===- Passes.h - conversions between dialects ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Create functions and registration of the passes in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_PASSES_H
#define CONV_CONVERSION_PASSES_H

#include "conv/Support/Precision.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::conv {

#define GEN_PASS_DECL
#include "conv/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Conversion/Passes.h.inc"

} // namespace mlir::conv

#endif // CONV_CONVERSION_PASSES_H
