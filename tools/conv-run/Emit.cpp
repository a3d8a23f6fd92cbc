//===- Emit.cpp - what is written instead of run --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "conv/Runtime/PlanFile.h"

#include <cstdio>

namespace convmlir {

static Result<Bytes> toBytes(Result<std::string> text) {
  if (!text)
    return text.takeError();
  return Bytes(text->begin(), text->end());
}

static Result<Bytes> contentOf(const SourceModule &source,
                               const EmitRequest &request,
                               const CompileOptions &options,
                               const PlanFunction &compile) {
  switch (request.kind) {
  case EmitKind::Mlir:
    return toBytes(emitModule(source, request.form, options));
  case EmitKind::Llvm:
    return toBytes(emitLlvm(source, options));
  case EmitKind::Ptx:
    return toBytes(emitPtx(source, options));
  case EmitKind::Cubin:
    return emitCubin(source, options);
  case EmitKind::Plan:
    break;
  }
  Result<Plan> plan = compile();
  return plan ? serialisePlan(*plan) : Result<Bytes>(plan.takeError());
}

Status emit(const SourceModule &source, const EmitRequest &request,
            const std::string &path, const CompileOptions &options,
            const PlanFunction &compile) {
  Result<Bytes> content = contentOf(source, request, options, compile);
  if (!content)
    return content.takeError();
  if (path != "-")
    return writeFileAtomically(path, *content);
  if (std::fwrite(content->data(), 1, content->size(), stdout) !=
          content->size() ||
      std::fflush(stdout) != 0)
    return Error{"standard output cannot be written"};
  return {};
}

} // namespace convmlir
