//===- PlanText.cpp - what a plan is, for people --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/PlanText.h"
#include "Support/Message.h"
#include "Support/TextFormat.h"
#include "conv/Chip/Chip.h"

namespace convmlir {

std::vector<TensorSpec> specsOf(const Plan &plan, BufferRole role) {
  std::vector<TensorSpec> specs;
  for (int64_t index : plan.buffersOf(role)) {
    const PlanBuffer &buffer = plan.buffers[static_cast<size_t>(index)];
    specs.push_back({buffer.name, buffer.shape, toString(buffer.type)});
  }
  return specs;
}

int64_t getBytes(const Plan &plan, BufferRole role) {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role == role)
      bytes += buffer.bytes();
  return bytes;
}

int64_t getPeakBytes(const Plan &plan) {
  int64_t bytes = plan.workspaceBytes();
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role != BufferRole::Workspace)
      bytes += buffer.bytes();
  return bytes;
}

static std::string dims(const Dim3 &value) {
  return std::to_string(value[0]) + "x" + std::to_string(value[1]) + "x" +
         std::to_string(value[2]);
}

/// Plans of older versions do not say their number of multiprocessors.
std::string chipRow(const Plan &plan) {
  std::optional<ChipInfo> chip = lookupChip(plan.target);
  std::string text;
  if (plan.multiprocessors > 0)
    text = std::to_string(plan.multiprocessors) + " multiprocessors";
  if (chip && !chip->isMeasured)
    text += std::string(text.empty() ? "" : "; ") +
            "not measured, the model of time is of other chips";
  return text.empty() ? "" : formatRow("chip", text);
}

std::string scheduleRow(const Plan &plan) {
  return formatRow("schedule",
                   plan.schedule.empty() ? "none" : toLine(plan.schedule));
}

std::string remarkRows(const Plan &plan) {
  std::string rows;
  for (const std::string &remark : plan.remarks)
    rows += formatRow("remark", toLine(remark));
  return rows;
}

static std::string kernelRow(const PlanLaunch &launch) {
  std::string text = toLine(launch.kernel) + ": grid " + dims(launch.grid) +
                     ", block " + dims(launch.block) + ", ";
  if (launch.registers)
    text += std::to_string(launch.registers) + " registers, ";
  text += std::to_string(launch.dynamicSharedBytes + launch.staticSharedBytes) +
          " bytes of shared memory";
  return formatRow("kernel", text);
}

std::string kernelRows(const Plan &plan) {
  std::string rows;
  for (const PlanLaunch &launch : plan.launches)
    rows += kernelRow(launch);
  if (plan.launches.empty())
    rows += formatRow("kernel", "none: there is nothing to compute");
  return rows;
}

std::string promiseRows(const Plan &plan) {
  std::string promise =
      plan.deterministic ? "deterministic; " : "not deterministic; ";
  return formatRow("workspace",
                   std::to_string(plan.workspaceBytes()) + " bytes") +
         formatRow("promise", promise + toLine(plan.precision));
}

static std::string targetRow(const Plan &plan) {
  std::string text = toLine(plan.target) + ", code as";
  for (const PlanImage &image : plan.images)
    text += std::string(" ") + toString(image.kind);
  return formatRow("target", text + (plan.images.empty() ? " none" : ""));
}

static std::string bufferRows(const Plan &plan, BufferRole role) {
  std::string rows;
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role == role)
      rows += formatRow(toString(role),
                        toLine(buffer.name) + ": " + toString(buffer.type) +
                            ' ' + toString(buffer.shape) + ", " +
                            std::to_string(buffer.bytes()) + " bytes");
  return rows;
}

static std::string memoryRow(const Plan &plan) {
  auto bytesOf = [&](BufferRole role) {
    return std::to_string(getBytes(plan, role));
  };
  return formatRow("memory",
                   std::to_string(getPeakBytes(plan)) + " bytes at most: " +
                       bytesOf(BufferRole::Argument) + " of arguments, " +
                       bytesOf(BufferRole::Result) + " of results, " +
                       std::to_string(plan.workspaceBytes()) +
                       " of workspace");
}

static std::string computationRows(const Plan &plan) {
  std::string order =
      plan.order.empty() ? "no sums of products" : toLine(plan.order);
  return formatRow("precision", toLine(plan.precision)) +
         formatRow("order", order) +
         formatRow("promise", plan.deterministic
                                  ? "every run gives the same bits"
                                  : "runs may give different bits") +
         formatRow("work", std::to_string(plan.flops) +
                               " operations, at least " +
                               std::to_string(plan.leastBytes) +
                               " bytes of memory traffic");
}

std::string describeAsText(const Plan &plan) {
  std::string text = formatRow("problem", toLine(plan.problem)) +
                     formatRow("entry", toLine(plan.entry)) + targetRow(plan) +
                     chipRow(plan);
  for (BufferRole role : {BufferRole::Argument, BufferRole::Result,
                          BufferRole::Workspace, BufferRole::Constant})
    text += bufferRows(plan, role);
  return text + scheduleRow(plan) + remarkRows(plan) + kernelRows(plan) +
         memoryRow(plan) + computationRows(plan);
}

} // namespace convmlir
