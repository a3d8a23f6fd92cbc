//===- CudaPlan.cpp - launches on a CUDA device ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaPlan.h"

#include "conv/Runtime/Roofline.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace convmlir::cuda {

namespace {
/// The parameters of one launch in the form of the driver: an array of
/// pointers to the values, which it copies before the call returns.
class Parameters {
public:
  Status build(const Driver &api, const PlanLaunch &launch,
               const LoadedLaunch &loaded,
               std::span<const DeviceAddress> buffers);
  void **data() { return pointers.data(); }

private:
  Status add(const Driver &api, const KernelArgument &argument,
             TensorMapCache *cache, std::span<const DeviceAddress> buffers);
  template <typename T> Status addScalar(T value) {
    uint64_t slot = 0;
    std::memcpy(&slot, &value, sizeof value);
    slots.push_back(slot);
    pointers.push_back(&slots.back());
    return {};
  }

  std::vector<uint64_t> slots;
  std::vector<TensorMapBits> maps;
  std::vector<void *> pointers;
};
} // namespace

Status Parameters::add(const Driver &api, const KernelArgument &argument,
                       TensorMapCache *cache,
                       std::span<const DeviceAddress> buffers) {
  if (auto *map = std::get_if<TensorMap>(&argument)) {
    maps.emplace_back();
    pointers.push_back(&maps.back());
    DeviceAddress base = buffers[static_cast<size_t>(map->buffer)] +
                         static_cast<uint64_t>(map->byteOffset);
    return cache->get(api, *map, base, maps.back());
  }
  if (auto *address = std::get_if<BufferArgument>(&argument))
    return addScalar(buffers[static_cast<size_t>(address->buffer)] +
                     static_cast<uint64_t>(address->byteOffset));
  if (auto *value = std::get_if<int32_t>(&argument))
    return addScalar(*value);
  if (auto *value = std::get_if<int64_t>(&argument))
    return addScalar(*value);
  if (auto *value = std::get_if<float>(&argument))
    return addScalar(*value);
  return addScalar(std::get<double>(argument));
}

Status Parameters::build(const Driver &api, const PlanLaunch &launch,
                         const LoadedLaunch &loaded,
                         std::span<const DeviceAddress> buffers) {
  // Reserved, so that the pointers stay valid.
  slots.reserve(launch.arguments.size());
  maps.reserve(launch.arguments.size());
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    if (Status status =
            add(api, launch.arguments[i], loaded.maps[i].get(), buffers);
        !status)
      return status;
  return {};
}

static LaunchConfig makeConfig(const PlanLaunch &launch,
                               const LoadedLaunch &loaded, Stream stream) {
  LaunchConfig config{};
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<unsigned>(launch.grid[i]);
    config.block[i] = static_cast<unsigned>(launch.block[i]);
  }
  config.sharedBytes = static_cast<unsigned>(loaded.dynamicSharedBytes);
  config.stream = stream;
  return config;
}

static constexpr Dim3 noCluster{1, 1, 1};

static Code launchPlain(const Driver &api, Function function,
                        const LaunchConfig &c, void **parameters) {
  return api.launchKernel(function, c.grid[0], c.grid[1], c.grid[2], c.block[0],
                          c.block[1], c.block[2], c.sharedBytes, c.stream,
                          parameters, nullptr);
}

/// With what cuLaunchKernel does not know.
static Code launchExtended(const Driver &api, const LoadedLaunch &loaded,
                           LaunchConfig config, const Dim3 &cluster,
                           void **parameters) {
  std::array<LaunchAttribute, 2> attributes{};
  config.attributes = attributes.data();
  if (cluster != noCluster) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = launchCluster;
    for (size_t i = 0; i < cluster.size(); ++i)
      attribute.value.cluster[i] = static_cast<unsigned>(cluster[i]);
  }
  if (loaded.ahead) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = launchAhead;
    attribute.value.ahead = 1;
  }
  return api.launchKernelEx(&config, loaded.function, parameters, nullptr);
}

static std::string toText(const Dim3 &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" +
         std::to_string(dim[2]);
}

