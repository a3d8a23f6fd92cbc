//===- TuneReport.cpp - what --tune prints --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace convmlir;

/// How much faster the winner is than what is chosen without records.
static std::optional<double> speedupOf(const ProblemTuning &tuning) {
  const Standing &untuned = tuning.candidates.front().standing;
  const Standing &winner = tuning.candidates[tuning.winner].standing;
  if (!untuned.medianUs || !winner.medianUs)
    return std::nullopt;
  return *untuned.medianUs / *winner.medianUs;
}

static void printProblem(const ProblemTuning &tuning) {
  llvm::outs() << "problem    " << tuning.problem << '\n';
  for (size_t i = 0; i < tuning.candidates.size(); ++i) {
    const TunedCandidate &candidate = tuning.candidates[i];
    if (candidate.standing.medianUs)
      llvm::outs() << llvm::format("%9.2f us  ", *candidate.standing.medianUs);
    else
      llvm::outs() << "  skipped     ";
    llvm::outs() << candidate.schedule
                 << (i == tuning.winner ? "  <- recorded" : "") << '\n';
  }
  if (std::optional<double> speedup = speedupOf(tuning))
    llvm::outs() << llvm::format("gain       %.3f times the speed of the "
                                 "untuned choice\n",
                                 *speedup);
}

void convmlir::printText(const TuneReport &report) {
  llvm::outs() << "device     " << report.device << "\ntarget     "
               << report.target << '\n';
  for (const ProblemTuning &tuning : report.problems)
    printProblem(tuning);
  llvm::outs() << "file       " << report.file << '\n';
  llvm::outs().flush();
}

static void writeCandidate(llvm::json::OStream &json,
                           const TunedCandidate &candidate) {
  const Standing &standing = candidate.standing;
  json.object([&] {
    json.attribute("schedule", candidate.schedule);
    json.attribute("median_us", standing.medianUs
                                    ? llvm::json::Value(*standing.medianUs)
                                    : llvm::json::Value(nullptr));
    json.attribute("final", standing.isFinalist);
    if (!standing.failure.empty())
      json.attribute("skipped", standing.failure);
  });
}

static void writeProblem(llvm::json::OStream &json,
                         const ProblemTuning &tuning) {
  json.object([&] {
    json.attribute("problem", tuning.problem);
    json.attribute("schedule", tuning.candidates[tuning.winner].schedule);
    json.attribute("relative_error", tuning.relativeError);
    if (std::optional<double> speedup = speedupOf(tuning))
      json.attribute("speedup", *speedup);
    json.attributeArray("candidates", [&] {
      for (const TunedCandidate &candidate : tuning.candidates)
        writeCandidate(json, candidate);
    });
  });
}

void convmlir::printJson(const TuneReport &report) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("device", report.device);
    json.attribute("target", report.target);
    json.attribute("file", report.file);
    json.attributeArray("problems", [&] {
      for (const ProblemTuning &tuning : report.problems)
        writeProblem(json, tuning);
    });
  });
  llvm::outs() << '\n';
  llvm::outs().flush();
}
