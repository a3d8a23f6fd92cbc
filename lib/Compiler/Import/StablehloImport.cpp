//===- StablehloImport.cpp - modules of StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StablehloImport.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Status;

bool conv::hasStablehlo(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return stablehlo::isStablehlo(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Counts the operations that a function has when all calls are inlined.
class InlinedSize {
public:
  /// More than this is not counted, or inlined.
  static constexpr int64_t kMost = 1 << 16;

  explicit InlinedSize(ModuleOp module) : symbols(module) {}

  /// kMost or more where there are too many, or where a function calls itself.
  int64_t count(func::FuncOp function) {
    auto [at, isNew] = counts.try_emplace(function, kMost);
    if (!isNew)
      return at->second;
    int64_t size = 0;
    function.walk([&](Operation *op) { size += countOne(op); });
    return counts[function] = std::min(size, kMost);
  }

private:
  int64_t countOne(Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    return callee ? count(callee) : 1;
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, int64_t> counts;
};
} // namespace

Status conv::inlineCalls(ModuleOp module, func::FuncOp entry) {
  if (InlinedSize(module).count(entry) >= InlinedSize::kMost)
    return errorAt(entry.getLoc(),
                   "@" + entry.getName() + ": expected fewer than " +
                       Twine(InlinedSize::kMost) +
                       " operations with all calls inlined, and no function "
                       "that calls itself");
  DiagnosticCollector diagnostics(module.getContext());
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  // Without the simplifications that come with it: the text stays as it is.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  if (failed(pm.run(module)))
    return diagnostics.take("calls of @" + entry.getName().str() +
                            " cannot be inlined");
  return {};
}

LogicalResult conv::importStablehlo(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(conv::createConvertStablehloToConv());
  return pm.run(module);
}
