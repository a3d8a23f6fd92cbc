//===- CheckForm.cpp - whether a pipeline can go on from a module ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-check-form: input: a module of any form; output: the same, or an error
// that names the form that was expected, the one that came, and where to go on
// from there.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Forms.h"
#include "conv/Pipelines/Passes.h"
#include "conv/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace mlir::conv {
#define GEN_PASS_DEF_CONVCHECKFORM
#include "conv/Pipelines/Passes.h.inc"
} // namespace mlir::conv

namespace {
struct ConvCheckForm : public conv::impl::ConvCheckFormBase<ConvCheckForm> {
  using ConvCheckFormBase::ConvCheckFormBase;

  void runOnOperation() override {
    std::optional<Form> from = convmlir::parseForm(first.getValue());
    std::optional<Form> to = convmlir::parseForm(last.getValue());
    if (!from || !to) {
      emitError(getOperation().getLoc())
          << "expected forms f0 to f8, got '" << (from ? last : first) << "'";
      return signalPassFailure();
    }
    FailureOr<FormRange> forms = findForms(getOperation());
    if (failed(forms) || failed(check(*forms, {*from, *to})))
      signalPassFailure();
  }

private:
  /// The first operation of the module, whose own line may have the text of all
  /// its functions in `conv.origin`.
  Location getPlace() {
    Block *body = getOperation().getBody();
    return body->empty() ? getOperation().getLoc() : body->front().getLoc();
  }

  LogicalResult check(FormRange got, FormRange expected) {
    if (got.overlaps(expected))
      return success();
    InFlightDiagnostic error = emitError(getPlace());
    if (!pipeline.empty())
      error << pipeline << ": ";
    error << "expected a module of form " << expected.text() << ", got "
          << got.text();
    if (got.first < Form::F8)
      error << ", from which " << getStepName(got.first) << " goes on";
    return error;
  }
};
} // namespace
