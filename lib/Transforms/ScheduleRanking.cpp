//===- ScheduleRanking.cpp - all candidates of an operation ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a convolution. Output: the schedules that selection and tuning choose
// from. Each kind of kernel has its own list and its own model, beside each
// other in SelectSchedule.cpp and HopperSchedule.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRanking.h"
#include "HopperSchedule.h"
#include "MmaShape.h"
#include "TransposedWgrad.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// What the engine that copies the operands forbids.
static std::string whyNoCopy(ConvOpInterface op, ScheduleAttr schedule) {
  return schedule.getCopy() == CopyKind::Tma ? whyNoTma(op, schedule) : "";
}

std::string conv::whyCannotRun(ConvOpInterface op, ScheduleAttr schedule,
                               const ChipInfo &chip) {
  if (op.getGroups() % schedule.getMerge() != 0)
    return formatv("merge ({0}) must divide the {1} groups",
                   schedule.getMerge(), op.getGroups());
  std::string why = whyIllegal(schedule, getGemmShape(op, schedule), chip);
  return why.empty() ? whyNoCopy(op, schedule) : why;
}

/// Why no schedule at all multiplies the type of `op` by wgmma, where the chip
/// has that. What has no tensor cores anyway misses nothing.
static std::string whyNoneIsWgmma(ConvOpInterface op, const ChipInfo &chip) {
  Type factor = op.getFactorType();
  if (chip.name != "sm_90a" || factor.isF32() || factor.isF64())
    return "";
  return whyNoWgmma(
      getGemmShape(op, Algorithm::ImplicitGemm, /*merge=*/1, MmaKind::Wgmma));
}

/// Groups that are worth merging: one, as many as have the channels of an
/// instruction or a line, in whole, and all, if these are few.
static SmallVector<int64_t> getMerges(ConvOpInterface op) {
  convmlir::ConvGeometry geometry = *op.getGeometry();
  int64_t groups = geometry.groups;
  int64_t c = geometry.c / groups, k = geometry.k / groups;
  SmallVector<int64_t> merges = {1};
  auto add = [&](int64_t merge) {
    if (!llvm::is_contained(merges, merge))
      merges.push_back(merge);
  };
  constexpr int64_t mostChannels = 128;
  if (groups * std::max(c, k) <= mostChannels)
    add(groups);
  for (int64_t channels : {16, 32, 64}) {
    std::optional<int64_t> filled, whole;
    for (int64_t merge = 1; merge <= groups; ++merge) {
      if (groups % merge != 0 || merge * std::max(c, k) > mostChannels)
        continue;
      if (!filled && merge * std::min(c, k) >= channels)
        filled = merge;
      if (!whole && merge * c % channels == 0 && merge * k % channels == 0)
        whole = merge;
    }
    if (whole || filled)
      add(whole ? *whole : *filled);
  }
  // As many as a line has room for: instructions of wgrad have 64 rows.
  constexpr int64_t lineChannels = 64;
  for (int64_t merge = lineChannels / std::max(c, k); merge > 1; --merge)
    if (groups % merge == 0) {
      add(merge);
      break;
    }
  return merges;
}

/// Whether what transposed copies cost wgrad is more than wgmma saves, or they
/// are more than a workspace should be. Kernels with mma.sync are modelled
/// where TMA copies (`direct`, best first); the rate of others is that of
/// kernels of an H200 (docs/Performance.md), in all types. That of copies is an
/// estimate. The unit is that of HopperModel.h.
static bool isSlowedByCopies(ConvOpInterface op, const RankedSchedule &best,
                             ArrayRef<RankedSchedule> direct) {
  constexpr double flopsPerCycle = 78e3, bytesPerCycle = 1500,
                   cyclesPerLaunch = 1930;
  if (!transposesWgrad(op, best.schedule.getMma()))
    return false;
  TransposedWgrad wgrad = getTransposedWgrad(op);
  double bytes = double(countCopiedElements(wgrad)) *
                 op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  constexpr double mostBytes = 2.0 * (int64_t(16) << 30); // Read and written.
  if (bytes > mostBytes)
    return true;
  double copies =
      bytes / bytesPerCycle +
      cyclesPerLaunch * (3 + wgrad.gathersInput + wgrad.gathersOutput);
  double otherwise = direct.empty()
                         ? double(op.getGeometry()->flops()) / flopsPerCycle
                         : direct.front().time;
  return best.time + copies > otherwise;
}

SmallVector<RankedSchedule> conv::rankSchedules(ConvOpInterface op,
                                                const ChipInfo &chip,
                                                Algorithm algorithm,
                                                std::string *whyNot,
                                                std::optional<int64_t> merge) {
  SmallVector<int64_t> merges = getMerges(op);
  if (merge && op.getGroups() % *merge == 0)
    merges = {*merge};
  SmallVector<RankedSchedule> ranked, direct, second;
  std::string firstReason;
  for (int64_t number : merges) {
    firstReason.clear(); // What is in the way of the widest groups remains.
    GemmShape gemm = getGemmShape(op, algorithm, number, MmaKind::Wgmma);
    for (const RankedSchedule &candidate :
         rankHopperSchedules(op.getContext(), gemm, chip, algorithm)) {
      std::string why = whyNoCopy(op, candidate.schedule);
      if (why.empty())
        ranked.push_back(candidate);
      else if (firstReason.empty())
        firstReason = std::move(why);
    }
    gemm = getGemmShape(op, algorithm, number);
    for (const RankedSchedule &candidate :
         rankProducerSchedules(op.getContext(), gemm, chip, algorithm))
      if (whyNoCopy(op, candidate.schedule).empty())
        direct.push_back(candidate);
    llvm::append_range(
        second, rankMmaSyncSchedules(op.getContext(), gemm, chip, algorithm));
  }
  if (ranked.empty() && whyNot)
    *whyNot = firstReason.empty() ? whyNoneIsWgmma(op, chip) : firstReason;
  llvm::stable_sort(ranked, isFaster);
  llvm::stable_sort(direct, isFaster);
  llvm::stable_sort(second, isFaster);
  bool isSlowed =
      !ranked.empty() && isSlowedByCopies(op, ranked.front(), direct);
  second.insert(second.begin(), direct.begin(), direct.end());
  if (isSlowed) {
    if (whyNot)
      *whyNot = "wgmma would need transposed copies, which take longer than "
                "it saves, or too much memory";
    std::swap(ranked, second);
  }
  llvm::append_range(ranked, second);
  return ranked;
}
