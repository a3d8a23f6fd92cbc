//===- CudaModule.cpp - images loaded into a context ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModule.h"

#include <array>

namespace convmlir::cuda {

/// The first line of the compiler's log that is not empty, for a message of one
/// line; the others are mostly repetitions of "fatal: aborted".
static std::string firstLine(const std::string &log) {
  size_t begin = log.find_first_not_of(" \n\r\t");
  if (begin == std::string::npos)
    return {};
  return log.substr(begin, log.find_first_of("\r\n", begin) - begin);
}

/// Loads a cubin, or compiles PTX; the log of a failed compilation is part of
/// the error.
static Result<Module> loadImage(const Driver &api, const PlanImage &image) {
  // PTX is a C string.
  Bytes data = image.data;
  data.push_back(0);
  std::array<char, 8192> log{};
  int options[] = {jitErrorLog, jitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  Module module = nullptr;
  Code code = api.moduleLoadDataEx(&module, data.data(), 2, options, values);
  Status status =
      api.check(code, std::string("load a ") + toString(image.kind));
  if (status)
    return module;
  log.back() = 0;
  std::string line = firstLine(log.data());
  return Error{status.error() + (line.empty() ? "" : ": " + line)};
}

Result<Module> ModuleCache::getModule(int64_t image) {
  auto known = modules.find(image);
  if (known == modules.end()) {
    Result<Module> module =
        loadImage(context->driver(), plan.images[static_cast<size_t>(image)]);
    known = modules.emplace(image, std::move(module)).first;
  }
  return known->second;
}

ModuleCache::~ModuleCache() {
  if (!context->enter())
    return;
  for (auto &[image, module] : modules)
    if (module)
      context->driver().moduleUnload(*module);
}

Result<Function> ModuleCache::find(int64_t image, const std::string &kernel) {
  Result<Module> module = getModule(image);
  if (!module)
    return module.takeError();
  const Driver &api = context->driver();
  Function function = nullptr;
  if (Status status =
          api.check(api.moduleGetFunction(&function, *module, kernel.c_str()),
                    "find the kernel '" + kernel + "'");
      !status)
    return status.takeError();
  return function;
}

/// Dynamic shared memory beyond 48 KB, and clusters beyond 8 blocks, must be
/// allowed per kernel. A kernel of several launches gets the largest.
Status ModuleCache::allowShared(Function function, const PlanLaunch &launch,
                                int64_t dynamicSharedBytes) {
  const Driver &api = context->driver();
  int64_t &allowed = sharedBytes[function];
  if (dynamicSharedBytes > allowed) {
    allowed = dynamicSharedBytes;
    if (Status status = api.check(
            api.funcSetAttribute(function, functionDynamicSharedBytes,
                                 static_cast<int>(allowed)),
            "give " + std::to_string(allowed) + " bytes of shared memory to '" +
                launch.kernel + "' (the device has " +
                std::to_string(context->info().sharedBytesPerBlock) +
                " per block)");
        !status)
      return status;
  }
  constexpr int64_t portableCluster = 8;
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] <=
      portableCluster)
    return {};
  return api.check(api.funcSetAttribute(function, functionLargeClusters, 1),
                   "allow clusters of more than 8 blocks to '" + launch.kernel +
                       "'");
}

static size_t sizeOf(const KernelArgument &argument) {
  if (std::holds_alternative<int32_t>(argument) ||
      std::holds_alternative<float>(argument))
    return 4;
  return std::holds_alternative<TensorMap>(argument) ? sizeof(TensorMapBits)
                                                     : 8;
}

/// A launch with too few parameters would make the driver read past their end.
/// Drivers before 12.4 cannot be asked.
Status ModuleCache::checkParameters(Function function,
                                    const PlanLaunch &launch) const {
  const Driver &api = context->driver();
  if (!api.funcGetParamInfo)
    return {};
  size_t count = launch.arguments.size(), offset = 0, size = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t given = sizeOf(launch.arguments[i]);
    if (api.funcGetParamInfo(function, i, &offset, &size) != success)
      return Error{"kernel '" + launch.kernel + "' takes " + std::to_string(i) +
                   " parameters, the plan gives " + std::to_string(count)};
    if (size != given)
      return Error{"parameter " + std::to_string(i) + " of kernel '" +
                   launch.kernel + "' has " + std::to_string(size) +
                   " bytes, the plan gives " + std::to_string(given)};
  }
  if (api.funcGetParamInfo(function, count, &offset, &size) == success)
    return Error{"kernel '" + launch.kernel + "' takes more than the " +
                 std::to_string(count) + " parameters of the plan"};
  return {};
}

/// Drivers that load code lazily would do so, and wait for the device, at the
/// first launch. Those before 12.4 cannot be told.
Status ModuleCache::loadNow(Function function, const PlanLaunch &launch) const {
  const Driver &api = context->driver();
  if (!api.funcLoad)
    return {};
  return api.check(api.funcLoad(function),
                   "load the kernel '" + launch.kernel + "'");
}

Result<Function> ModuleCache::getFunction(const PlanLaunch &launch,
                                          int64_t dynamicSharedBytes) {
  std::string reasons;
  for (int64_t image : launch.images) {
    ImageKind kind = plan.images[static_cast<size_t>(image)].kind;
    if (kind == ImageKind::Nvvm)
      continue;
    Result<Function> function = find(image, launch.kernel);
    if (!function) {
      reasons += "; " + function.error();
      continue;
    }
    if (Status status = allowShared(*function, launch, dynamicSharedBytes);
        !status)
      return status.takeError();
    if (Status status = checkParameters(*function, launch); !status)
      return status.takeError();
    if (Status status = loadNow(*function, launch); !status)
      return status.takeError();
    return function;
  }
  return Error{
      "no image of kernel '" + launch.kernel + "', compiled for " +
      plan.target + ", runs on " + describe(context->info()) +
      (reasons.empty() ? ": the plan has neither cubin nor PTX" : reasons)};
}

} // namespace convmlir::cuda
