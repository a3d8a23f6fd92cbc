//===- CommandLine.cpp - the options of conv-run --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Support/Options.h"

#include <algorithm>
#include <map>

namespace convmlir {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Status setVerify(CommandLine &line, const std::string &text) {
  VerifyRequest request;
  if (text == "full") {
    request.mode = VerifyRequest::Mode::Full;
  } else if (text.starts_with("sample:")) {
    Result<int64_t> count =
        parseNumber<int64_t>("--verify=sample:N", text.substr(7), 1);
    if (!count)
      return count.takeError();
    request.mode = VerifyRequest::Mode::Sample;
    request.samples = *count;
  } else if (!text.empty()) {
    return Error{"--verify: expected full or sample:N, got '" + text + "'"};
  }
  line.verify = request;
  return {};
}

static Status setEmit(CommandLine &line, const std::string &text) {
  static const std::map<std::string, EmitKind> kinds = {
      {"mlir", EmitKind::Mlir},
      {"llvm", EmitKind::Llvm},
      {"ptx", EmitKind::Ptx},
      {"cubin", EmitKind::Cubin},
      {"plan", EmitKind::Plan}};
  EmitRequest request;
  std::string kind = text.substr(0, text.find(':'));
  auto found = kinds.find(kind);
  if (found == kinds.end() ||
      (kind.size() != text.size() && found->second != EmitKind::Mlir))
    return Error{"--emit: expected mlir, mlir:FORM, llvm, ptx, cubin or plan, "
                 "got '" +
                 text + "'"};
  request.kind = found->second;
  if (kind.size() != text.size()) {
    std::optional<Form> form = parseForm(text.substr(kind.size() + 1));
    if (!form)
      return Error{"--emit=mlir:FORM: expected f0 to f8, got '" +
                   text.substr(kind.size() + 1) + "'"};
    request.form = *form;
  }
  line.emit = request;
  return {};
}

static Status setTarget(CommandLine &line, const std::string &text) {
  static const std::vector<std::string> later = {"sm_100a", "sm_120a"};
  const std::vector<std::string> &supported = supportedTargets();
  std::string names;
  for (const std::string &name : supported)
    names += (names.empty() ? "" : ", ") + name;
  if (std::ranges::count(later, text))
    return Error{"--target=" + text +
                 " is not supported yet, the targets are " + names};
  if (!std::ranges::count(supported, text))
    return Error{"--target: expected one of " + names + ", got '" + text + "'"};
  line.target = text;
  return {};
}

static Status setMultiprocessors(CommandLine &line, const std::string &text) {
  Result<int64_t> number = parseNumber<int64_t>("--multiprocessors", text, 1);
  if (!number)
    return number.takeError();
  if (*number > kMostMultiprocessors)
    return Error{"--multiprocessors: expected at most " +
                 std::to_string(kMostMultiprocessors) + ", got " + text};
  line.multiprocessors = *number;
  return {};
}

static Status setPrecision(CommandLine &line, const std::string &text) {
  line.precision = parsePrecision(text);
  if (!line.precision)
    return Error{"--precision: expected more or text, got '" + text + "'"};
  return {};
}

static Status setAlgorithm(CommandLine &line, const std::string &text) {
  if (text == "implicit-gemm" || text == "implicit_gemm")
    line.algorithm = "implicit_gemm";
  else if (text == "im2col" || text == "loops")
    line.algorithm = text;
  else
    return Error{"--algorithm: expected implicit-gemm, im2col or loops, got '" +
                 text + "'"};
  return {};
}

static Status setBenchmark(CommandLine &line, const std::string &text) {
  Result<int64_t> runs =
      parseNumber<int64_t>("--benchmark", text.empty() ? "100" : text, 1);
  if (!runs)
    return runs.takeError();
  line.benchmarkRuns = *runs;
  return {};
}

static Status setPtxasTimeout(CommandLine &line, const std::string &text) {
  constexpr int64_t most = 1'000'000; // More is not meant, and may overflow.
  Result<int64_t> seconds = parseNumber<int64_t>("--ptxas-timeout", text, 1);
  if (!seconds)
    return seconds.takeError();
  if (*seconds > most)
    return Error{"--ptxas-timeout: expected at most " + std::to_string(most) +
                 " seconds, got " + text};
  line.ptxasSeconds = *seconds;
  return {};
}

static Status setMaxWorkspace(CommandLine &line, const std::string &text) {
  Result<int64_t> bytes = parseNumber<int64_t>("--max-workspace", text, 0);
  if (!bytes)
    return bytes.takeError();
  line.maxWorkspace = *bytes;
  return {};
}

static Status setFuzz(CommandLine &line, const std::string &text) {
  Result<int64_t> cases =
      parseNumber<int64_t>("--fuzz", text.empty() ? "100" : text, 1);
  if (!cases)
    return cases.takeError();
  line.fuzzCases = *cases;
  return {};
}

static Status setFuzzProfile(CommandLine &line, const std::string &text) {
  if (text == "edges")
    line.fuzzProfile = FuzzProfile::Edges;
  else if (text == "cudnn-frontend")
    line.fuzzProfile = FuzzProfile::Layers;
  else
    return Error{"--fuzz-profile: expected edges or cudnn-frontend, got '" +
                 text + "'"};
  return {};
}

static Status setTune(CommandLine &line, const std::string &text) {
  Result<int64_t> count =
      parseNumber<int64_t>("--tune", text.empty() ? "12" : text, 1);
  if (!count)
    return count.takeError();
  line.tuneCandidates = *count;
  return {};
}

static Status setCache(CommandLine &line, const std::string &text) {
  line.usesCache = true;
  line.cacheFolder = text;
  return {};
}

static Status setSeed(CommandLine &line, const std::string &text) {
  Result<uint64_t> seed = parseNumber<uint64_t>("--seed", text, 0);
  if (!seed)
    return seed.takeError();
  line.seed = *seed;
  return {};
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static const OptionTable<CommandLine> &options() {
  static const OptionTable<CommandLine> table = {
      {"--problem", {Arity::Needed, setText<&CommandLine::problem>}},
      {"--reference", {Arity::Needed, setText<&CommandLine::reference>}},
      {"--entry", {Arity::Needed, setText<&CommandLine::entry>}},
      {"--input", {Arity::Needed, addText<&CommandLine::inputs>, true}},
      {"--output", {Arity::Needed, addText<&CommandLine::outputs>, true}},
      {"--device", {Arity::Needed, setText<&CommandLine::device>}},
      {"--target", {Arity::Needed, setTarget}},
      {"--multiprocessors", {Arity::Needed, setMultiprocessors}},
      {"--precision", {Arity::Needed, setPrecision}},
      {"--algorithm", {Arity::Needed, setAlgorithm}},
      {"--schedule", {Arity::Needed, setText<&CommandLine::schedule>}},
      {"--max-workspace", {Arity::Needed, setMaxWorkspace}},
      {"--tune", {Arity::Optional, setTune}},
      {"--tuning-file", {Arity::Needed, setText<&CommandLine::tuningFile>}},
      {"--tuning-device", {Arity::Needed, setText<&CommandLine::tuningDevice>}},
      {"--no-tuning", {Arity::None, setFlag<&CommandLine::noTuning>}},
      {"--cuda-path", {Arity::Needed, setText<&CommandLine::cudaPath>}},
      {"--ptxas-timeout", {Arity::Needed, setPtxasTimeout}},
      {"--cache", {Arity::Optional, setCache}},
      {"--verify", {Arity::Optional, setVerify}},
      {"--benchmark", {Arity::Optional, setBenchmark}},
      {"--fuzz", {Arity::Optional, setFuzz}},
      {"--fuzz-profile", {Arity::Needed, setFuzzProfile}},
      {"--seed", {Arity::Needed, setSeed}},
      {"--emit", {Arity::Needed, setEmit}},
      {"--stages", {Arity::Needed, setText<&CommandLine::stages>}},
      {"-o", {Arity::Needed, setText<&CommandLine::emitPath>}},
      {"--describe", {Arity::None, setFlag<&CommandLine::describe>}},
      {"--explain", {Arity::None, setFlag<&CommandLine::explain>}},
      {"--json", {Arity::None, setFlag<&CommandLine::json>}},
      {"--help", {Arity::None, setFlag<&CommandLine::help>}},
      {"--version", {Arity::None, setFlag<&CommandLine::version>}},
  };
  return table;
}

/// A module as text or bytecode, or standard input, which has one.
static bool isModule(const std::string &file) {
  return file == "-" || file.ends_with(".mlir") || file.ends_with(".mlirbc");
}

static Status setFile(CommandLine &line, const std::string &text) {
  if (!line.file.empty())
    return Error{"expected one file, got '" + line.file + "' and '" + text +
                 "'"};
  if (!isModule(text) && !text.ends_with(".plan"))
    return Error{"expected FILE.mlir, FILE.mlirbc, FILE.plan or - for standard "
                 "input, got '" +
                 text + "'"};
  line.file = text;
  return {};
}

//===----------------------------------------------------------------------===//
// Rules between options
//===----------------------------------------------------------------------===//

/// Options that make no sense with what is compiled.
static Status checkCompiler(const CommandLine &line) {
  if (line.isPlan() &&
      (line.emit || !line.schedule.empty() || !line.target.empty() ||
       !line.entry.empty() || line.maxWorkspace || line.multiprocessors ||
       !line.reference.empty()))
    return Error{"a plan is compiled already: --emit, --schedule, "
                 "--algorithm, --max-workspace, --target, --multiprocessors, "
                 "--entry and --reference need FILE.mlir or --problem"};
  if (isModule(line.file))
    return {};
  if (!line.problem.empty() && !line.entry.empty())
    return Error{"--entry needs FILE.mlir"};
  if (!line.reference.empty())
    return Error{"--reference needs FILE.mlir: a problem is its own reference"};
  if (line.precision)
    return Error{"--precision needs FILE.mlir: it is about the operations of "
                 "linalg there"};
  return {};
}

/// Only plans are kept, under the text of one file.
static Status checkCache(const CommandLine &line) {
  if (line.usesCache &&
      (line.isPlan() || line.tuneCandidates || line.fuzzCases ||
       (line.emit && line.emit->kind != EmitKind::Plan) || line.file == "-" ||
       !line.reference.empty()))
    return Error{"--cache keeps plans that are compiled: it excludes "
                 "FILE.plan, standard input, --reference, --emit of other than "
                 "plan, --tune and --fuzz"};
  return {};
}

static Status checkEmit(const CommandLine &line) {
  if (line.emit && line.emitPath.empty())
    return Error{"--emit needs -o PATH"};
  if (!line.emit && !line.emitPath.empty())
    return Error{"-o needs --emit=mlir|llvm|ptx|cubin|plan"};
  if (line.emit && (line.verify || line.benchmarkRuns || !line.inputs.empty() ||
                    !line.outputs.empty() || line.json))
    return Error{
        "--emit stops before a run: it excludes --verify, --benchmark, "
        "--input, --output and --json"};
  return {};
}

/// Stages are those of a run, of what is compiled.
static Status checkStages(const CommandLine &line) {
  if (!line.stages.empty() &&
      (line.isPlan() || line.emit || line.describe || line.explain ||
       line.tuneCandidates || line.fuzzCases))
    return Error{"--stages shows how a module is compiled and what its run "
                 "counts: it excludes FILE.plan, --emit, --describe, "
                 "--explain, --tune and --fuzz"};
  return {};
}

static Status checkDescribe(const CommandLine &line) {
  if (line.explain && line.problem.empty())
    return Error{"--explain needs --problem"};
  if (line.explain && line.describe)
    return Error{"--explain and --describe exclude each other"};
  if ((line.describe || line.explain) &&
      (line.emit || line.verify || line.benchmarkRuns || !line.inputs.empty() ||
       !line.outputs.empty() || line.tuneCandidates || line.fuzzCases))
    return Error{std::string(line.describe ? "--describe" : "--explain") +
                 " runs nothing: it excludes --emit, --verify, --benchmark, "
                 "--input, --output, --tune and --fuzz"};
  return {};
}

static bool namesRecords(const CommandLine &line) {
  return !line.tuningFile.empty() || !line.tuningDevice.empty();
}

static bool namesPtxas(const CommandLine &line) {
  return !line.cudaPath.empty() || line.ptxasSeconds;
}

/// Tuning chooses schedules and inputs itself, and stops when it is done.
static Status checkTuning(const CommandLine &line) {
  if (line.noTuning && (line.tuneCandidates || namesRecords(line)))
    return Error{
        "--no-tuning excludes --tune, --tuning-file and --tuning-device"};
  if (line.isPlan() && (line.tuneCandidates || namesRecords(line) ||
                        line.noTuning || namesPtxas(line)))
    return Error{"a plan is compiled already: --tune, --tuning-file, "
                 "--tuning-device, --no-tuning, --cuda-path and "
                 "--ptxas-timeout need FILE.mlir or --problem"};
  if (line.tuneCandidates &&
      (line.emit || line.verify || line.benchmarkRuns || !line.inputs.empty() ||
       !line.outputs.empty() || !line.schedule.empty() || line.maxWorkspace ||
       line.multiprocessors || !line.tuningDevice.empty()))
    return Error{"--tune chooses schedules and inputs itself, and verifies the "
                 "winner: it takes --entry, --device, --target, --tuning-file, "
                 "--cuda-path, --ptxas-timeout and --json only"};
  return {};
}

/// Random problems have nothing that could be chosen, and no file to write.
static Status checkFuzz(const CommandLine &line) {
  if (line.seed && !line.fuzzCases)
    return Error{"--seed needs --fuzz"};
  if (line.fuzzProfile && !line.fuzzCases)
    return Error{"--fuzz-profile needs --fuzz"};
  if (line.fuzzCases &&
      (line.emit || line.verify || line.benchmarkRuns || !line.inputs.empty() ||
       !line.outputs.empty() || !line.schedule.empty() || !line.entry.empty() ||
       line.maxWorkspace || line.tuneCandidates || namesRecords(line) ||
       line.noTuning || namesPtxas(line)))
    return Error{"--fuzz chooses problems, schedules and inputs itself: it "
                 "takes --fuzz-profile, --seed, --device, --target, "
                 "--multiprocessors and --json only"};
  return {};
}

static Status checkRules(const CommandLine &line) {
  int sources =
      !line.file.empty() + !line.problem.empty() + line.fuzzCases.has_value();
  if (sources == 0)
    return Error{"expected FILE.mlir, FILE.plan, --problem=\"…\" or --fuzz; "
                 "--help lists the options"};
  if (sources > 1)
    return Error{"expected one of FILE, --problem and --fuzz, got several"};
  for (auto check : {checkFuzz, checkCompiler, checkTuning, checkDescribe,
                     checkCache, checkStages})
    if (Status status = check(line); !status)
      return status;
  return checkEmit(line);
}

Result<CommandLine> parseCommandLine(std::span<char *const> arguments) {
  CommandLine line;
  if (Status status = parseOptions(line, arguments, options(), setFile);
      !status)
    return status.takeError();
  if (line.help || line.version)
    return line;
  if (!line.algorithm.empty())
    line.schedule = "algorithm=" + line.algorithm + " " + line.schedule;
  if (Status status = checkRules(line); !status)
    return status.takeError();
  return line;
}

} // namespace convmlir
