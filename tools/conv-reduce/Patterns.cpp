//===- Patterns.cpp - how an operation becomes simpler --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "FunctionCut.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;

/// Each result that is read becomes an argument of the function.
static void replaceByArguments(func::FuncOp function, Operation *op) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    unsigned place = function.getNumArguments();
    (void)function.insertArgument(place, result.getType(), {}, op->getLoc());
    result.replaceAllUsesWith(function.getArgument(place));
  }
}

namespace {
/// What an operation in the middle of a function makes is given to the function
/// instead:
///
///   %1 = conv.forward ins(%0, %w …)      →   (argument %1)
///
/// The pattern asks by itself: of MLIR 22 the pass takes no pattern after which
/// the answer is no for all operations at once (docs/Upstream.md).
struct ResultsToArguments : RewritePattern {
  ResultsToArguments(MLIRContext *context, const Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
    if (!function || !convmlir::reducer::canCut(function))
      return rewriter.notifyMatchFailure(op, "not a step of a function");
    if (convmlir::reducer::isBeginning(op) || op->use_empty())
      return rewriter.notifyMatchFailure(op, "nothing that is computed");
    if (!isInterestingWithout(op))
      return rewriter.notifyMatchFailure(op, "of interest");
    rewriter.modifyOpInPlace(function,
                             [&] { replaceByArguments(function, op); });
    rewriter.eraseOp(op);
    return success();
  }

private:
  bool isInterestingWithout(Operation *op) const {
    IRMapping mapping;
    Operation *module = op->getParentOfType<ModuleOp>();
    OwningOpRef<ModuleOp> variant = cast<ModuleOp>(module->clone(mapping));
    Operation *copy = mapping.lookup(op);
    replaceByArguments(copy->getParentOfType<func::FuncOp>(), copy);
    copy->erase();
    return tester.isInteresting(*variant).first ==
           Tester::Interestingness::True;
  }

  const Tester &tester;
};

class ReductionPatterns : public DialectReductionPatternInterface {
public:
  explicit ReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<ResultsToArguments>(patterns.getContext(), tester);
  }
};
} // namespace

void convmlir::reducer::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, conv::ConvDialect *dialect) {
    dialect->addInterface<ReductionPatterns>();
  });
}
