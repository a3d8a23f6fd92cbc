//===- JsonReport.cpp - the report for programs ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Support/PlanText.h"
#include "conv/Chip/Chip.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace convmlir;
using llvm::json::OStream;
using llvm::json::Value;

/// JSON has neither infinities nor NaN.
static Value number(double value) {
  return std::isfinite(value) ? Value(value) : Value(nullptr);
}
static Value number(const std::optional<double> &value) {
  return value ? number(*value) : Value(nullptr);
}

static void writeNumbers(OStream &json, const char *key,
                         std::span<const int64_t> values) {
  json.attributeArray(key, [&] {
    for (int64_t value : values)
      json.value(value);
  });
}

static void writeKernel(OStream &json, const PlanLaunch &launch) {
  json.object([&] {
    json.attribute("name", launch.kernel);
    writeNumbers(json, "grid", launch.grid);
    writeNumbers(json, "block", launch.block);
    writeNumbers(json, "cluster", launch.cluster);
    json.attribute("registers", launch.registers);
    json.attribute("shared_bytes",
                   launch.dynamicSharedBytes + launch.staticSharedBytes);
  });
}

static void writeBuffer(OStream &json, const PlanBuffer &buffer) {
  json.object([&] {
    json.attribute("name", buffer.name);
    json.attribute("role", toString(buffer.role));
    json.attribute("type", toString(buffer.type));
    writeNumbers(json, "shape", buffer.shape);
    json.attribute("bytes", buffer.bytes());
  });
}

static void writeTexts(OStream &json, llvm::StringRef key,
                       const std::vector<std::string> &texts) {
  json.attributeArray(key, [&] {
    for (const std::string &text : texts)
      json.value(text);
  });
}

static void writeChip(OStream &json, const Plan &plan) {
  std::optional<ChipInfo> chip = lookupChip(plan.target);
  json.attribute("multiprocessors", plan.multiprocessors);
  json.attribute("measured", chip && chip->isMeasured);
}

void convmlir::describeAsJson(const Plan &plan) {
  OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("problem", plan.problem);
    json.attribute("entry", plan.entry);
    json.attribute("target", plan.target);
    writeChip(json, plan);
    json.attributeArray("code", [&] {
      for (const PlanImage &image : plan.images)
        json.value(toString(image.kind));
    });
    json.attributeArray("buffers", [&] {
      for (const PlanBuffer &buffer : plan.buffers)
        writeBuffer(json, buffer);
    });
    json.attribute("schedule", plan.schedule);
    writeTexts(json, "remarks", plan.remarks);
    json.attributeArray("kernels", [&] {
      for (const PlanLaunch &launch : plan.launches)
        writeKernel(json, launch);
    });
    json.attribute("workspace_bytes", plan.workspaceBytes());
    json.attribute("peak_bytes", getPeakBytes(plan));
    json.attribute("precision", plan.precision);
    json.attribute("order", plan.order);
    json.attribute("deterministic", plan.deterministic);
    json.attribute("operations", plan.flops);
    json.attribute("least_bytes", plan.leastBytes);
  });
  llvm::outs() << '\n';
  llvm::outs().flush();
}

static void writeVerify(OStream &json, const VerifyReport &verify) {
  json.attributeObject("verify", [&] {
    json.attribute("mode", verify.mode);
    json.attribute("relative_error", number(verify.relativeError));
    json.attribute("max_abs_error", number(verify.maxAbsError));
    if (verify.worstIndex.empty())
      json.attribute("worst_index", nullptr);
    else
      writeNumbers(json, "worst_index", verify.worstIndex);
    json.attribute("tolerance", number(verify.tolerance));
    json.attribute("compared", verify.compared);
    json.attribute("passed", verify.passed);
  });
}

static void writeBenchmark(OStream &json, const BenchmarkReport &benchmark) {
  json.attributeObject("benchmark", [&] {
    json.attribute("runs", benchmark.runs);
    json.attribute("median_us", number(benchmark.medianUs));
    json.attribute("min_us", number(benchmark.minUs));
    json.attribute("max_us", number(benchmark.maxUs));
    json.attribute("tflops", number(benchmark.tflops));
    json.attribute("gbytes_per_s", number(benchmark.gbytesPerSecond));
    json.attribute("bound_us", number(benchmark.boundUs));
    json.attribute("share_of_bound", number(benchmark.shareOfBound));
  });
}

static void writeTuned(OStream &json, const TunedReport &tuned) {
  json.object([&] {
    json.attribute("problem", tuned.problem);
    json.attribute("file", tuned.file);
    json.attribute("median_us", number(tuned.medianUs));
    json.attribute("device", tuned.device);
    json.attribute("date", tuned.date);
  });
}

void convmlir::printJson(const Report &report) {
  const Plan &plan = *report.plan;
  OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("problem", plan.problem);
    json.attribute("device", report.device);
    if (report.isEmulatedPlan)
      json.attribute("code", toString(ImageKind::Nvvm));
    json.attribute("target", plan.target);
    writeChip(json, plan);
    if (report.cache)
      json.attributeObject("cache", [&] {
        json.attribute("outcome", report.cache->outcome);
        json.attribute("file", report.cache->file);
      });
    json.attribute("schedule", plan.schedule);
    json.attributeArray("tuning", [&] {
      for (const TunedReport &tuned : report.tuned)
        writeTuned(json, tuned);
    });
    json.attributeArray("untuned", [&] {
      for (const UntunedReport &untuned : report.untuned)
        json.value(untuned.problem);
    });
    writeTexts(json, "remarks", plan.remarks);
    json.attributeArray("kernels", [&] {
      for (const PlanLaunch &launch : plan.launches)
        writeKernel(json, launch);
    });
    json.attribute("workspace_bytes", plan.workspaceBytes());
    json.attribute("deterministic", plan.deterministic);
    json.attribute("precision", plan.precision);
    json.attribute("compile_ms", number(plan.compileMs));
    if (report.verify)
      writeVerify(json, *report.verify);
    if (report.benchmark)
      writeBenchmark(json, *report.benchmark);
    if (!report.counters.empty())
      json.attributeObject("counters", [&] {
        for (const DeviceCounter &counter : report.counters)
          json.attribute(counter.name, static_cast<int64_t>(counter.value));
      });
  });
  llvm::outs() << '\n';
  llvm::outs().flush();
}
