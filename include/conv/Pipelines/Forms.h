//===- Forms.h - which form a module has ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a module, of any form between two stages. Output: the form. A form is
// read from the operations alone, so that it is right whoever wrote the module:
// a pipeline, single passes, or a person.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_FORMS_H
#define CONV_PIPELINES_FORMS_H

#include "conv/Support/Form.h"

#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir {
class ModuleOp;
class Operation;
namespace conv {

using convmlir::Form;

/// Forms that the operations of a module may be part of. There are several
/// where a step changes nothing: plain kernels have no ring, so that they are
/// of F5 and F6.
struct FormRange {
  Form first = Form::F0, last = Form::F8;

  bool overlaps(FormRange other) const {
    return first <= other.last && other.first <= last;
  }
  /// "F4 (block programs)", or "F5 (kernels) or F6 (rings)".
  std::string text() const;
};

/// The forms of a module. Reports an error where its operations are of forms
/// that exclude each other.
FailureOr<FormRange> findForms(ModuleOp module);

/// Those of an operation, a function or a gpu.module, by what is within it.
/// Nothing where its operations are of forms that exclude each other.
std::optional<FormRange> guessForms(Operation *root);

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_FORMS_H
