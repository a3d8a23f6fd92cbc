//===- Plan.cpp - rules of plans ------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Plan.h"
#include "conv/Runtime/WorkspaceLayout.h"

#include "PlanProblem.h"

#include <algorithm>
#include <cmath>

namespace convmlir {

const char *toString(BufferRole role) {
  switch (role) {
  case BufferRole::Argument:
    return "argument";
  case BufferRole::Result:
    return "result";
  case BufferRole::Workspace:
    return "workspace";
  case BufferRole::Constant:
    return "constant";
  }
  return "";
}

const char *toString(ImageKind kind) {
  switch (kind) {
  case ImageKind::Cubin:
    return "cubin";
  case ImageKind::Ptx:
    return "ptx";
  case ImageKind::Nvvm:
    return "nvvm";
  }
  return "";
}

std::string describe(const PlanBuffer &buffer) {
  std::string text = buffer.name + " (" + toString(buffer.role);
  if (buffer.position >= 0)
    text += " " + std::to_string(buffer.position);
  return text + ")";
}

int64_t Plan::workspaceBytes() const { return layOutWorkspace(*this).bytes; }

std::vector<int64_t> Plan::buffersOf(BufferRole role) const {
  std::vector<int64_t> indices;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].role == role)
      indices.push_back(static_cast<int64_t>(i));
  std::ranges::stable_sort(indices, {}, [&](int64_t index) {
    return buffers[static_cast<size_t>(index)].position;
  });
  return indices;
}

static Error at(const std::string &where, const std::string &what) {
  return Error{where + ": " + what};
}

/// No tensor of ours is that large; sums of sizes below it do not overflow.
static constexpr int64_t largestBuffer = int64_t(1) << 48;

static Status validateBuffer(const PlanBuffer &buffer,
                             const std::string &where) {
  std::optional<int64_t> bytes = byteCount(buffer.shape, buffer.type);
  if (!bytes || *bytes > largestBuffer)
    return at(where, "shape " + toString(buffer.shape) + " of " +
                         toString(buffer.type) +
                         " is negative or takes more than 2^48 bytes");
  bool positioned =
      buffer.role == BufferRole::Argument || buffer.role == BufferRole::Result;
  if (!positioned && buffer.position != -1)
    return at(where, std::string("a ") + toString(buffer.role) +
                         " has no position, got " +
                         std::to_string(buffer.position));
  int64_t expected = buffer.role == BufferRole::Constant ? *bytes : 0;
  if (static_cast<int64_t>(buffer.data.size()) != expected)
    return at(where, "expected " + std::to_string(expected) +
                         " bytes of data, got " +
                         std::to_string(buffer.data.size()));
  return {};
}

/// Sums of sizes are then far from the end of 64 bits.
static Status validateTotal(const Plan &plan) {
  constexpr int64_t largestTotal = int64_t(1) << 56;
  int64_t total = 0;
  for (const PlanBuffer &buffer : plan.buffers) {
    total += buffer.bytes();
    if (total > largestTotal)
      return Error{"buffers: together they take more than 2^56 bytes"};
  }
  return {};
}

/// Positions of a role must be 0, 1, 2, … without gaps or repetitions.
static Status validatePositions(const Plan &plan, BufferRole role) {
  int64_t next = 0;
  for (int64_t index : plan.buffersOf(role)) {
    int64_t position = plan.buffers[static_cast<size_t>(index)].position;
    if (position != next)
      return at("buffers[" + std::to_string(index) + "].position",
                std::string("the positions of the ") + toString(role) +
                    "s must be 0, 1, 2, …: expected " + std::to_string(next) +
                    ", got " + std::to_string(position));
    ++next;
  }
  return {};
}

/// Checks that [offset, offset + bytes] lies in an existing buffer.
static Status validateAddress(const Plan &plan, int64_t buffer, int64_t offset,
                              int64_t bytes, const std::string &where) {
  int64_t count = static_cast<int64_t>(plan.buffers.size());
  if (buffer < 0 || buffer >= count)
    return at(where, "buffer " + std::to_string(buffer) +
                         " does not exist, the plan has " +
                         std::to_string(count));
  int64_t size = plan.buffers[static_cast<size_t>(buffer)].bytes();
  if (offset < 0 || offset > size || bytes > size - offset)
    return at(where, std::to_string(bytes) + " bytes at offset " +
                         std::to_string(offset) + " leave " +
                         describe(plan.buffers[static_cast<size_t>(buffer)]) +
                         " of " + std::to_string(size) + " bytes");
  return {};
}

static Status validateArgument(const Plan &plan, const KernelArgument &argument,
                               const std::string &where) {
  if (auto *address = std::get_if<BufferArgument>(&argument))
    return validateAddress(plan, address->buffer, address->byteOffset, 0,
                           where);
  auto *map = std::get_if<TensorMap>(&argument);
  if (!map)
    return {};
  if (Status status = validate(*map); !status)
    return at(where, "tensor map: " + status.error());
  std::optional<int64_t> bytes = spannedBytes(*map);
  if (!bytes)
    return at(where, "tensor map: its size does not fit in 63 bits");
  return validateAddress(plan, map->buffer, map->byteOffset, *bytes, where);
}

