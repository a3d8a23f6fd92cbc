//===- DeadlockReport.cpp - why nobody can run ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DeadlockReport.h.
//
//===----------------------------------------------------------------------===//

#include "DeadlockReport.h"

#include <cstdio>

namespace convmlir::emu {

/// Groups beyond this many are only counted: the first ones tell the story.
static constexpr unsigned kMaxGroups = 24;

static std::string describeGroup(const Warp &warp, const Thread &first,
                                 uint32_t lanes) {
  char text[400];
  const SpecialRegisters &r = first.registers;
  int length =
      std::snprintf(text, sizeof text, "\n  cta (%u,%u,%u) warp %u lanes %08x ",
                    r.ctaid[0], r.ctaid[1], r.ctaid[2], warp.index, lanes);
  const Site *site = first.blockedAt;
  std::string detail = site->describeWait(first);
  return std::string(text, length) + "wait in " + site->op + " at " +
         site->location + (detail.empty() ? "" : " " + detail);
}

static bool waitAlike(const Thread &a, const Thread &b) {
  return a.blockedAt == b.blockedAt && a.awaited == b.awaited;
}

/// Calls `visit(first lane's thread, lanes)` for the lanes of a warp that wait
/// for the same.
template <typename Visit>
static void forEachGroup(const Warp &warp, Visit visit) {
  uint32_t left = warp.live;
  while (left) {
    const Thread *first = nullptr;
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (!(left >> lane & 1))
        continue;
      const Thread *thread = warp.lanes[lane];
      if (!first)
        first = thread;
      if (waitAlike(*thread, *first))
        lanes |= 1u << lane;
    }
    visit(*first, lanes);
    left &= ~lanes;
  }
}

std::string deadlockReport(const Worker &worker) {
  std::string report = "deadlock: no thread can run:";
  unsigned groups = 0;
  for (const Cta &cta : worker.cluster.ctas)
    for (const Warp &warp : cta.warps)
      forEachGroup(warp, [&](const Thread &first, uint32_t lanes) {
        if (++groups <= kMaxGroups)
          report += describeGroup(warp, first, lanes);
      });
  if (groups > kMaxGroups)
    report += "\n  and " + std::to_string(groups - kMaxGroups) + " more groups";
  uint32_t exited = worker.cluster.threadCount() - worker.cluster.liveThreads;
  if (exited)
    report += "\n  " + std::to_string(exited) + " threads have exited";
  return report;
}

} // namespace convmlir::emu
