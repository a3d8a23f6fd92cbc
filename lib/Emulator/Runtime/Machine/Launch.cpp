//===- Launch.cpp - a launch, over all host threads -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Launch.h.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "ClusterSetup.h"
#include "HostSignals.h"
#include "Scheduler.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>

namespace convmlir {

EmulatorCounters &EmulatorCounters::operator+=(const EmulatorCounters &other) {
  mmaFlops += other.mmaFlops;
  mmaInstructions += other.mmaInstructions;
  wgmmaInstructions += other.wgmmaInstructions;
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  bulkLoadBytes += other.bulkLoadBytes;
  bulkStoreBytes += other.bulkStoreBytes;
  globalLoadSectors += other.globalLoadSectors;
  globalStoreSectors += other.globalStoreSectors;
  sharedWavefronts += other.sharedWavefronts;
  sharedBankConflicts += other.sharedBankConflicts;
  barriers += other.barriers;
  return *this;
}

} // namespace convmlir

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Limits of the largest chip that is emulated, which has clusters.
static constexpr uint64_t kMaxThreads = kMostThreads;
static constexpr uint64_t kMaxClusterCtas = 16;
static const uint64_t kMaxSharedBytes = uint64_t(getMostSharedPerBlock());

static uint64_t volume(const std::array<uint32_t, 3> &extents) {
  return uint64_t(extents[0]) * extents[1] * extents[2];
}

static std::string print(const std::array<uint32_t, 3> &extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

static Error geometryError(const EmulatedKernelInfo &kernel,
                           const std::string &problem) {
  return Error{"emulator: kernel '" + kernel.name + "': " + problem};
}

static Status checkRequired(const EmulatedKernelInfo &kernel, const char *what,
                            const std::array<uint32_t, 3> &required,
                            const std::array<uint32_t, 3> &actual) {
  if (volume(required) == 0 || required == actual)
    return {};
  return geometryError(kernel, std::string(what) + " is " + print(actual) +
                                   ", but the kernel requires " +
                                   print(required));
}

Status checkGeometry(const EmulatedKernelInfo &kernel,
                     const LaunchGeometry &geometry) {
  if (volume(geometry.grid) == 0)
    return geometryError(kernel, "the grid is empty: " + print(geometry.grid));
  uint64_t threads = volume(geometry.block);
  if (threads == 0 || threads > kMaxThreads)
    return geometryError(kernel, "block " + print(geometry.block) + " has " +
                                     std::to_string(threads) +
                                     " threads; 1 to 1024 are possible");
  uint64_t ctas = volume(geometry.cluster);
  if (ctas == 0 || ctas > kMaxClusterCtas)
    return geometryError(kernel, "cluster " + print(geometry.cluster) +
                                     " has " + std::to_string(ctas) +
                                     " workgroups; 1 to 16 are possible");
  for (unsigned i = 0; i < 3; ++i)
    if (geometry.grid[i] % geometry.cluster[i])
      return geometryError(kernel, "grid " + print(geometry.grid) +
                                       " is not a multiple of cluster " +
                                       print(geometry.cluster));
  uint64_t shared =
      uint64_t(kernel.staticSharedBytes) + geometry.dynamicSharedBytes;
  if (shared > kMaxSharedBytes)
    return geometryError(kernel, "needs " + std::to_string(shared) +
                                     " bytes of shared memory; there are " +
                                     std::to_string(kMaxSharedBytes));
  if (Status status =
          checkRequired(kernel, "block", kernel.requiredBlock, geometry.block);
      !status)
    return status;
  return checkRequired(kernel, "cluster", kernel.requiredCluster,
                       geometry.cluster);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Hands out clusters to the workers and collects what they report.
class LaunchRun {
public:
  explicit LaunchRun(const LaunchContext &context) : context(context) {
    const LaunchGeometry &geometry = context.geometry;
    clusterCount = volume(geometry.grid) / volume(geometry.cluster);
    const LaunchOptions &options = context.options;
    nextCluster = std::min(options.firstCluster, clusterCount);
    clusterCount = nextCluster +
                   std::min(clusterCount - nextCluster, options.mostClusters);
  }

  Result<LaunchReport> run();

private:
  void runWorker();
  bool startWorker(std::vector<std::thread> &threads);
  void runClusters(Worker &worker);
  void collect(Worker &worker);

  const LaunchContext &context;
  uint64_t clusterCount; ///< Behind the last one that runs.
  std::atomic<uint64_t> nextCluster{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  Status setup;
  LaunchReport report;
};

} // namespace

void LaunchRun::runClusters(Worker &worker) {
  while (!stop) {
    uint64_t index = nextCluster++;
    if (index >= clusterCount)
      return;
    resetCluster(worker, index);
    runCluster(worker);
    if (worker.faulted)
      stop = true;
  }
}

void LaunchRun::collect(Worker &worker) {
  std::lock_guard<std::mutex> lock(mutex);
  report.counters += worker.counters;
  if (worker.faulted && report.fault.empty())
    report.fault = worker.fault;
  if (worker.poisonedReads && !report.poisonedReads)
    report.firstPoisonedRead = worker.firstPoisonedRead;
  report.poisonedReads += worker.poisonedReads;
}

void LaunchRun::runWorker() {
  SignalStackGuard signalStack;
  auto worker = std::make_unique<Worker>();
  worker->launch = &context;
  if (Status status = buildCluster(*worker); !status) {
    std::lock_guard<std::mutex> lock(mutex);
    setup = status;
    stop = true;
    return;
  }
  runClusters(*worker);
  collect(*worker);
}

/// Where the system gives no more threads, those that there are do the work.
bool LaunchRun::startWorker(std::vector<std::thread> &threads) {
  try {
    threads.emplace_back([this] { runWorker(); });
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

Result<LaunchReport> LaunchRun::run() {
  HostSignalGuard signals;
  auto start = std::chrono::steady_clock::now();
  uint64_t hostThreads = std::max(context.options.hostThreads, 1u);
  std::vector<std::thread> others;
  for (uint64_t i = 1; i < std::min(hostThreads, clusterCount); ++i)
    if (!startWorker(others))
      break;
  runWorker();
  for (std::thread &thread : others)
    thread.join();
  if (!setup)
    return setup.takeError();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  report.seconds = elapsed.count();
  return std::move(report);
}

Result<LaunchReport> runLaunch(const LaunchContext &context) {
  return LaunchRun(context).run();
}

} // namespace convmlir::emu
