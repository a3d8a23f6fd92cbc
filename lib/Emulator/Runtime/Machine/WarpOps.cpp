//===- WarpOps.cpp - shuffles, votes, reductions of a warp ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WarpOps.h.
//
//===----------------------------------------------------------------------===//

#include "WarpOps.h"
#include "Fault.h"
#include "Rendezvous.h"

#include <algorithm>
#include <bit>

namespace convmlir::emu {

template <typename Visit> static void forEachLane(uint32_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(unsigned(std::countr_zero(lanes)));
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

/// The source lane by the pseudo-code of the PTX manual; `valid` is its
/// predicate. An invalid source means the lane's own value.
static unsigned sourceLane(ShuffleSite::Kind kind, unsigned lane, int offset,
                           uint32_t clampAndSegment, bool &valid) {
  int clamp = clampAndSegment & 31, segment = clampAndSegment >> 8 & 31;
  int own = int(lane);
  int low = own & segment;
  int high = low | (clamp & ~segment);
  int source = own;
  offset &= 31;
  switch (kind) {
  case ShuffleSite::Kind::Butterfly:
    source = own ^ offset;
    valid = source <= high;
    break;
  case ShuffleSite::Kind::Up:
    source = own - offset;
    valid = source >= high;
    break;
  case ShuffleSite::Kind::Down:
    source = own + offset;
    valid = source <= high;
    break;
  case ShuffleSite::Kind::Index:
    source = low | (offset & ~segment);
    valid = source <= high;
    break;
  }
  return valid ? unsigned(source) : lane;
}

static void shuffleLanes(Warp &warp, const ShuffleSite &site, uint32_t mask) {
  forEachLane(mask, [&](unsigned lane) {
    std::byte *mailbox = warp.mailbox(lane);
    bool valid = false;
    unsigned source =
        sourceLane(site.kind, lane, site.operand<int32_t>(mailbox, 2),
                   site.operand<uint32_t>(mailbox, 3), valid);
    if (!(mask >> source & 1))
      fault(*warp.lanes[lane], site,
            "reads lane %u, which is not in the mask %08x", source, mask);
    site.setResult(mailbox, site.operand<uint32_t>(warp.mailbox(source), 1));
    if (site.withPredicate)
      site.setResult(mailbox, uint8_t(valid), /*byteOffset=*/4);
  });
}

void shuffle(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const ShuffleSite &>(*base);
  auto mask = site.operand<uint32_t>(mailbox, 0);
  rendezvous(*thread, site, mask,
             [&](Warp &warp) { shuffleLanes(warp, site, mask); });
}

//===----------------------------------------------------------------------===//
// vote.sync
//===----------------------------------------------------------------------===//

static uint32_t voteResult(VoteSite::Kind kind, uint32_t ballot,
                           uint32_t mask) {
  switch (kind) {
  case VoteSite::Kind::Any:
    return ballot != 0;
  case VoteSite::Kind::All:
    return ballot == mask;
  case VoteSite::Kind::Uniform:
    return ballot == mask || ballot == 0;
  case VoteSite::Kind::Ballot:
    return ballot;
  }
  return 0;
}

static void voteLanes(Warp &warp, const VoteSite &site, uint32_t mask) {
  uint32_t ballot = 0;
  forEachLane(mask, [&](unsigned lane) {
    bool predicate = site.operand<uint8_t>(warp.mailbox(lane), 1) & 1;
    ballot |= uint32_t(predicate) << lane;
  });
  uint32_t result = voteResult(site.kind, ballot, mask);
  forEachLane(mask, [&](unsigned lane) {
    if (site.kind == VoteSite::Kind::Ballot)
      site.setResult(warp.mailbox(lane), result);
    else
      site.setResult(warp.mailbox(lane), uint8_t(result));
  });
}

void vote(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const VoteSite &>(*base);
  auto mask = site.operand<uint32_t>(mailbox, 0);
  rendezvous(*thread, site, mask,
             [&](Warp &warp) { voteLanes(warp, site, mask); });
}

//===----------------------------------------------------------------------===//
// redux.sync
//===----------------------------------------------------------------------===//

static uint32_t combine(ReduceSite::Kind kind, uint32_t a, uint32_t b) {
  switch (kind) {
  case ReduceSite::Kind::Add:
    return a + b;
  case ReduceSite::Kind::And:
    return a & b;
  case ReduceSite::Kind::Or:
    return a | b;
  case ReduceSite::Kind::Xor:
    return a ^ b;
  case ReduceSite::Kind::Min:
    return uint32_t(std::min(int32_t(a), int32_t(b)));
  case ReduceSite::Kind::Max:
    return uint32_t(std::max(int32_t(a), int32_t(b)));
  case ReduceSite::Kind::UnsignedMin:
    return std::min(a, b);
  case ReduceSite::Kind::UnsignedMax:
    return std::max(a, b);
  }
  return a;
}

static void reduceLanes(Warp &warp, const ReduceSite &site, uint32_t mask) {
  auto value = [&](unsigned lane) {
    return site.operand<uint32_t>(warp.mailbox(lane), 0);
  };
  unsigned first = std::countr_zero(mask);
  uint32_t result = value(first);
  forEachLane(mask & ~(1u << first), [&](unsigned lane) {
    result = combine(site.kind, result, value(lane));
  });
  forEachLane(
      mask, [&](unsigned lane) { site.setResult(warp.mailbox(lane), result); });
}

void reduce(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const ReduceSite &>(*base);
  auto mask = site.operand<uint32_t>(mailbox, 1);
  rendezvous(*thread, site, mask,
             [&](Warp &warp) { reduceLanes(warp, site, mask); });
}

//===----------------------------------------------------------------------===//
// elect.sync and bar.warp.sync
//===----------------------------------------------------------------------===//

static uint32_t maskOf(const MaskedSite &site, const std::byte *mailbox) {
  return site.hasMask ? site.operand<uint32_t>(mailbox, 0) : kFullMask;
}

void elect(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const MaskedSite &>(*base);
  uint32_t mask = maskOf(site, mailbox);
  rendezvous(*thread, site, mask, [&](Warp &warp) {
    forEachLane(mask, [&](unsigned lane) {
      bool elected = lane == unsigned(std::countr_zero(mask));
      site.setResult(warp.mailbox(lane), uint8_t(elected));
    });
  });
}

void syncWarp(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const MaskedSite &>(*base);
  uint32_t mask = maskOf(site, mailbox);
  rendezvous(*thread, site, mask, [&](Warp &warp) {
    VectorClocks &clocks = warp.cta->worker->cluster.clocks;
    if (!warp.cta->worker->options().detectRaces)
      return;
    ClockSum sum;
    forEachLane(mask, [&](unsigned lane) {
      clocks.release(warp.lanes[lane]->slot, sum);
    });
    forEachLane(mask, [&](unsigned lane) {
      clocks.acquire(warp.lanes[lane]->slot, sum);
    });
  });
}

} // namespace convmlir::emu