/// Limits of the CUDA programming model that hold on every architecture.
static Status validateGeometry(const PlanLaunch &launch,
                               const std::string &where) {
  static constexpr Dim3 gridLimit{2147483647, 65535, 65535};
  static constexpr Dim3 blockLimit{1024, 1024, 64};
  static constexpr int64_t threadLimit = 1024, clusterLimit = 16;
  int64_t threads = 1, blocks = 1;
  for (size_t i = 0; i < 3; ++i) {
    std::string dim = std::string(1, "xyz"[i]);
    if (launch.grid[i] < 1 || launch.grid[i] > gridLimit[i])
      return at(where + ".grid", "expected 1 to " +
                                     std::to_string(gridLimit[i]) +
                                     " blocks in " + dim + ", got " +
                                     std::to_string(launch.grid[i]));
    if (launch.block[i] < 1 || launch.block[i] > blockLimit[i])
      return at(where + ".block", "expected 1 to " +
                                      std::to_string(blockLimit[i]) +
                                      " threads in " + dim + ", got " +
                                      std::to_string(launch.block[i]));
    if (launch.cluster[i] < 1 || launch.cluster[i] > clusterLimit ||
        launch.grid[i] % launch.cluster[i] != 0)
      return at(where + ".cluster",
                std::to_string(launch.cluster[i]) + " does not divide the " +
                    std::to_string(launch.grid[i]) + " blocks in " + dim);
    threads *= launch.block[i];
    blocks *= launch.cluster[i];
  }
  if (threads > threadLimit)
    return at(where + ".block",
              "expected at most 1024 threads, got " + std::to_string(threads));
  if (blocks > clusterLimit)
    return at(where + ".cluster",
              "expected at most 16 blocks, got " + std::to_string(blocks));
  return {};
}

/// A block reads or writes something of its own: more blocks than there are
/// bytes would run for years. Few blocks may share a byte.
static Status validateBlocks(const PlanLaunch &launch, int64_t bytes,
                             const std::string &where) {
  constexpr int64_t few = 1 << 16;
  double blocks = 1;
  for (int64_t extent : launch.grid)
    blocks *= static_cast<double>(extent);
  if (blocks <= static_cast<double>(std::max(bytes, few)))
    return {};
  return at(where + ".grid",
            "more blocks than the plan's buffers have bytes, " +
                std::to_string(bytes));
}

static int64_t totalBytes(const Plan &plan) {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    bytes += buffer.bytes();
  return bytes;
}

static Status validateResources(const PlanLaunch &launch,
                                const std::string &where) {
  static constexpr int64_t sharedLimit = 256 * 1024, registerLimit = 255;
  int64_t shared =
      std::max(launch.dynamicSharedBytes, launch.staticSharedBytes);
  if (launch.dynamicSharedBytes < 0 || launch.staticSharedBytes < 0 ||
      shared > sharedLimit)
    return at(where, "shared memory is negative or more than 256 KiB");
  if (launch.registers < 0 || launch.registers > registerLimit)
    return at(where + ".registers",
              "expected 0 to 255, got " + std::to_string(launch.registers));
  return {};
}

/// What PTX allows in names; it also keeps the name one word of a message.
static bool isKernelName(const std::string &name) {
  auto isAllowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  constexpr size_t longest = 1024;
  return !name.empty() && name.size() <= longest &&
         std::ranges::all_of(name, isAllowed);
}

static Status validateLaunch(const Plan &plan, const PlanLaunch &launch,
                             const std::string &where) {
  if (!isKernelName(launch.kernel))
    return at(where + ".kernel",
              "expected the name of a kernel, of letters, digits, '_' and '$', "
              "got '" +
                  launch.kernel + "'");
  if (launch.images.empty())
    return at(where + ".images", "expected at least one image");
  int64_t count = static_cast<int64_t>(plan.images.size());
  for (int64_t image : launch.images)
    if (image < 0 || image >= count)
      return at(where + ".images", "image " + std::to_string(image) +
                                       " does not exist, the plan has " +
                                       std::to_string(count));
  if (Status status = validateGeometry(launch, where); !status)
    return status;
  if (Status status = validateResources(launch, where); !status)
    return status;
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    if (Status status =
            validateArgument(plan, launch.arguments[i],
                             where + ".arguments[" + std::to_string(i) + "]");
        !status)
      return status;
  return {};
}

Status validate(const Plan &plan) {
  if (plan.target.empty())
    return Error{"target: expected a name such as sm_80, got nothing"};
  if (plan.multiprocessors < 0)
    return Error{"multiprocessors: expected at least 0, got " +
                 std::to_string(plan.multiprocessors)};
  if (!std::isfinite(plan.compileMs) || plan.compileMs < 0)
    return Error{"compile_ms: expected a time that is not negative"};
  if (plan.flops < 0 || plan.leastBytes < 0)
    return Error{"flops, least_bytes: expected numbers that are not negative"};
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (Status status = validateBuffer(plan.buffers[i],
                                       "buffers[" + std::to_string(i) + "]");
        !status)
      return status;
  if (Status status = validateTotal(plan); !status)
    return status;
  for (BufferRole role : {BufferRole::Argument, BufferRole::Result})
    if (Status status = validatePositions(plan, role); !status)
      return status;
  if (Status status = validateProblem(plan); !status)
    return status;
  for (size_t i = 0; i < plan.images.size(); ++i)
    if (plan.images[i].data.empty())
      return Error{"images[" + std::to_string(i) + "]: empty"};
  int64_t bytes = totalBytes(plan);
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    std::string where = "launches[" + std::to_string(i) + "]";
    if (Status status = validateLaunch(plan, plan.launches[i], where); !status)
      return status;
    if (Status status = validateBlocks(plan.launches[i], bytes, where); !status)
      return status;
  }
  return {};
}

} // namespace convmlir
