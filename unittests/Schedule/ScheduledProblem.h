//===- ScheduledProblem.h - an operation to decide about --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_SCHEDULE_SCHEDULEDPROBLEM_H
#define CONV_UNITTESTS_SCHEDULE_SCHEDULEDPROBLEM_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace mlir::conv {

/// A convolution of images of 16 bits with filters of 3x3 and padding, so that
/// all three operations of a problem have the same extents. `kind`: forward,
/// dgrad or wgrad.
struct ScheduledProblem {
  ScheduledProblem(MLIRContext &context, llvm::StringRef kind, int64_t n,
                   int64_t c, int64_t extent, int64_t k,
                   llvm::StringRef result = "bf16",
                   llvm::StringRef name = "f") {
    context.loadDialect<ConvDialect, func::FuncDialect>();
    auto images = [&](int64_t channels, llvm::StringRef type) {
      return llvm::formatv("tensor<{0}x{1}x{1}x{2}x{3}>", n, extent, channels,
                           type)
          .str();
    };
    auto filter = [&](llvm::StringRef type) {
      return llvm::formatv("tensor<{0}x3x3x{1}x{2}>", k, c, type).str();
    };
    std::string x = images(c, "bf16"), y = images(k, "bf16"),
                w = filter("bf16");
    std::string a = kind == "dgrad" ? y : x, b = kind == "wgrad" ? y : w;
    std::string r = kind == "wgrad"   ? filter(result)
                    : kind == "dgrad" ? images(c, result)
                                      : images(k, result);
    module = parseSourceString<ModuleOp>(
        llvm::formatv("func.func @{0}(%a: {1}, %b: {2}, %r0: {3}) -> {3} {{\n"
                      "  %r = conv.{4} ins(%a, %b : {1}, {2}) outs(%r0 : {3}) "
                      "pad [1, 1] -> {3}\n  return %r : {3}\n}",
                      name, a, b, r, kind)
            .str(),
        &context);
    if (module)
      module->walk([&](ConvOpInterface found) { op = found; });
  }

  OwningOpRef<ModuleOp> module;
  ConvOpInterface op;
};

} // namespace mlir::conv

#endif // CONV_UNITTESTS_SCHEDULE_SCHEDULEDPROBLEM_H
