//===- Reduce.cpp - a smaller module that does the same -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "FunctionCut.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;

namespace convmlir::reducer {

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

size_t countLines(ModuleOp module) {
  std::string text = print(module);
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

namespace {
/// The module, and what makes it smaller while the answer is yes.
class Reduction {
public:
  Reduction(OwningOpRef<ModuleOp> &module, const Asker &asker)
      : module(module), asker(asker),
        tester(this->asker.program, this->asker.arguments) {}

  bool isInteresting(ModuleOp variant) const {
    return tester.isInteresting(variant).first == Tester::Interestingness::True;
  }
  void keepOneFunction();
  void cutFunctions();
  LogicalResult runUpstream();

private:
  using Change = llvm::function_ref<void(func::FuncOp)>;

  /// Changes a copy of the module; true where that became the module.
  bool tryChange(StringRef function, Change change);
  SmallVector<std::string> functionsToCut();
  void cut(StringRef name);
  void findEnd(StringRef name);
  void findBegin(StringRef name);
  void keepOneResult(StringRef name);

  func::FuncOp find(StringRef name) const {
    return module->lookupSymbol<func::FuncOp>(name);
  }

  OwningOpRef<ModuleOp> &module;
  Asker asker;
  Tester tester;
};
} // namespace

bool Reduction::tryChange(StringRef function, Change change) {
  OwningOpRef<ModuleOp> variant = module->clone();
  change(variant->lookupSymbol<func::FuncOp>(function));
  if (!isInteresting(*variant))
    return false;
  module = std::move(variant);
  return true;
}

/// Others may call it: then the module without them is not even valid.
void Reduction::keepOneFunction() {
  SmallVector<std::string> names;
  for (auto function : module->getOps<func::FuncOp>())
    names.push_back(function.getSymName().str());
  if (names.size() < 2)
    return;
  auto eraseOthers = [](func::FuncOp kept) {
    auto all = kept->getParentOfType<ModuleOp>().getOps<func::FuncOp>();
    for (func::FuncOp function : llvm::make_early_inc_range(all))
      if (function != kept)
        function.erase();
  };
  for (const std::string &name : names)
    if (tryChange(name, eraseOthers))
      return;
}

SmallVector<std::string> Reduction::functionsToCut() {
  SmallVector<std::string> names;
  for (auto function : module->getOps<func::FuncOp>())
    if (!function.isDeclaration() && canCut(function))
      names.push_back(function.getSymName().str());
  return names;
}

void Reduction::cutFunctions() {
  for (const std::string &name : functionsToCut())
    cut(name);
}

/// Leaves the fewest steps from the first one on, by halving.
void Reduction::findEnd(StringRef name) {
  size_t low = 1, high = findSteps(find(name)).size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tryChange(name, [&](func::FuncOp function) {
          cutFunction(function, 0, middle);
        }))
      high = middle;
    else
      low = middle + 1;
  }
}

/// The same from the last one back.
void Reduction::findBegin(StringRef name) {
  size_t low = 1, high = findSteps(find(name)).size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tryChange(name, [&](func::FuncOp function) {
          cutFunction(function, high - middle, high);
        }))
      high = middle;
    else
      low = middle + 1;
  }
}

void Reduction::keepOneResult(StringRef name) {
  unsigned results = find(name).getNumResults();
  for (unsigned i = 0; results > 1 && i < results; ++i)
    if (tryChange(name,
                  [&](func::FuncOp function) { keepResult(function, i); }))
      return;
}

void Reduction::cut(StringRef name) {
  size_t before = findSteps(find(name)).size();
  findEnd(name);
  findBegin(name);
  keepOneResult(name);
  llvm::errs() << "conv-reduce: @" << name << ": "
               << findSteps(find(name)).size() << " of " << before
               << " steps\n";
}

LogicalResult Reduction::runUpstream() {
  SmallVector<std::string> arguments(asker.arguments.begin(),
                                     asker.arguments.end());
  PassManager pm(module->getContext());
  pm.addPass(createOptReductionPass(
      {"canonicalize,cse,symbol-dce", asker.program, arguments}));
  pm.addPass(createReductionTreePass({0, asker.program, arguments}));
  return pm.run(*module);
}

Status reduce(OwningOpRef<ModuleOp> &module, const Asker &asker) {
  // Variants are often not valid, which is an answer, not an error.
  ScopedDiagnosticHandler silence(module->getContext(),
                                  [](Diagnostic &) { return success(); });
  Reduction reduction(module, asker);
  constexpr int mostRounds = 4;
  for (int round = 0; round < mostRounds; ++round) {
    reduction.keepOneFunction();
    reduction.cutFunctions();
    size_t before = countLines(*module);
    if (failed(reduction.runUpstream()))
      return Error{"upstream's reducer failed"};
    // It found nothing, so that halving would not either.
    if (countLines(*module) >= before)
      break;
  }
  return {};
}

} // namespace convmlir::reducer
