//===- Diagnostics.cpp - diagnostics as one message -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/Utils/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;

std::string conv::describe(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColRange>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getStartLine()) +
            ":" + Twine(file.getStartColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

/// Diagnostics print whole operations; a message is one line.
convmlir::Error conv::errorAt(Location location, const Twine &message) {
  std::string where = describe(location);
  return convmlir::Error{(where.empty() ? "" : where + ": ") + message.str()};
}

static std::string oneLine(const std::string &text) {
  std::string line;
  for (char c : text) {
    bool blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return StringRef(line).rtrim().str();
}

static std::string render(const Diagnostic &diagnostic) {
  std::string text = describe(diagnostic.getLocation());
  if (!text.empty())
    text += ": ";
  text += oneLine(diagnostic.str());
  for (const Diagnostic &note : diagnostic.getNotes())
    // The operation in its generic form helps nobody on a command line.
    if (std::string words = note.str();
        !StringRef(words).starts_with("see current operation"))
      text += "; " + oneLine(words);
  return text;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, Remark onRemark)
    : handler(context, [this, onRemark](Diagnostic &diagnostic) {
        DiagnosticSeverity severity = diagnostic.getSeverity();
        if (severity == DiagnosticSeverity::Error && message.empty())
          message = render(diagnostic);
        if (severity == DiagnosticSeverity::Remark && onRemark)
          onRemark(render(diagnostic));
        return success();
      }) {}

convmlir::Error DiagnosticCollector::take(const std::string &otherwise) {
  return convmlir::Error{message.empty() ? otherwise : message};
}
