//===- TextReport.cpp - the report for people -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Support/Message.h"
#include "Support/PlanText.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace convmlir;

static llvm::raw_ostream &row(const char *name) {
  return llvm::outs() << llvm::format("%-11s", name);
}

void convmlir::printDescription(const Plan &plan) {
  llvm::outs() << describeAsText(plan);
  llvm::outs().flush();
}

/// The emulator runs an image of its own: what it finds says nothing of the
/// code for GPUs.
static void printCode(const Plan &plan) {
  std::string others;
  for (const PlanImage &image : plan.images)
    if (image.kind != ImageKind::Nvvm)
      others += std::string(others.empty() ? "; not run: " : ", ") +
                toString(image.kind);
  row("code") << toString(ImageKind::Nvvm) << others << '\n';
}

void convmlir::printText(const Report &report) {
  const Plan &plan = *report.plan;
  row("problem") << toLine(plan.problem) << '\n';
  row("device") << report.device << '\n';
  if (report.isEmulatedPlan)
    printCode(plan);
  row("target") << toLine(plan.target)
                << llvm::format(", compiled in %.0f ms", plan.compileMs)
                << '\n';
  llvm::outs() << chipRow(plan);
  if (report.cache)
    row("cache") << report.cache->outcome << ": " << toLine(report.cache->file)
                 << '\n';
  llvm::outs() << scheduleRow(plan);
  for (const TunedReport &tuned : report.tuned)
    row("tuning") << tuned.file << ": "
                  << llvm::format("%.2f us", tuned.medianUs)
                  << (tuned.device.empty() ? "" : " on ") << tuned.device
                  << ", " << tuned.date << '\n';
  for (const UntunedReport &untuned : report.untuned) {
    row("tuning") << "no record";
    if (!untuned.otherDevices.empty())
      llvm::outs() << " of this device but of " << untuned.otherDevices;
    llvm::outs() << ", the model chose";
    if (untuned.problem != plan.problem)
      llvm::outs() << ": " << untuned.problem;
    llvm::outs() << '\n';
  }
  llvm::outs() << remarkRows(plan) << kernelRows(plan) << promiseRows(plan);
  if (report.verify)
    row("verify") << describe(*report.verify) << '\n';
  if (report.benchmark)
    row("benchmark") << describe(*report.benchmark) << '\n';
  for (const DeviceCounter &counter : report.counters)
    row("counter") << counter.name << ' ' << counter.value << '\n';
  llvm::outs().flush();
}
