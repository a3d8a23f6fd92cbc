//===- PipelineFlags.cpp - a flag for each pipeline -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFlags.h"
#include "conv/Pipelines/Pipelines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"

#include <cstdlib>
#include <deque>
#include <string>

using namespace llvm;

namespace {
/// What the tool's --pass-pipeline is (mlir::PassPipelineCLParser).
using TextOption = cl::opt<std::string>;

/// --pass-pipeline of the tool, and what flags have put there.
class PassPipeline {
public:
  explicit PassPipeline(TextOption &option) : option(option) {
    option.setCallback([this](const std::string &given) { check(given); });
  }

  /// Appends a pipeline. True is an error, as in LLVM's parsers.
  bool append(cl::Option &flag, StringRef pipeline, StringRef options) {
    if (text.empty() && option.getNumOccurrences())
      return flag.error("--pass-pipeline is there already: name the pipeline "
                        "within it");
    if (!passes.empty())
      passes.push_back(',');
    passes.append(pipeline);
    if (!options.empty())
      passes.append(("{" + options + "}").str());
    text = "builtin.module(" + passes + ")";
    return option.addOccurrence(0, option.ArgStr, text);
  }

private:
  /// Of an option that is given twice, LLVM takes the last one.
  void check(StringRef given) const {
    if (text.empty() || given == text)
      return;
    option.error("flags of pipelines are there already: name these within it");
    std::exit(EXIT_FAILURE);
  }

  TextOption &option;
  std::string passes, text;
};

/// What a flag does with its value.
class FlagParser : public cl::parser<std::string> {
public:
  using cl::parser<std::string>::parser;

  void setPipeline(PassPipeline &pipeline) { passPipeline = &pipeline; }
  bool parse(cl::Option &flag, StringRef, StringRef options, std::string &) {
    return passPipeline->append(flag, flag.ArgStr, options);
  }

private:
  PassPipeline *passPipeline = nullptr;
};

using Flag = cl::opt<std::string, false, FlagParser>;

/// Lives as long as the command line, which refers to it.
class PipelineFlags {
public:
  explicit PipelineFlags(TextOption &option) : passPipeline(option) {}

  void add(const mlir::conv::PipelineName &pipeline) {
    names.push_back(pipeline.name.str());
    summaries.push_back(pipeline.summary.str());
    Flag &flag = flags.emplace_back(
        StringRef(names.back()), cl::desc(summaries.back()),
        cl::value_desc("options"), cl::ValueOptional, cl::ZeroOrMore);
    flag.getParser().setPipeline(passPipeline);
  }

private:
  PassPipeline passPipeline;
  std::deque<std::string> names, summaries;
  std::deque<Flag> flags;
};
} // namespace

void convmlir::addPipelineFlags() {
  DenseMap<StringRef, cl::Option *> &options = cl::getRegisteredOptions();
  cl::Option *passPipeline = options.lookup("pass-pipeline");
  if (!passPipeline)
    return;
  static PipelineFlags flags(*static_cast<TextOption *>(passPipeline));
  for (const mlir::conv::PipelineName &pipeline : mlir::conv::listPipelines())
    if (!options.contains(pipeline.name))
      flags.add(pipeline);
}
