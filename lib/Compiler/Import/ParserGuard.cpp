//===- ParserGuard.cpp - a parse in a child process -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ParserGuard.h"
#include "SourceModuleImpl.h"
#include "conv/Dialect/Conv/IR/Origin.h"
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
    auto parse = [&](std::string_view text) {
      return parseSourceString<ModuleOp>(std::string(text),
                                         ParserConfig(context), name)
          .release();
    };
    ModuleOp module = parse(text);
    if (!module)
      return;
    // What it came from is parsed as well.
    for (auto function : module.getOps<func::FuncOp>())
      if (std::optional<StringRef> origin =
              conv::getOrigin(module, function.getName()))
        parse(*origin);
  });
}
