//===- EmulatorDevice.cpp - the emulator as a device ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/EmulatorDevice.h"
#include "conv/Emulator/EmulatedTensorMap.h"
#include "conv/Emulator/Emulator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <thread>

using namespace convmlir;

namespace {
/// Launches run at once, so there is never anything to wait for.
class EmulatorDevice : public Device {
public:
  explicit EmulatorDevice(LaunchOptions options) : options(options) {
    deviceInfo.kind = "emulator";
    deviceInfo.name = "emulator";
    deviceInfo.checksBounds = true;
  }

  const DeviceInfo &info() const override { return deviceInfo; }

  Result<DeviceAddress> allocate(int64_t bytes,
                                 const std::string &name) override;
  Status free(DeviceAddress address) override {
    return memory.release(pointerTo(address));
  }
  Status copyToDevice(DeviceAddress to,
                      std::span<const uint8_t> from) override {
    return memory.copyIn(pointerTo(to), from.data(), from.size());
  }
  Status copyToHost(std::span<uint8_t> to, DeviceAddress from) override {
    return memory.copyOut(to.data(), pointerTo(from), to.size());
  }
  Status fill(DeviceAddress address, uint8_t value, int64_t bytes) override;
  Result<std::unique_ptr<LoadedPlan>> load(const Plan &plan) override;
  Status synchronize() override { return {}; }

  std::vector<DeviceCounter> counters() const override;
  void resetCounters() override {
    counted = {};
    poisonedReads = 0;
  }

  /// Runs a kernel to its end.
  Status run(const EmulatedModule &module, const PlanLaunch &launch,
             std::vector<void *> arguments);

private:
  static void *pointerTo(DeviceAddress address) {
    return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
  }

  DeviceInfo deviceInfo;
  LaunchOptions options;
  EmulatorMemory memory;
  EmulatorCounters counted;
  uint64_t poisonedReads = 0;
};

class EmulatorPlan : public LoadedPlan {
public:
  EmulatorPlan(EmulatorDevice &device, const Plan &plan)
      : device(device), plan(plan) {}

  Status compile();
  Status launch(size_t index, std::span<const DeviceAddress> buffers) override;

private:
  Status check(size_t index) const;

  EmulatorDevice &device;
  const Plan &plan;
  std::map<int64_t, std::unique_ptr<EmulatedModule>> modules; ///< By image.
  std::vector<int64_t> imageOf;                               ///< Per launch.
};

/// Gives each kernel argument an address that holds its value, as the driver
/// API wants it.
class ArgumentValues {
public:
  Status add(const KernelArgument &argument,
             std::span<const DeviceAddress> buffers) {
    if (auto *map = std::get_if<TensorMap>(&argument))
      return addMap(*map, buffers);
    uint64_t value = 0;
    if (auto *address = std::get_if<BufferArgument>(&argument))
      value = buffers[static_cast<size_t>(address->buffer)] +
              static_cast<uint64_t>(address->byteOffset);
    else if (auto *number = std::get_if<int32_t>(&argument))
      std::memcpy(&value, number, sizeof(*number));
    else if (auto *number = std::get_if<int64_t>(&argument))
      std::memcpy(&value, number, sizeof(*number));
    else if (auto *number = std::get_if<float>(&argument))
      std::memcpy(&value, number, sizeof(*number));
    else if (auto *number = std::get_if<double>(&argument))
      std::memcpy(&value, number, sizeof(*number));
    values.push_back(value);
    addressList.push_back(&values.back());
    return {};
  }
  const std::vector<void *> &addresses() const { return addressList; }

private:
  Status addMap(const TensorMap &map, std::span<const DeviceAddress> buffers) {
    auto address = buffers[static_cast<size_t>(map.buffer)] +
                   static_cast<uint64_t>(map.byteOffset);
    Result<EmulatedTensorMap> encoded = encodeForEmulator(
        map, reinterpret_cast<void *>(static_cast<uintptr_t>(address)));
    if (!encoded)
      return encoded.takeError();
    maps.push_back(*encoded);
    addressList.push_back(&maps.back());
    return {};
  }

