//===- PlanKey.h - what a plan is made of --------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem or a module, and the options of a compilation. Output: a
// text that has everything a plan depends on. Plans with the same text are the
// same plan, so it is what a cache goes by:
//
//   problem forward n=8 c=64 h=56 w=56 k=64 r=3 s=3 …
//   schedule stages=3
//   target sm_90a
//   multiprocessors 78
//   workgroup-shared 232448
//   device NVIDIA H200
//   tuning 1 record, sha256 9c1d…
//   code gpu
//   ptxas /opt/cuda/bin/ptxas, 37741528 bytes, of 1760563000123456789
//   refuse-flaws no
//   library 0.1.0, build 1f0c…
//
// ptxas is named by its file rather than by its version, which would cost the
// start of a process: what replaces it has another size or time. Its options
// are part of the library.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CACHE_PLANKEY_H
#define CONV_CACHE_PLANKEY_H

#include "conv/Compiler/Compiler.h"
#include "conv/Problem/Problem.h"
#include "conv/Support/Precision.h"
#include "conv/Tuning/TuningRecords.h"

#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

class PlanKey {
public:
  /// Of a problem line, in its canonical form.
  static PlanKey ofProblem(const Problem &problem,
                           const CompileOptions &options);

  /// Of a function of a module in text or bytecode. Its name is part of the
  /// plan's description, and so of the key.
  static PlanKey ofModule(std::string_view module, const std::string &name,
                          const std::string &entry, Precision precision,
                          const CompileOptions &options);

  /// A line each, "NAME VALUE"; what is no printable text in a value is
  /// escaped.
  const std::string &text() const { return lines; }

  /// SHA-256 of the text, 64 hexadecimal digits.
  const std::string &digest() const { return hash; }

  /// The tuning records that may decide: those of the problem's family on the
  /// target (which of them count is found by compiling), of a module all. They
  /// live as long as the records of the options.
  const std::vector<TuningMatch> &records() const { return matches; }

private:
  void add(std::string_view name, std::string_view value);
  void addOptions(const CompileOptions &options);
  void addChip(const std::string &target, const DeviceLimits &limits);
  void addRecords(const CompileOptions &options);

  std::string lines, hash;
  std::vector<TuningMatch> matches;
};

} // namespace convmlir

#endif // CONV_CACHE_PLANKEY_H
