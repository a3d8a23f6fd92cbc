//===- WgmmaOps.cpp - wgmma and its groups --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WgmmaOps.h.
//
//===----------------------------------------------------------------------===//

#include "WgmmaOps.h"
#include "RegisterMatrix.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Scheduler.h"
#include "WgmmaReads.h"

#include <limits>

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static Warpgroup &warpgroupOf(Thread &thread, const Site &site) {
  Warpgroup &group = *thread.warpgroup;
  if ((group.index + 1) * kWarpgroupSize > thread.cta->threads.size())
    fault(thread, site, "the thread's warpgroup has fewer than %u threads",
          kWarpgroupSize);
  return group;
}

[[noreturn]] static void stepFault(Thread &thread, const WarpgroupStep &step,
                                   const WarpgroupStep &own) {
  if (step.site != own.site)
    fault(thread, *own.site,
          "divergent warpgroup: another thread of it is at %s at %s instead",
          step.site->op.c_str(), step.site->location.c_str());
  fault(
      thread, *own.site,
      "divergent warpgroup: descriptors %016llx and %016llx here, %016llx and "
      "%016llx in another thread",
      static_cast<unsigned long long>(own.a),
      static_cast<unsigned long long>(own.b),
      static_cast<unsigned long long>(step.a),
      static_cast<unsigned long long>(step.b));
}

/// Brings the thread to its next step. `begin(step)` completes the step for the
/// first thread; `own` gets its result and registers. Returns whether this
/// thread is the last one.
template <typename Begin>
static bool join(Thread &thread, Warpgroup &group, WarpgroupStep &own,
                 Begin begin) {
  uint64_t position = thread.wgmmaSteps++ - group.firstStep;
  if (position == group.steps.size()) {
    begin(own);
    group.steps.push_back(own);
  }
  WarpgroupStep &step = group.steps[position];
  if (step.site != own.site || step.a != own.a || step.b != own.b ||
      step.accumulator != own.accumulator)
    stepFault(thread, step, own);
  own.result = step.result;
  own.registers = step.registers;
  if (++step.arrived < kWarpgroupSize)
    return false;
  // Threads pass the steps in order, so the first one completes first.
  group.steps.pop_front();
  ++group.firstStep;
  return true;
}

