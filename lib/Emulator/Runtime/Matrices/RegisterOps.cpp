//===- RegisterOps.cpp - setmaxnreg ---------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RegisterOps.h.
//
//===----------------------------------------------------------------------===//

#include "RegisterOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Rendezvous.h"

namespace convmlir::emu {

/// Registers are given to whole warps, in units of eight for each thread.
static constexpr uint32_t kUnit = 8;
static constexpr uint32_t kLeast = 24;
static constexpr uint32_t kMost = 256;

uint32_t registersAtLaunch(uint32_t threads, uint32_t workgroups,
                           uint32_t limit) {
  uint32_t warps = (threads + kWarpSize - 1) / kWarpSize * workgroups;
  // Of the chip whose kernels move them.
  auto all = static_cast<uint32_t>(getFullestChip().registersPerSM);
  uint32_t registers = all / (warps * kWarpSize);
  if (limit)
    registers = std::min(registers, limit);
  return std::min(registers / kUnit * kUnit, kMost);
}

std::string SetRegistersSite::describeWait(const Thread &thread) const {
  for (const RegisterPool::Request &request : thread.cta->registers.waiting)
    if (request.warp == thread.warp)
      return "for " + std::to_string(request.registers) +
             " registers; the workgroup has " +
             std::to_string(thread.cta->registers.free) + " free ones";
  return {};
}

/// Serves those who wait, in their order.
static void serve(RegisterPool &pool) {
  while (!pool.waiting.empty()) {
    RegisterPool::Request request = pool.waiting.front();
    if (request.registers > pool.free)
      return;
    pool.free -= request.registers;
    pool.waiting.pop_front();
    wake(*request.warp, request.warp->present);
  }
}

static void checkCount(Thread &thread, const SetRegistersSite &site) {
  uint32_t held = thread.warp->registers;
  if (site.registers < kLeast || site.registers > kMost ||
      site.registers % kUnit)
    fault(thread, site,
          "%u registers; a multiple of %u from %u to %u is needed",
          site.registers, kUnit, kLeast, kMost);
  if (!site.increase && site.registers > held)
    fault(thread, site, "decreases to %u registers, but the warp has %u",
          site.registers, held);
}

void setRegisters(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const SetRegistersSite &>(*base);
  Warp &warp = *thread->warp;
  if (!joinRendezvous(*thread, site, warp.present))
    return block(*thread, site);
  checkCount(*thread, site);
  RegisterPool &pool = thread->cta->registers;
  uint32_t held = warp.registers;
  warp.registers =
      site.increase ? std::max(held, site.registers) : site.registers;
  if (site.increase) {
    pool.waiting.push_back({&warp, (warp.registers - held) * kWarpSize});
  } else {
    pool.free += (held - warp.registers) * kWarpSize;
    wake(warp, warp.present);
  }
  serve(pool);
  // Like the other lanes, this one goes on when the warp is woken.
  block(*thread, site);
}

} // namespace convmlir::emu