/// Whether what lies between two kernels is a good part of a run's time, or of
/// that of each of its kernels that wait. Only then is it worth that workgroups
/// are placed where the kernel in front ends first, so that those that read the
/// same are no longer neighbours: a tenth of a run with a bound below 1 µs, 3 %
/// from 3 to 4 µs, but larger ones lose up to a quarter (docs/Performance.md).
static bool areShort(const Plan &plan, const DeviceInfo &info) {
  constexpr double mostUs = 4;
  auto waiting = std::ranges::count(plan.launches, true, &PlanLaunch::waits);
  std::optional<Roofline> bound =
      computeRoofline(info, plan.operandType, plan.flops, plan.leastBytes);
  return bound && bound->boundUs() <= mostUs * static_cast<double>(waiting);
}

/// Drivers from 12.4 on, which let a captured stream have such launches, too.
static bool canLaunchAhead(const Driver &api) {
  return api.launchKernelEx && api.funcGetParamInfo;
}

/// Dynamic shared memory with which a workgroup has a multiprocessor to itself.
/// Of those that begin ahead, two would else share the one that is free first.
static int64_t bytesOfOneAlone(const PlanLaunch &launch,
                               const DeviceInfo &info) {
  constexpr int64_t ofSystem = 1024; // Of each workgroup.
  int64_t alone = info.sharedBytesPerBlock / 2 + ofSystem;
  return std::max(
      launch.dynamicSharedBytes,
      std::min(alone, info.sharedBytesPerBlock - launch.staticSharedBytes));
}

Status CudaPlan::loadFunctions() {
  if (Status status = context->enter(); !status)
    return status;
  const DeviceInfo &info = context->info();
  bool overlaps = canLaunchAhead(context->driver()) && areShort(plan, info);
  for (const PlanLaunch &launch : plan.launches) {
    LoadedLaunch loaded;
    loaded.ahead = overlaps && launch.waits &&
                   launch.grid[0] * launch.grid[1] * launch.grid[2] <=
                       info.multiprocessors;
    loaded.dynamicSharedBytes = loaded.ahead ? bytesOfOneAlone(launch, info)
                                             : launch.dynamicSharedBytes;
    Result<Function> function =
        modules.getFunction(launch, loaded.dynamicSharedBytes);
    if (!function)
      return function.takeError();
    loaded.function = *function;
    for (const KernelArgument &argument : launch.arguments)
      loaded.maps.push_back(std::holds_alternative<TensorMap>(argument)
                                ? std::make_unique<TensorMapCache>()
                                : nullptr);
    launches.push_back(std::move(loaded));
  }
  return {};
}

Status CudaPlan::launch(size_t index, std::span<const DeviceAddress> buffers) {
  if (Status status = context->enter(); !status)
    return status;
  return launchOn(context->stream(), index, buffers);
}

Status CudaPlan::launchOn(Stream stream, size_t index,
                          std::span<const DeviceAddress> buffers) const {
  const Driver &api = context->driver();
  const PlanLaunch &launch = plan.launches[index];
  const LoadedLaunch &loaded = launches[index];
  Parameters parameters;
  if (Status status = parameters.build(api, launch, loaded, buffers); !status)
    return status;
  if (launch.cluster != noCluster && !api.launchKernelEx)
    return Error{"kernel '" + launch.kernel +
                 "' needs clusters, which this CUDA driver does not know"};
  LaunchConfig config = makeConfig(launch, loaded, stream);
  Code code =
      launch.cluster != noCluster || loaded.ahead
          ? launchExtended(api, loaded, config, launch.cluster,
                           parameters.data())
          : launchPlain(api, loaded.function, config, parameters.data());
  // The text is built for failures only: this is the path that is timed.
  if (code == success)
    return {};
  return api.check(code, "launch '" + launch.kernel + "' (grid " +
                             toText(launch.grid) + ", block " +
                             toText(launch.block) + ", cluster " +
                             toText(launch.cluster) + ", " +
                             std::to_string(loaded.dynamicSharedBytes) +
                             " bytes of dynamic shared memory)");
}

Result<std::unique_ptr<CudaPlan>>
CudaPlan::load(std::shared_ptr<const CudaContext> context, const Plan &plan) {
  std::unique_ptr<CudaPlan> loaded(new CudaPlan(std::move(context), plan));
  if (Status status = loaded->loadFunctions(); !status)
    return status.takeError();
  return loaded;
}

} // namespace convmlir::cuda
