//===- PlanKey.cpp - what a plan is made of -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/PlanKey.h"
#include "BuildIdentity.h"
#include "Digest.h"

using namespace convmlir;

/// A value that ends with its line, whatever it is.
static std::string escape(std::string_view value) {
  static constexpr const char *digits = "0123456789abcdef";
  constexpr unsigned char remove = 0x7f;
  std::string text;
  for (unsigned char c : value) {
    bool isPlain = c >= ' ' && c != remove && c != '\\';
    text += isPlain ? std::string(1, static_cast<char>(c))
                    : std::string("\\x") + digits[c / 16] + digits[c % 16];
  }
  return text;
}

void PlanKey::add(std::string_view name, std::string_view value) {
  lines += std::string(name) + " " + escape(value) + "\n";
}

/// Words of a schedule, whatever is between them. Their order stays: it is no
/// reason to compile again that somebody wrote them in another one, but rare.
static std::string normalise(std::string_view schedule) {
  std::string text;
  constexpr const char *between = " ,";
  for (size_t at = schedule.find_first_not_of(between);
       at != std::string_view::npos;) {
    size_t end = std::min(schedule.find_first_of(between, at), schedule.size());
    text += text.empty() ? "" : " ";
    text += schedule.substr(at, end - at);
    at = schedule.find_first_not_of(between, end);
  }
  return text;
}

/// Everything of a record that a plan or its report has.
static std::string textOf(const TuningRecord &record) {
  std::string text;
  for (const std::string *part :
       {&record.problem, &record.target, &record.schedule, &record.device,
        &record.date, &record.version, &record.stale, &record.text})
    text += escape(*part) + "\n";
  return text + std::to_string(record.medianUs) + "\n" +
         std::to_string(record.multiprocessors) + "\n";
}

/// The numbers of the device, or those of the target where they are not known.
void PlanKey::addChip(const std::string &target, const DeviceLimits &limits) {
  std::optional<ChipInfo> row = lookupChip(target);
  ChipInfo chip = limits.applyTo(row ? *row : ChipInfo());
  add("multiprocessors", std::to_string(chip.multiprocessors));
  add("workgroup-shared", std::to_string(chip.sharedPerBlock));
}

void PlanKey::addRecords(const CompileOptions &options) {
  if (!options.tuning)
    return add("tuning", "none");
  std::string text;
  for (const TuningMatch &match : matches)
    text += textOf(*match.record);
  bool isOne = matches.size() == 1;
  add("tuning", std::to_string(matches.size()) +
                    (isOne ? " record" : " records") +
                    (text.empty() ? "" : ", sha256 " + sha256(text)));
}

void PlanKey::addOptions(const CompileOptions &options) {
  // A new option does not compile here until somebody says whether plans depend
  // on it. A limit of time changes none.
  [[maybe_unused]] const auto &[target, limits, schedule, ptxas, ptxasLimit,
                                tuning, device, maxWorkspace, targetCode,
                                refuseFlaws, onStep, onWarning, onTuned,
                                onUntuned] = options;
  add("schedule", normalise(schedule));
  add("target", target);
  addChip(target, limits);
  add("device", device);
  addRecords(options);
  add("max-workspace", maxWorkspace ? std::to_string(*maxWorkspace) : "any");
  add("code", targetCode ? "gpu" : "emulator");
  // Without code for GPUs it is not run.
  add("ptxas", targetCode ? programIdentity(ptxas) : "none");
  add("refuse-flaws", refuseFlaws ? "yes" : "no");
  add("library", CONV_MLIR_VERSION ", build " + buildIdentity());
  hash = sha256(lines);
}

PlanKey PlanKey::ofProblem(const Problem &problem,
                           const CompileOptions &options) {
  PlanKey key;
  key.add("problem", toString(problem));
  if (options.tuning)
    key.matches = options.tuning->family(problem, options.target);
  key.addOptions(options);
  return key;
}

PlanKey PlanKey::ofModule(std::string_view module, const std::string &name,
                          const std::string &entry, Precision precision,
                          const CompileOptions &options) {
  PlanKey key;
  key.add("module", name);
  key.add("text", "sha256 " + sha256(module));
  key.add("entry", entry);
  key.add("precision", precision == Precision::Text ? "text" : "more");
  if (options.tuning)
    key.matches = options.tuning->all();
  key.addOptions(options);
  return key;
}
