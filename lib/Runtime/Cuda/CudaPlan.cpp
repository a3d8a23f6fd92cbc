//===- CudaPlan.cpp - launches on a CUDA device ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaPlan.h"

#include "CudaTensorMap.h"

#include <cstring>

namespace convmlir::cuda {

namespace {
/// The parameters of one launch in the form of the driver: an array of
/// pointers to the values, which it copies before the call returns.
class Parameters {
public:
  Status build(const Driver &api, const PlanLaunch &launch,
               std::span<const DeviceAddress> buffers);
  void **data() { return pointers.data(); }

private:
  Status add(const Driver &api, const KernelArgument &argument,
             std::span<const DeviceAddress> buffers);
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
                       std::span<const DeviceAddress> buffers) {
  if (auto *map = std::get_if<TensorMap>(&argument)) {
    maps.emplace_back();
    pointers.push_back(&maps.back());
    DeviceAddress base = buffers[static_cast<size_t>(map->buffer)] +
                         static_cast<uint64_t>(map->byteOffset);
    return encodeTensorMap(api, *map, base, maps.back());
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
                         std::span<const DeviceAddress> buffers) {
  // Reserved, so that the pointers stay valid.
  slots.reserve(launch.arguments.size());
  maps.reserve(launch.arguments.size());
  for (const KernelArgument &argument : launch.arguments)
    if (Status status = add(api, argument, buffers); !status)
      return status;
  return {};
}

static LaunchConfig makeConfig(const PlanLaunch &launch, Stream stream) {
  LaunchConfig config{};
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<unsigned>(launch.grid[i]);
    config.block[i] = static_cast<unsigned>(launch.block[i]);
  }
  config.sharedBytes = static_cast<unsigned>(launch.dynamicSharedBytes);
  config.stream = stream;
  return config;
}

static Code launchPlain(const Driver &api, Function function,
                        const LaunchConfig &c, void **parameters) {
  return api.launchKernel(function, c.grid[0], c.grid[1], c.grid[2], c.block[0],
                          c.block[1], c.block[2], c.sharedBytes, c.stream,
                          parameters, nullptr);
}

static Code launchClustered(const Driver &api, Function function,
                            LaunchConfig config, const Dim3 &cluster,
                            void **parameters) {
  LaunchAttribute attribute{};
  attribute.id = launchCluster;
  for (size_t i = 0; i < 3; ++i)
    attribute.value.cluster[i] = static_cast<unsigned>(cluster[i]);
  config.attributes = &attribute;
  config.attributeCount = 1;
  return api.launchKernelEx(&config, function, parameters, nullptr);
}

static std::string toText(const Dim3 &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" +
         std::to_string(dim[2]);
}

Status CudaPlan::loadFunctions() {
  if (Status status = context->enter(); !status)
    return status;
  for (const PlanLaunch &launch : plan.launches) {
    Result<Function> function = modules.getFunction(launch);
    if (!function)
      return function.takeError();
    functions.push_back(*function);
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
  Parameters parameters;
  if (Status status = parameters.build(api, launch, buffers); !status)
    return status;
  bool clustered = launch.cluster != Dim3{1, 1, 1};
  if (clustered && !api.launchKernelEx)
    return Error{"kernel '" + launch.kernel +
                 "' needs clusters, which this CUDA driver does not know"};
  LaunchConfig config = makeConfig(launch, stream);
  Code code =
      clustered ? launchClustered(api, functions[index], config, launch.cluster,
                                  parameters.data())
                : launchPlain(api, functions[index], config, parameters.data());
  // The text is built for failures only: this is the path that is timed.
  if (code == success)
    return {};
  return api.check(code, "launch '" + launch.kernel + "' (grid " +
                             toText(launch.grid) + ", block " +
                             toText(launch.block) + ", cluster " +
                             toText(launch.cluster) + ", " +
                             std::to_string(launch.dynamicSharedBytes) +
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
