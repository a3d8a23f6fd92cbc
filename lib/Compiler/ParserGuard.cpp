//===- ParserGuard.cpp - a parse in a child process -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ParserGuard.h"
#include "SourceModuleImpl.h"
#include "conv/Support/ParserTrial.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace convmlir;

Status convmlir::checkParser(std::string_view text, const std::string &name) {
  return tryParser(text, name, [&] {
    // Neither is destroyed: the process ends.
    MLIRContext *context = createContext().release();
    ScopedDiagnosticHandler ignore(context,
                                   [](Diagnostic &) { return success(); });
    parseSourceString<ModuleOp>(std::string(text), ParserConfig(context), name)
        .release();
  });
}
