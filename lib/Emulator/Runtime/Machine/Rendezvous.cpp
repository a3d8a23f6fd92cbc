//===- Rendezvous.cpp - collectives of a warp -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Rendezvous.h.
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"
#include "Fault.h"

namespace convmlir::emu {

static void checkMask(Thread &thread, const Site &site, uint32_t mask) {
  const Warp &warp = *thread.warp;
  if (!(mask & thread.laneBit()))
    fault(thread, site, "the lane is not in its own mask %08x", mask);
  if (mask & ~warp.present)
    fault(thread, site, "needs lanes %08x, but the warp has only lanes %08x",
          mask, warp.present);
  if (mask & ~warp.live)
    fault(thread, site, "needs lanes %08x, but lanes %08x have exited", mask,
          mask & ~warp.live);
}

static Rendezvous *findOverlap(Warp &warp, uint32_t mask) {
  for (unsigned i = 0; i < warp.pendingCount; ++i)
    if (warp.pending[i].mask & mask)
      return &warp.pending[i];
  return nullptr;
}

bool joinRendezvous(Thread &thread, const Site &site, uint32_t mask) {
  Warp &warp = *thread.warp;
  checkMask(thread, site, mask);
  Rendezvous *meeting = findOverlap(warp, mask);
  if (!meeting) {
    meeting = &warp.pending[warp.pendingCount++];
    *meeting = {&site, mask, 0};
  }
  if (meeting->site != &site)
    fault(thread, site,
          "divergent warp: lanes %08x wait for this lane in %s at %s",
          meeting->arrived, meeting->site->op.c_str(),
          meeting->site->location.c_str());
  if (meeting->mask != mask)
    fault(thread, site, "mask %08x here, but %08x in lanes %08x", mask,
          meeting->mask, meeting->arrived);
  meeting->arrived |= thread.laneBit();
  if (meeting->arrived != mask)
    return false;
  *meeting = warp.pending[--warp.pendingCount];
  return true;
}

void checkExitOutsideRendezvous(Thread &thread) {
  Warp &warp = *thread.warp;
  if (Rendezvous *meeting = findOverlap(warp, thread.laneBit()))
    fault(thread, *meeting->site,
          "divergent warp: lanes %08x wait here for a lane that exits",
          meeting->arrived);
}

} // namespace convmlir::emu
