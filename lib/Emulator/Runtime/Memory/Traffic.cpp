//===- Traffic.cpp - sectors and bank conflicts ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Traffic.h.
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include <algorithm>

namespace convmlir::emu {

static constexpr uint32_t kSectorBytes = 32;
static constexpr uint32_t kBanks = 32;
static constexpr uint32_t kBankBytes = 4;

/// Open requests per site after which the oldest is counted as it is.
static constexpr size_t kMaxOpenRequests = 64;

//===----------------------------------------------------------------------===//
// One request
//===----------------------------------------------------------------------===//

static unsigned countSectors(const uint64_t *addresses, unsigned count,
                             uint32_t bytes) {
  std::array<uint64_t, 2 * kWarpSize> sectors;
  unsigned distinct = 0;
  auto add = [&](uint64_t sector) {
    // Neighbouring lanes mostly share a sector: look at the newest first.
    for (unsigned i = distinct; i > 0; --i)
      if (sectors[i - 1] == sector)
        return;
    if (distinct < sectors.size())
      sectors[distinct++] = sector;
  };
  for (unsigned i = 0; i < count; ++i) {
    add(addresses[i] / kSectorBytes);
    add((addresses[i] + bytes - 1) / kSectorBytes);
  }
  return distinct;
}

/// Whether no two lanes of a phase touch the same bank: the usual case, cheap
/// to see. Accesses are aligned, so that a lane's words do not wrap around.
static bool isConflictFree(const uint64_t *addresses, unsigned count,
                           uint32_t wordsPerLane) {
  uint64_t laneBanks = (uint64_t(1) << wordsPerLane) - 1, used = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t banks = laneBanks << (addresses[i] / kBankBytes % kBanks);
    if (used & banks)
      return false;
    used |= banks;
  }
  return true;
}

/// The passes that lanes of one phase need: the largest number of distinct
/// words in a bank.
static unsigned countPasses(const uint64_t *addresses, unsigned count,
                            uint32_t wordsPerLane) {
  if (isConflictFree(addresses, count, wordsPerLane))
    return 1;
  std::array<uint64_t, kWarpSize> words;
  std::array<uint8_t, kBanks> load{};
  unsigned distinct = 0;
  uint8_t most = 1;
  for (unsigned i = 0; i < count; ++i)
    for (uint32_t w = 0; w < wordsPerLane; ++w) {
      uint64_t word = addresses[i] / kBankBytes + w;
      auto *end = words.data() + distinct;
      if (std::find(words.data(), end, word) != end)
        continue;
      words[distinct++] = word;
      most = std::max(most, ++load[word % kBanks]);
    }
  return most;
}

void countSharedPasses(const uint64_t *addresses, unsigned count,
                       uint32_t bytes, EmulatorCounters &counters) {
  uint32_t wordsPerLane =
      std::clamp((bytes + kBankBytes - 1) / kBankBytes, 1u, 4u);
  // A pass moves 128 bytes, so wide accesses go in two or four phases.
  unsigned lanesPerPhase = kWarpSize / wordsPerLane;
  for (unsigned first = 0; first < count; first += lanesPerPhase) {
    unsigned lanes = std::min(lanesPerPhase, count - first);
    unsigned passes = countPasses(addresses + first, lanes, wordsPerLane);
    counters.sharedWavefronts += passes;
    counters.sharedBankConflicts += passes - 1;
  }
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

void TrafficLog::reset(uint32_t siteCount) {
  if (logs.size() != 2 * size_t(siteCount))
    logs.assign(2 * size_t(siteCount), SiteLog());
  for (uint32_t index : touched) {
    SiteLog &log = logs[index];
    log.touched = false;
    log.executions.fill(0);
    log.counted = 0;
    log.open.clear();
    log.head = 0;
  }
  touched.clear();
}

void TrafficLog::record(TrafficKind kind, uint32_t site, unsigned lane,
                        uint64_t address, uint32_t bytes, uint32_t live,
                        EmulatorCounters &counters) {
  uint32_t index = 2 * site + (kind == TrafficKind::Shared);
  SiteLog &log = logs[index];
  if (!log.touched) {
    log.touched = true;
    touched.push_back(index);
    log.kind = kind;
    log.bytes = bytes;
  }
  // A lane that was left behind when a request was counted joins the next one.
  uint32_t &execution = log.executions[lane];
  execution = std::max(execution, log.counted);
  size_t position = log.head + (execution++ - log.counted);
  if (position == log.open.size())
    log.open.emplace_back();
  Request &request = log.open[position];
  request.lanes |= 1u << lane;
  request.addresses[lane] = address;
  bool complete = position == log.head && request.lanes == live;
  if (complete || log.open.size() - log.head > kMaxOpenRequests)
    countPrefix(log, 1, counters);
}

void TrafficLog::flush(EmulatorCounters &counters) {
  for (uint32_t index : touched) {
    SiteLog &log = logs[index];
    countPrefix(log, log.open.size() - log.head, counters);
  }
}

void TrafficLog::countRequest(const SiteLog &log, const Request &request,
                              EmulatorCounters &counters) {
  std::array<uint64_t, kWarpSize> addresses;
  unsigned count = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (request.lanes >> lane & 1)
      addresses[count++] = request.addresses[lane];
  if (log.kind == TrafficKind::Shared)
    return countSharedPasses(addresses.data(), count, log.bytes, counters);
  unsigned sectors = countSectors(addresses.data(), count, log.bytes);
  if (log.kind == TrafficKind::GlobalLoad)
    counters.globalLoadSectors += sectors;
  else
    counters.globalStoreSectors += sectors;
}

void TrafficLog::countPrefix(SiteLog &log, size_t requests,
                             EmulatorCounters &counters) {
  for (size_t i = 0; i < requests; ++i)
    countRequest(log, log.open[log.head + i], counters);
  log.head += requests;
  log.counted += requests;
  if (log.head == log.open.size() || log.head > kMaxOpenRequests) {
    log.open.erase(log.open.begin(), log.open.begin() + log.head);
    log.head = 0;
  }
}

} // namespace convmlir::emu