  // Deques: what they hold keeps its address.
  std::deque<uint64_t> values;
  std::deque<EmulatedTensorMap> maps;
  std::vector<void *> addressList;
};
} // namespace

//===----------------------------------------------------------------------===//
// EmulatorDevice
//===----------------------------------------------------------------------===//

Result<DeviceAddress> EmulatorDevice::allocate(int64_t bytes,
                                               const std::string &name) {
  Result<void *> pointer = memory.allocate(static_cast<size_t>(bytes));
  if (!pointer)
    return Error{name + ": " + pointer.error()};
  return static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(*pointer));
}

Status EmulatorDevice::fill(DeviceAddress address, uint8_t value,
                            int64_t bytes) {
  if (!memory.find(pointerTo(address), static_cast<size_t>(bytes)))
    return Error{"fill of " + std::to_string(bytes) +
                 " bytes outside of every buffer"};
  std::memset(pointerTo(address), value, static_cast<size_t>(bytes));
  return {};
}

Result<std::unique_ptr<LoadedPlan>> EmulatorDevice::load(const Plan &plan) {
  auto loaded = std::make_unique<EmulatorPlan>(*this, plan);
  if (Status status = loaded->compile(); !status)
    return status.takeError();
  return std::unique_ptr<LoadedPlan>(std::move(loaded));
}

std::vector<DeviceCounter> EmulatorDevice::counters() const {
  return {{"mma_flops", counted.mmaFlops},
          {"mma_instructions", counted.mmaInstructions},
          {"wgmma_instructions", counted.wgmmaInstructions},
          {"global_load_bytes", counted.globalLoadBytes},
          {"global_store_bytes", counted.globalStoreBytes},
          {"bulk_load_bytes", counted.bulkLoadBytes},
          {"bulk_store_bytes", counted.bulkStoreBytes},
          {"global_load_sectors", counted.globalLoadSectors},
          {"global_store_sectors", counted.globalStoreSectors},
          {"shared_wavefronts", counted.sharedWavefronts},
          {"shared_bank_conflicts", counted.sharedBankConflicts},
          {"barriers", counted.barriers},
          {"poisoned_reads", poisonedReads}};
}

static std::array<uint32_t, 3> toExtents(const Dim3 &dims) {
  return {static_cast<uint32_t>(dims[0]), static_cast<uint32_t>(dims[1]),
          static_cast<uint32_t>(dims[2])};
}

static LaunchGeometry geometryOf(const PlanLaunch &launch) {
  LaunchGeometry geometry;
  geometry.grid = toExtents(launch.grid);
  geometry.block = toExtents(launch.block);
  geometry.cluster = toExtents(launch.cluster);
  geometry.dynamicSharedBytes =
      static_cast<uint32_t>(launch.dynamicSharedBytes);
  geometry.waits = launch.waits;
  return geometry;
}

Status EmulatorDevice::run(const EmulatedModule &module,
                           const PlanLaunch &launch,
                           std::vector<void *> arguments) {
  Result<LaunchReport> report = module.launch(
      launch.kernel, geometryOf(launch), arguments.data(), memory, options);
  if (!report)
    return report.takeError();
  counted += report->counters;
  poisonedReads += report->poisonedReads;
  if (!report->fault.empty())
    return Error{"kernel " + launch.kernel + ": " + report->fault};
  return {};
}

//===----------------------------------------------------------------------===//
// EmulatorPlan
//===----------------------------------------------------------------------===//

