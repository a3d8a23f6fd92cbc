//===- CommandLine.h - the options of conv-run ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_COMMANDLINE_H
#define CONV_TOOLS_CONV_RUN_COMMANDLINE_H

#include "conv/Compiler/Compiler.h"
#include "conv/Problem/RandomProblem.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convmlir {

enum class EmitKind { Mlir, Llvm, Ptx, Cubin, Plan };

struct EmitRequest {
  EmitKind kind = EmitKind::Plan;
  Form form = Form::F1; ///< Mlir only.
};

struct VerifyRequest {
  enum class Mode { Auto, Full, Sample };
  Mode mode = Mode::Auto;
  int64_t samples = 0; ///< Sample only.
};

/// What was asked. Values are checked as far as they can be alone.
struct CommandLine {
  std::string file;      ///< FILE.mlir or FILE.plan; or empty.
  std::string problem;   ///< Text; or empty.
  std::string reference; ///< The file that says what FILE.mlir means.
  std::string entry;
  std::optional<Precision> precision; ///< Absent: more.
  std::vector<std::string> inputs, outputs;
  std::string device = "auto";
  std::string target;                     ///< Empty: the device's.
  std::optional<int64_t> multiprocessors; ///< Absent: the device's.
  std::string algorithm; ///< As a schedule names it; empty: the schedule's.
  std::string schedule;  ///< The algorithm in front, if one was given.
  std::string cudaPath;
  std::optional<int64_t> ptxasSeconds; ///< Limit of time; absent: the default.
  bool usesCache = false;
  std::string cacheFolder; ///< Empty: the default place.
  std::optional<VerifyRequest> verify;
  std::optional<int64_t> benchmarkRuns;
  std::optional<int64_t> fuzzCases;
  std::optional<int64_t> tuneCandidates;
  std::string tuningFile;   ///< Of the user; empty: the default place.
  std::string tuningDevice; ///< Whose records count; empty: the opened one's.
  bool noTuning = false;    ///< Records are not looked up.
  std::optional<int64_t> maxWorkspace;    ///< Bytes; absent: any number.
  std::optional<uint64_t> seed;           ///< Of --fuzz; absent: 0.
  std::optional<FuzzProfile> fuzzProfile; ///< Absent: Edges.
  std::optional<EmitRequest> emit;
  std::string emitPath;
  std::string stages; ///< A folder for every stage; empty: none.
  bool describe = false; ///< Say what the plan is, and run nothing.
  bool explain = false;  ///< Say why its schedule was chosen; the same.
  bool json = false, help = false, version = false;

  bool isPlan() const { return file.ends_with(".plan"); }
};

/// Parses the arguments after the program's name. The error is one line.
Result<CommandLine> parseCommandLine(std::span<char *const> arguments);

/// The texts of --help and --version.
std::string helpText();
const char *versionText();

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_COMMANDLINE_H
