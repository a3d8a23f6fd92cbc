//===- Traffic.h - sectors and bank conflicts -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fibers execute a load lane by lane, hardware executes it for a warp. The log
// puts the n-th execution of an op by each lane together into one request, and
// counts what the memory system would do for it: 32-byte sectors, or passes
// over the 32 banks of shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_TRAFFIC_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_TRAFFIC_H

#include "Runtime/Machine/ThreadAbi.h"
#include "conv/Emulator/LaunchOptions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convmlir::emu {

enum class TrafficKind : uint8_t { GlobalLoad, GlobalStore, Shared };

/// Counts the passes for `count` lanes that access `bytes` bytes each at
/// `addresses`; lanes that read the same word share a pass.
void countSharedPasses(const uint64_t *addresses, unsigned count,
                       uint32_t bytes, EmulatorCounters &counters);

/// The accesses of one warp that are not counted yet.
class TrafficLog {
public:
  /// Starts over for a module of `siteCount` sites.
  void reset(uint32_t siteCount);

  /// Notes an access of one lane. `live`: the lanes of the warp that still run.
  void record(TrafficKind kind, uint32_t site, unsigned lane, uint64_t address,
              uint32_t bytes, uint32_t live, EmulatorCounters &counters);

  /// Counts requests in which not all lanes took part. Called where lanes are
  /// known to be together again: at barriers and at the end.
  void flush(EmulatorCounters &counters);

private:
  struct Request {
    uint32_t lanes = 0;
    std::array<uint64_t, kWarpSize> addresses;
  };
  struct SiteLog {
    TrafficKind kind = TrafficKind::GlobalLoad;
    uint32_t bytes = 0;
    bool touched = false;
    /// Executions so far, per lane and of requests already counted.
    std::array<uint32_t, kWarpSize> executions{};
    uint32_t counted = 0;
    /// Requests not counted yet, from position `head` on.
    std::vector<Request> open;
    size_t head = 0;
  };

  static void countRequest(const SiteLog &log, const Request &request,
                           EmulatorCounters &counters);
  static void countPrefix(SiteLog &log, size_t requests,
                          EmulatorCounters &counters);

  /// Two per site: an asynchronous copy is an access to both memories.
  std::vector<SiteLog> logs;
  std::vector<uint32_t> touched;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_TRAFFIC_H
