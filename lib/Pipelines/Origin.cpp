//===- Origin.cpp - what a module came from -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-note-origin: input: a module of form F0 or F1; output: the same, with
// the text of each function in the attribute conv.origin.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Origin.h"
#include "conv/Pipelines/Forms.h"
#include "conv/Pipelines/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace mlir::conv {
#define GEN_PASS_DEF_CONVNOTEORIGIN
#include "conv/Pipelines/Passes.h.inc"
} // namespace mlir::conv

void conv::setOrigin(ModuleOp module, func::FuncOp meaning) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Without aliases, so that the text stands for itself.
  meaning->print(stream, OpPrintingFlags().useLocalScope());
  NamedAttrList origins(module->getAttrOfType<DictionaryAttr>(kOriginAttrName));
  MLIRContext *context = module.getContext();
  origins.set(meaning.getName(), StringAttr::get(context, text));
  module->setAttr(kOriginAttrName, origins.getDictionary(context));
}

std::optional<StringRef> conv::getOrigin(ModuleOp module, StringRef function) {
  auto origins = module->getAttrOfType<DictionaryAttr>(kOriginAttrName);
  auto text = origins ? origins.getAs<StringAttr>(function) : StringAttr();
  return text ? std::optional(text.getValue()) : std::nullopt;
}

namespace {
struct ConvNoteOrigin : public conv::impl::ConvNoteOriginBase<ConvNoteOrigin> {
  void runOnOperation() override {
    FailureOr<FormRange> forms = findForms(getOperation());
    if (failed(forms))
      return signalPassFailure();
    // What was lowered is no definition.
    if (forms->first != Form::F0)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          !getOrigin(getOperation(), function.getName()))
        setOrigin(getOperation(), function);
  }
};
} // namespace
