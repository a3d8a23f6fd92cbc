//===- SourceModule.h - a function to compile -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem, or a module of MLIR of any form from F0 to F8. Output: one
// function on tensors of known shape, what it means, and what the runner must
// know of it. No MLIR header is needed to use it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_SOURCEMODULE_H
#define CONV_COMPILER_SOURCEMODULE_H

#include "conv/Interpreter/ReferenceTensor.h"
#include "conv/Problem/Problem.h"
#include "conv/Runtime/ElementType.h"
#include "conv/Support/Precision.h"
#include "conv/Support/Result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

class SourceModule {
public:
  /// The function of one problem.
  static Result<std::unique_ptr<SourceModule>>
  fromProblem(const Problem &problem);

  /// The function `entry` of a file, or, where that is empty, its only public
  /// function. The error says what is wrong with the text or the signature. The
  /// path "-" is standard input. What the function means says `reference`, the
  /// same function of another file; where that is empty, the module itself: its
  /// operations, or, from form F2 on, its attribute `conv.origin`.
  static Result<std::unique_ptr<SourceModule>>
  fromFile(const std::string &path, const std::string &entry,
           Precision precision = Precision::More,
           const std::string &reference = "");

  /// The same for text (or bytecode) in memory, which messages call `name`. It
  /// must be text that the parser survives (ParserGuard.h).
  static Result<std::unique_ptr<SourceModule>>
  fromText(std::string_view text, const std::string &name,
           const std::string &entry, Precision precision = Precision::More);

  ~SourceModule();

  /// The problem line, or "@main of block.mlir: 2 convolutions".
  const std::string &description() const;
  /// The problem, if it is made of one.
  const std::optional<Problem> &problem() const;
  /// The convolutions in their order; their epilogues are not among them.
  const std::vector<Problem> &convolutions() const;
  /// The types of elements of all tensors that it computes, each once.
  const std::vector<ElementType> &computedTypes() const;
  /// Whether it computes with floats; if not, every result is exact.
  bool hasFloats() const;
  /// Whether products or sums have more precision than the text gives them.
  bool gainsPrecision() const;
  /// What the import has to say: what it left as written, or made more precise.
  const std::vector<std::string> &remarks() const;

  /// The target of the attribute `conv.chip`, or without one the fullest chip.
  std::string target() const;

  const std::vector<TensorSpec> &arguments() const;
  const std::vector<TensorSpec> &results() const;

  /// Whether evaluate() knows every operation; the error names one that it does
  /// not know, of which there may be kernels all the same.
  Status checkReference() const;

  /// What the function as it was given means, before any pass: integers
  /// exactly, floats in f64 and rounded as docs/ConvRun.md says. `arguments`
  /// are dense, in order; `progress` gets the share done.
  Result<std::vector<ReferenceTensor>>
  evaluate(std::vector<std::vector<double>> arguments,
           const std::function<void(double)> &progress = {}) const;

  /// Of MLIR; for the compiler.
  struct Impl;
  Impl &impl() const { return *state; }
  /// The state that says what the function means.
  const Impl &meaning() const;

private:
  explicit SourceModule(std::unique_ptr<Impl> state);
  static Result<std::unique_ptr<SourceModule>>
  fromSource(std::unique_ptr<Impl> state, const std::string &path,
             const std::string &entry,
             std::unique_ptr<SourceModule> reference = nullptr);

  std::unique_ptr<Impl> state;
};

} // namespace convmlir

#endif // CONV_COMPILER_SOURCEMODULE_H
