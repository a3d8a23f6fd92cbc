//===- TextReport.cpp - the report for people -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Message.h"
#include "Report.h"
#include "conv/Chip/Chip.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace convmlir;

static llvm::raw_ostream &row(const char *name) {
  return llvm::outs() << llvm::format("%-11s", name);
}

static std::string dims(const Dim3 &value) {
  return std::to_string(value[0]) + "x" + std::to_string(value[1]) + "x" +
         std::to_string(value[2]);
}

static void printKernels(const Plan &plan) {
  for (const PlanLaunch &launch : plan.launches) {
    row("kernel") << toLine(launch.kernel) << ": grid " << dims(launch.grid)
                  << ", block " << dims(launch.block) << ", ";
    if (launch.registers)
      llvm::outs() << launch.registers << " registers, ";
    llvm::outs() << launch.dynamicSharedBytes + launch.staticSharedBytes
                 << " bytes of shared memory\n";
  }
  if (plan.launches.empty())
    row("kernel") << "none: there is nothing to compute\n";
}

static void printBuffers(const Plan &plan, BufferRole role) {
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role == role)
      row(toString(role)) << toLine(buffer.name) << ": "
                          << toString(buffer.type) << ' '
                          << toString(buffer.shape) << ", " << buffer.bytes()
                          << " bytes\n";
}

int64_t convmlir::getBytes(const Plan &plan, BufferRole role) {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role == role)
      bytes += buffer.bytes();
  return bytes;
}

int64_t convmlir::getPeakBytes(const Plan &plan) {
  int64_t bytes = plan.workspaceBytes();
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role != BufferRole::Workspace)
      bytes += buffer.bytes();
  return bytes;
}

static void printMemory(const Plan &plan) {
  row("memory") << getPeakBytes(plan)
                << " bytes at most: " << getBytes(plan, BufferRole::Argument)
                << " of arguments, " << getBytes(plan, BufferRole::Result)
                << " of results, " << plan.workspaceBytes()
                << " of workspace\n";
}

static void printRemarks(const Plan &plan) {
  for (const std::string &remark : plan.remarks)
    row("remark") << toLine(remark) << '\n';
}

/// What the kernels are made for, and whether the model of their time was
/// fitted there. Plans of older versions do not say their number.
static void printChip(const Plan &plan) {
  std::optional<ChipInfo> chip = lookupChip(plan.target);
  bool isMeasured = !chip || chip->isMeasured;
  if (plan.multiprocessors == 0 && isMeasured)
    return;
  row("chip");
  if (plan.multiprocessors > 0)
    llvm::outs() << plan.multiprocessors << " multiprocessors"
                 << (isMeasured ? "" : "; ");
  if (!isMeasured)
    llvm::outs() << "not measured, the model of time is of other chips";
  llvm::outs() << '\n';
}

void convmlir::describeAsText(const Plan &plan) {
  row("problem") << toLine(plan.problem) << '\n';
  row("entry") << toLine(plan.entry) << '\n';
  row("target") << toLine(plan.target) << ", code as";
  for (const PlanImage &image : plan.images)
    llvm::outs() << ' ' << toString(image.kind);
  llvm::outs() << (plan.images.empty() ? " none\n" : "\n");
  printChip(plan);
  for (BufferRole role : {BufferRole::Argument, BufferRole::Result,
                          BufferRole::Workspace, BufferRole::Constant})
    printBuffers(plan, role);
  row("schedule") << (plan.schedule.empty() ? "none" : toLine(plan.schedule))
                  << '\n';
  printRemarks(plan);
  printKernels(plan);
  printMemory(plan);
  row("precision") << toLine(plan.precision) << '\n';
  row("order") << (plan.order.empty() ? "no sums of products"
                                      : toLine(plan.order))
               << '\n';
  row("promise") << (plan.deterministic ? "every run gives the same bits"
                                        : "runs may give different bits")
                 << '\n';
  row("work") << plan.flops << " operations, at least " << plan.leastBytes
              << " bytes of memory traffic\n";
  llvm::outs().flush();
}

static void printVerify(const VerifyReport &verify) {
  row("verify") << verify.mode << ": " << (verify.passed ? "passed" : "FAILED");
  if (!verify.passed && verify.worstIndex.empty()) {
    llvm::outs() << ", " << verify.worst << '\n';
    return;
  }
  llvm::outs() << ", relative error "
               << llvm::format("%.3g", verify.relativeError) << " (at most "
               << llvm::format("%.3g", verify.tolerance)
               << "), largest difference "
               << llvm::format("%.3g", verify.maxAbsError) << " in "
               << verify.compared
               << (verify.compared == 1 ? " element" : " elements");
  if (!verify.worstIndex.empty())
    llvm::outs() << ": " << verify.worst;
  llvm::outs() << '\n';
}

static void printBenchmark(const BenchmarkReport &benchmark) {
  row("benchmark") << llvm::format("median %.2f us, min %.2f us, max %.2f us",
                                   benchmark.medianUs, benchmark.minUs,
                                   benchmark.maxUs)
                   << " in " << benchmark.runs << " runs";
  if (benchmark.tflops)
    llvm::outs() << llvm::format("; %.2f TFLOP/s", *benchmark.tflops);
  if (benchmark.gbytesPerSecond)
    llvm::outs() << llvm::format(", %.1f GB/s", *benchmark.gbytesPerSecond);
  if (benchmark.boundUs && benchmark.shareOfBound)
    llvm::outs() << llvm::format("; bound %.2f us, %.0f %% of it reached",
                                 *benchmark.boundUs,
                                 100 * *benchmark.shareOfBound);
  llvm::outs() << '\n';
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
  printChip(plan);
  if (report.cache)
    row("cache") << report.cache->outcome << ": " << toLine(report.cache->file)
                 << '\n';
  row("schedule") << (plan.schedule.empty() ? "none" : toLine(plan.schedule))
                  << '\n';
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
  printRemarks(plan);
  printKernels(plan);
  row("workspace") << plan.workspaceBytes() << " bytes\n";
  row("promise") << (plan.deterministic ? "deterministic" : "not deterministic")
                 << "; " << toLine(plan.precision) << '\n';
  if (report.verify)
    printVerify(*report.verify);
  if (report.benchmark)
    printBenchmark(*report.benchmark);
  for (const DeviceCounter &counter : report.counters)
    row("counter") << counter.name << ' ' << counter.value << '\n';
  llvm::outs().flush();
}