static bool join(Thread &thread, Warpgroup &group, const Site &site) {
  WarpgroupStep own;
  own.site = &site;
  return join(thread, group, own, [](WarpgroupStep &) {});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void execute(Thread &thread, const Wgmma &product) {
  static thread_local WgmmaOperands operands;
  gatherOperands(thread, product, operands);
  AccumulatorFile &file = thread.warpgroup->files.at(product.file);
  if (product.site->clears)
    std::fill(file.numbers.begin(), file.numbers.end(), 0.0f);
  runWgmma(product.site->shape, operands, file.numbers.data());
}

static MatrixDescriptor decode(Thread &thread, const Site &site,
                               uint64_t bits) {
  if (std::optional<MatrixDescriptor> matrix = decodeDescriptor(bits))
    return *matrix;
  fault(thread, site,
        "matrix descriptor %016llx has bits that mean nothing: an address or "
        "offset has overflown its field",
        static_cast<unsigned long long>(bits));
}

/// The file that a wgmma updates, with the content that its operand says.
static AccumulatorFile &prepareFile(Thread &thread, const WgmmaSite &site,
                                    const WarpgroupStep &step) {
  Warpgroup &group = *thread.warpgroup;
  AccumulatorFile &file = group.files.at(step.result.file());
  if (!group.fenced)
    fault(thread, site, "no wgmma.fence comes before the first wgmma");
  if (!step.accumulator.hasFile()) {
    float initial = step.accumulator.value() == AccumulatorHandle::kZero
                        ? 0.0f
                        : std::numeric_limits<float>::quiet_NaN();
    std::fill(file.numbers.begin(), file.numbers.end(), initial);
  } else if (step.accumulator.generation() != file.generation) {
    fault(
        thread, site,
        "adds to a value of an accumulator that another wgmma has overwritten "
        "since");
  } else if (file.touched > group.fenced) {
    fault(thread, site,
          "threads accessed the accumulator's registers, with no wgmma.fence "
          "since");
  }
  file.generation = step.result.generation();
  ++file.pending;
  return file;
}

static void issue(Thread &thread, const WgmmaSite &site,
                  const WarpgroupStep &step) {
  Worker &worker = *thread.worker;
  prepareFile(thread, site, step);
  Wgmma product;
  product.site = &site;
  if (step.registers)
    product.registers = step.registers;
  else
    product.a = decode(thread, site, step.a);
  product.b = decode(thread, site, step.b);
  product.file = step.result.file();
  beginReads(thread, product);
  if (worker.options().asyncMode == AsyncMode::Early)
    execute(thread, product);
  thread.warpgroup->pending.add(std::move(product));
  ++worker.counters.wgmmaInstructions;
  worker.counters.mmaFlops +=
      uint64_t(2) * kWgmmaM * site.shape.n * site.shape.k();
}

static void storeA(const Thread &thread, const WgmmaSite &site,
                   const std::byte *mailbox, RegisterMatrix &matrix) {
  unsigned warp = thread.warp->index % kWarpgroupWarps;
  for (unsigned i = 0; i < RegisterMatrix::kRegisters; ++i)
    matrix.set(warp, thread.lane, i, site.operand<uint32_t>(mailbox, 2 + i));
}

void multiplyAsync(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const WgmmaSite &>(*base);
  Warpgroup &group = warpgroupOf(*thread, site);
  WarpgroupStep step;
  step.site = &site;
  step.accumulator = AccumulatorHandle(site.operand<uint64_t>(mailbox, 0));
  step.b = site.operand<uint64_t>(mailbox, 1);
  if (!site.aInRegisters)
    step.a = site.operand<uint64_t>(mailbox, 2);
  bool isLast = join(*thread, group, step, [&](WarpgroupStep &s) {
    s.result = s.accumulator.hasFile()
                   ? s.accumulator.next()
                   : group.files.allocate(site.index, site.shape.n).next();
    if (site.aInRegisters)
      s.registers = std::make_shared<RegisterMatrix>();
  });
  if (step.registers)
    storeA(*thread, site, mailbox, *step.registers);
  site.setResult(mailbox, step.result.value());
  if (isLast)
    issue(*thread, site, step);
}

//===----------------------------------------------------------------------===//
// Fences and groups
//===----------------------------------------------------------------------===//

void fenceWgmma(Thread *thread, const Site *site, std::byte *) {
  Warpgroup &group = warpgroupOf(*thread, *site);
  if (join(*thread, group, *site))
    group.fenced = group.firstStep;
}

void commitWgmma(Thread *thread, const Site *site, std::byte *) {
  Warpgroup &group = warpgroupOf(*thread, *site);
  if (join(*thread, group, *site))
    group.pending.commit();
}

static void retire(Thread &thread, uint32_t pendingGroups) {
  Warpgroup &group = *thread.warpgroup;
  const LaunchOptions &options = thread.worker->options();
  while (group.pending.committedGroups() > pendingGroups)
    group.pending.retireGroup([&](const Wgmma &product) {
      if (options.asyncMode == AsyncMode::Late)
        execute(thread, product);
      endReads(thread, product);
      --group.files.at(product.file).pending;
    });
  if (!options.detectRaces)
    return;
  VectorClocks &clocks = thread.worker->cluster.clocks;
  group.completedReads = clocks.stamp(group.slot);
  clocks.advance(group.slot);
}

void waitForWgmma(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const WgmmaWaitSite &>(*base);
  Warpgroup &group = warpgroupOf(*thread, site);
  if (join(*thread, group, site)) {
    retire(*thread, site.pendingGroups);
    unsigned first = group.index * kWarpgroupWarps;
    for (unsigned i = first; i < first + kWarpgroupWarps; ++i) {
      Warp &warp = thread->cta->warps[i];
      bool own = &warp == thread->warp;
      wake(warp, warp.present & ~(own ? thread->laneBit() : 0));
    }
  } else {
    block(*thread, site);
  }
  if (thread->worker->options().detectRaces)
    thread->worker->cluster.clocks.learn(thread->slot, group.completedReads);
}

void checkWgmmaWaitedFor(Thread &thread) {
  if (thread.wgmmaSteps && !thread.warpgroup->pending.empty())
    fault(thread, *thread.warpgroup->pending.front().site,
          "the warpgroup ends with wgmma that it never waited for");
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Where element `element` of a thread is in the 64 x n accumulator.
static uint32_t positionOf(const Thread &thread, unsigned element, unsigned n) {
  unsigned warp = thread.warp->index % kWarpgroupWarps;
  unsigned row = warp * 16 + thread.lane / 4 + element / 2 % 2 * 8;
  unsigned column = element / 4 * 8 + thread.lane % 4 * 2 + element % 2;
  return row * n + column;
}

static void checkReadable(Thread &thread, const Site &site,
                          AccumulatorHandle handle,
                          const AccumulatorFile &file) {
  if (handle.generation() < file.generation)
    fault(thread, site,
          "reads a value of an accumulator that another wgmma has overwritten "
          "since");
  if (handle.generation() > file.generation || file.pending)
    fault(thread, site,
          "reads an accumulator that a wgmma which is not waited for writes");
}

void readAccumulator(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const AccumulatorReadSite &>(*base);
  AccumulatorHandle handle(site.operand<uint64_t>(mailbox, 0));
  if (!handle.hasFile()) {
    site.setResult(mailbox, handle.value() == AccumulatorHandle::kZero
                                ? 0.0f
                                : std::numeric_limits<float>::quiet_NaN());
    return;
  }
  AccumulatorFile &file = thread->warpgroup->files.at(handle.file());
  checkReadable(*thread, site, handle, file);
  file.touched = std::max(file.touched, thread->wgmmaSteps);
  site.setResult(mailbox,
                 file.numbers[positionOf(*thread, site.element, file.n)]);
}

void writeAccumulator(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const AccumulatorWriteSite &>(*base);
  Warpgroup &group = warpgroupOf(*thread, site);
  WarpgroupStep step;
  step.site = &site;
  bool isLast = join(*thread, group, step, [&](WarpgroupStep &s) {
    s.result = group.files.allocate(site.index, site.n);
  });
  AccumulatorFile &file = group.files.at(step.result.file());
  if (file.pending)
    fault(*thread, site,
          "writes an accumulator that a wgmma which is not waited for writes");
  const std::byte *elements = mailbox + site.operandOffsets[0];
  for (unsigned i = 0; i < site.n / 2; ++i)
    std::memcpy(&file.numbers[positionOf(*thread, i, site.n)],
                elements + i * sizeof(float), sizeof(float));
  file.touched = std::max(file.touched, thread->wgmmaSteps);
  if (isLast)
    file.generation = step.result.generation();
  site.setResult(mailbox, step.result.value());
}

} // namespace convmlir::emu