Status EmulatorPlan::compile() {
  for (const PlanLaunch &launch : plan.launches) {
    auto image = std::ranges::find_if(launch.images, [&](int64_t index) {
      return plan.images[static_cast<size_t>(index)].kind == ImageKind::Nvvm;
    });
    if (image == launch.images.end())
      return Error{"kernel " + launch.kernel +
                   ": the plan has no nvvm image, which the emulator runs"};
    imageOf.push_back(*image);
    if (modules.contains(*image))
      continue;
    const Bytes &data = plan.images[static_cast<size_t>(*image)].data;
    std::string_view text(reinterpret_cast<const char *>(data.data()),
                          data.size());
    std::string name = "image " + std::to_string(*image);
    // Its reader trusts what it reads more than the parser does.
    if (text.starts_with("ML\xEFR"))
      return Error{"emulator: " + name +
                   ": expected the text of a module, got bytecode"};
    auto module = compileForEmulator(text, name);
    if (!module)
      return module.takeError();
    modules[*image] = std::move(*module);
  }
  for (size_t i = 0; i < plan.launches.size(); ++i)
    if (Status status = check(i); !status)
      return status;
  return {};
}

/// How a kernel must take an argument of a plan, and in how many bytes.
static std::pair<EmulatedArgumentKind, uint32_t>
passingOf(const KernelArgument &argument) {
  constexpr uint32_t word = 4, twoWords = 8;
  if (std::holds_alternative<TensorMap>(argument))
    return {EmulatedArgumentKind::TensorMap, sizeof(EmulatedTensorMap)};
  if (std::holds_alternative<BufferArgument>(argument))
    return {EmulatedArgumentKind::Pointer, twoWords};
  bool isWord = std::holds_alternative<int32_t>(argument) ||
                std::holds_alternative<float>(argument);
  return {EmulatedArgumentKind::Scalar, isWord ? word : twoWords};
}

static std::string describe(EmulatedArgumentKind kind, uint32_t bytes) {
  if (kind == EmulatedArgumentKind::TensorMap)
    return "a tensor map";
  if (kind == EmulatedArgumentKind::Pointer)
    return "an address";
  return "a number of " + std::to_string(bytes) + " bytes";
}

/// That the kernel can be launched with what the plan gives it.
Status EmulatorPlan::check(size_t index) const {
  const PlanLaunch &launch = plan.launches[index];
  Result<EmulatedKernelInfo> kernel =
      modules.at(imageOf[index])->check(launch.kernel, geometryOf(launch));
  if (!kernel)
    return kernel.takeError();
  size_t count = launch.arguments.size();
  if (kernel->argumentKinds.size() != count)
    return Error{"kernel " + launch.kernel + ": expected " +
                 std::to_string(kernel->argumentKinds.size()) +
                 " arguments, the plan has " + std::to_string(count)};
  for (size_t i = 0; i < count; ++i) {
    if (auto *map = std::get_if<TensorMap>(&launch.arguments[i]))
      if (auto encoded = encodeForEmulator(*map, nullptr); !encoded)
        return Error{"kernel " + launch.kernel + ": argument " +
                     std::to_string(i) + ": " + encoded.error()};
    auto [kind, bytes] = passingOf(launch.arguments[i]);
    if (kind != kernel->argumentKinds[i] || bytes != kernel->argumentBytes[i])
      return Error{
          "kernel " + launch.kernel + ": argument " + std::to_string(i) +
          ": expected " +
          describe(kernel->argumentKinds[i], kernel->argumentBytes[i]) +
          ", the plan has " + describe(kind, bytes)};
  }
  return {};
}

Status EmulatorPlan::launch(size_t index,
                            std::span<const DeviceAddress> buffers) {
  const PlanLaunch &launch = plan.launches[index];
  const EmulatedModule &module = *modules.at(imageOf[index]);
  ArgumentValues values;
  for (const KernelArgument &argument : launch.arguments)
    if (Status status = values.add(argument, buffers); !status)
      return status;
  return device.run(module, launch, values.addresses());
}

std::unique_ptr<Device> convmlir::createEmulatorDevice(LaunchOptions options) {
  if (options.hostThreads == 0)
    options.hostThreads = std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<EmulatorDevice>(options);
}
