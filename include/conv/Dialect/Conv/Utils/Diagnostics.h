//===- Diagnostics.h - diagnostics as one message ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge between the error conventions of MLIR (diagnostics) and of the
// plain C++ libraries (one message per failure).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_UTILS_DIAGNOSTICS_H
#define CONV_DIALECT_CONV_UTILS_DIAGNOSTICS_H

#include "conv/Support/Result.h"

#include "mlir/IR/Diagnostics.h"

#include <functional>
#include <string>

namespace mlir::conv {

/// Collects the diagnostics of a context while it lives. Errors are kept,
/// remarks go to `onRemark`, if there is one, everything else is dropped.
class DiagnosticCollector {
public:
  using Remark = std::function<void(const std::string &)>;
  explicit DiagnosticCollector(MLIRContext *context, Remark onRemark = nullptr);

  /// The first error, "FILE:LINE:COLUMN: message" with its notes after
  /// semicolons, on one line; `otherwise` where nothing was reported.
  convmlir::Error take(const std::string &otherwise);

private:
  std::string message;
  ScopedDiagnosticHandler handler;
};

/// "FILE:LINE:COLUMN" of the first file position in a location, or "".
std::string describe(Location location);

/// An error of that place in a source.
convmlir::Error errorAt(Location location, const Twine &message);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_UTILS_DIAGNOSTICS_H
