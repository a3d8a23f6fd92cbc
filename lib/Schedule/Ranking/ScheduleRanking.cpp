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
// other in MmaSyncRanking.cpp and HopperRanking.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Schedule/Forms/DepthwiseSchedule.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Model/GatherModel.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Ranking/RankedSchedule.h"
#include "conv/Schedule/ScheduleRules.h"
#include "conv/Schedule/Shape/FoldedResult.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/Shape/TransposedWgradShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using llvm::formatv;

/// Why no schedule at all multiplies `op` by wgmma, where the chip has that.
/// What has no tensor cores anyway misses nothing.
static std::string whyNoneIsWgmma(ConvOpInterface op, const ChipInfo &chip,
                                  Algorithm algorithm) {
  Type factor = op.getFactorType();
  if (!chip.has(convmlir::Engine::Wgmma) || factor.isF32() || factor.isF64())
    return "";
  std::string why = whyNoWgmma(
      getGemmShape(op, Algorithm::ImplicitGemm, /*merge=*/1, MmaKind::Wgmma));
  return why.empty() ? whyNoWgmma(algorithm) : why;
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
    int64_t most = std::min(groups, mostChannels / std::max(c, k));
    for (int64_t merge = 1; merge <= most; ++merge) {
      if (groups % merge != 0)
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

namespace {
using Fold = SmallVector<int64_t>;

/// What is decided about an operation before it is seen as matrices.
struct Variant {
  int64_t merge;
  Fold fold; ///< Empty: none.
};

} // namespace

static int64_t getChannelBytes(ConvOpInterface op) {
  return op.getGeometry()->c *
         op.getSourceElementType().getIntOrFloatBitWidth() / 8;
}

/// Rows of a multiple of 16 bytes are what TMA and 16-byte copies want, of the
/// channels and, where dy is read, of the filters; those of less than half a
/// line of shared memory could be wider.
static constexpr int64_t kRowUnit = 16;
static bool hasNarrowRows(ConvOpInterface op) {
  return getChannelBytes(op) % kRowUnit != 0;
}
static bool hasNarrowFilters(ConvOpInterface op) {
  return op.getConvKind() != convmlir::ConvKind::Forward &&
         op.getGeometry()->k *
                 op.getSourceElementType().getIntOrFloatBitWidth() / 8 %
                 kRowUnit !=
             0;
}
static bool hasFewChannels(ConvOpInterface op) {
  constexpr int64_t halfLine = 64;
  return hasNarrowRows(op) || getChannelBytes(op) < halfLine;
}
static bool isWorthFolding(ConvOpInterface op) {
  return op.getGeometry()->n > 0 &&
         (hasFewChannels(op) || hasNarrowFilters(op));
}

static SmallVector<Variant> getVariants(ConvOpInterface op,
                                        std::optional<int64_t> merge,
                                        const std::optional<Fold> &fold) {
  SmallVector<int64_t> merges = getMerges(op);
  if (merge && op.getGroups() % *merge == 0)
    merges = {*merge};
  SmallVector<Variant> variants;
  if (fold && !fold->empty() && getFoldedGeometry(op, *fold))
    return {{/*merge=*/1, *fold}};
  for (int64_t number : merges)
    variants.push_back({number, {}});
  if (fold || !isWorthFolding(op))
    return variants;
  for (const std::vector<int64_t> &useful :
       convmlir::getUsefulFolds(*op.getGeometry(), op.getConvKind())) {
    // Rows that are wide enough are neither padded nor made of several taps.
    bool padsOnly =
        llvm::all_of(useful, [](int64_t taps) { return taps == 1; });
    if (padsOnly ? !hasNarrowRows(op) && !hasNarrowFilters(op)
                 : !hasFewChannels(op))
      continue;
    if (Fold taps(useful.begin(), useful.end());
        llvm::all_of(taps, isScheduleNumber) && getFoldedGeometry(op, taps))
      variants.push_back({/*merge=*/1, taps});
  }
  return variants;
}

/// The unit of times with mma.sync and cp.async.
static constexpr double kMultiplyAddsPerCycle =
    kMultiplyAddsPerMicrosecond / kCyclesPerMicrosecond;

/// What folding taps costs: cycles as in HopperModel.h, and the time of
/// multiply-adds as in SelectSchedule.cpp, where a kernel takes longer to
/// start.
namespace {
struct FoldCost {
  double cycles = 0, multiplyAdds = 0;
};
} // namespace

/// Copies of x, w and dy, or those from which dx and dw are picked.
static FoldCost getFoldCost(ConvOpInterface op, ArrayRef<int64_t> fold) {
  if (fold.empty())
    return {};
  convmlir::ConvGeometry geometry = *op.getGeometry();
  convmlir::ConvGeometry folded = *getFoldedGeometry(op, fold);
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  bool isDgrad = op.getConvKind() == convmlir::ConvKind::Dgrad;
  double bytes = 0, launches = isForward ? 0 : 1;
  auto addCopy = [&](int64_t elements, Type element) {
    bytes += double(elements) * element.getIntOrFloatBitWidth() / 8;
    ++launches;
  };
  Type source = op.getSourceElementType();
  if (foldsInput(geometry, folded))
    addCopy(geometry.inputElements() + folded.inputElements(),
            isDgrad ? getFoldedResultType(op) : source);
  if (foldsOutput(geometry, folded))
    addCopy(geometry.outputElements() + folded.outputElements(), source);
  double cycles = bytes / kFoldBytesPerCycle;
  return {cycles + launches * kCyclesPerFoldLaunch,
          cycles * kMultiplyAddsPerCycle + launches * kMultiplyAddsPerLaunch};
}

static bool foldsTaps(const RankedSchedule &ranked) {
  return !ranked.schedule.getFold().empty();
}

/// Whether all schedules with wgmma fold taps, and the best with mma.sync does
/// not and is faster.
static bool isSlowedByFolding(ArrayRef<RankedSchedule> ranked,
                              ArrayRef<RankedSchedule> second) {
  return !ranked.empty() && llvm::all_of(ranked, foldsTaps) &&
         !second.empty() && !foldsTaps(second.front()) &&
         ranked.front().time > second.front().time / kMultiplyAddsPerCycle;
}

/// Whether what transposed copies cost wgrad is more than wgmma saves, or they
/// are more than a workspace should be. Kernels with mma.sync are modelled
/// where TMA copies (`direct`, best first); others have one rate, in all types.
/// The unit is that of HopperModel.h.
static bool isSlowedByCopies(ConvOpInterface op, const RankedSchedule &best,
                             ArrayRef<RankedSchedule> direct) {
  convmlir::ConvGeometry geometry = getComputedGeometry(
      op, best.schedule.getMerge(), best.schedule.getFold());
  if (!transposesWgrad(op, geometry, best.schedule.getMma()))
    return false;
  TransposedWgrad wgrad = getTransposedWgrad(op, geometry);
  double bytes = double(countCopiedElements(wgrad)) *
                 op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  constexpr double mostBytes = 2.0 * (int64_t(16) << 30); // Read and written.
  if (bytes > mostBytes)
    return true;
  double copies =
      bytes / kCopiedBytesPerCycle +
      kCyclesPerPlainLaunch * (3 + wgrad.gathersInput + wgrad.gathersOutput);
  double otherwise = direct.empty()
                         ? double(op.getGeometry()->flops()) / kFlopsPerCycle
                         : direct.front().time;
  return best.time + copies > otherwise;
}

/// Whether one tap of 16-bit elements is all there is to multiply, and the rows
/// of an operand or of the result have 32 bytes or less, of which TMA takes one
/// at a time. Such layers took 1.03 to 1.25 times as long on an H200 as with
/// cp.async and mma.sync, where channels are last. With one tile of filters
/// that is loaded once rows of 32 bytes are as fast or faster (0.91 and 0.99 of
/// the time).
static bool hasNarrowMatrix(const GemmShape &gemm, ScheduleAttr best) {
  constexpr int64_t bytes = 2;
  bool readsOnce = !best.getWindow() &&
                   getKeptOperand(best, gemm) == KeptOperand::Right &&
                   gemm.n <= best.getTile()[1];
  int64_t narrowest = readsOnce ? 16 : 32;
  return gemm.elementBytes == bytes && gemm.groups == 1 &&
         gemm.phases.size() == 1 && gemm.phases.front().taps == 1 &&
         !gemm.wgrad.reducesRows && !gemm.isChannelsFirst &&
         !gemm.a.isTransposed && !gemm.stored.isTransposed &&
         gemm.variant.fold.empty() &&
         std::min(gemm.channels, gemm.n) * bytes <= narrowest;
}

/// The legal candidates of all forms with these engines, best first. Loops are
/// ranked apart.
static SmallVector<RankedSchedule> rankForms(CopyKind copy, MmaKind mma,
                                             const CandidateRequest &request) {
  SmallVector<RankedSchedule> ranked;
  for (const KernelFormInfo &info : getKernelForms())
    if (!isOfLoops(info.form) && info.goesWith(copy, mma))
      getKernelRules(info.form).addCandidates(request, ranked);
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}

/// Those with TMA and wgmma, which have implicit GEMMs only.
static SmallVector<RankedSchedule>
rankWgmmaForms(const CandidateRequest &request) {
  if (request.algorithm != Algorithm::ImplicitGemm)
    return {};
  return rankForms(CopyKind::Tma, MmaKind::Wgmma, request);
}

SmallVector<RankedSchedule>
conv::rankSchedules(ConvOpInterface op, const ChipInfo &chip,
                    Algorithm algorithm, std::string *whyNot,
                    std::optional<int64_t> merge, std::optional<Fold> fold) {
  if (algorithm == Algorithm::Loops)
    return rankDepthwiseSchedules(op, chip);
  SmallVector<RankedSchedule> ranked, direct, second;
  std::string firstReason;
  bool isNarrow = false;
  ScheduleRules rules(op, chip);
  for (const Variant &variant : getVariants(op, merge, fold)) {
    firstReason.clear(); // What is in the way of the widest groups remains.
    FoldCost cost = getFoldCost(op, variant.fold);
    SmallVector<bool, 2> majors = {false};
    if (algorithm == Algorithm::ImplicitGemm &&
        whyNoKMajor(op, variant.merge, variant.fold).empty())
      majors.push_back(true);
    for (bool kMajor : majors) {
      GemmShape gemm = getGemmShape(op, algorithm, variant.merge,
                                    MmaKind::Wgmma, variant.fold, kMajor);
      for (const RankedSchedule &candidate :
           rankWgmmaForms({op.getContext(), gemm, chip, algorithm})) {
        std::string why = rules.whyNoCopy(candidate.schedule);
        if (why.empty())
          ranked.push_back(
              {candidate.schedule,
               candidate.time + cost.cycles +
                   getOperandTranspositionCycles(candidate.schedule, gemm)});
        else if (firstReason.empty())
          firstReason = std::move(why);
      }
    }
    if (algorithm == Algorithm::ImplicitGemm && variant.merge == 1 &&
        variant.fold.empty() && whyNoKn2row(op).empty()) {
      GemmShape gemm =
          getGemmShape(op, algorithm, /*merge=*/1, MmaKind::Wgmma, /*fold=*/{},
                       /*kMajor=*/false, /*kn2row=*/true);
      for (const RankedSchedule &candidate :
           rankWgmmaForms({op.getContext(), gemm, chip, algorithm}))
        if (rules.whyNoCopy(candidate.schedule).empty())
          ranked.push_back(candidate);
    }
    GemmShape gemm = getGemmShape(op, algorithm, variant.merge,
                                  MmaKind::MmaSync, variant.fold);
    if (!ranked.empty())
      isNarrow |=
          hasNarrowMatrix(gemm, llvm::min_element(ranked, isFaster)->schedule);
    for (const RankedSchedule &candidate :
         rankForms(CopyKind::Tma, MmaKind::MmaSync,
                   {op.getContext(), gemm, chip, algorithm}))
      if (rules.whyNoCopy(candidate.schedule).empty())
        direct.push_back({candidate.schedule, candidate.time + cost.cycles});
    for (const RankedSchedule &candidate :
         rankForms(CopyKind::CpAsync, MmaKind::MmaSync,
                   {op.getContext(), gemm, chip, algorithm}))
      second.push_back(
          {candidate.schedule, candidate.time + cost.multiplyAdds});
  }
  if (ranked.empty() && whyNot)
    *whyNot =
        firstReason.empty() ? whyNoneIsWgmma(op, chip, algorithm) : firstReason;
  llvm::stable_sort(ranked, isFaster);
  llvm::stable_sort(direct, isFaster);
  llvm::stable_sort(second, isFaster);
  bool isSlowed =
      !ranked.empty() && isSlowedByCopies(op, ranked.front(), direct);
  bool isSlowedByFold =
      isSlowedByFolding(ranked.empty() ? direct : ranked, second);
  second.insert(isSlowedByFold ? second.end() : second.begin(), direct.begin(),
                direct.end());
  isNarrow &= !second.empty();
  if ((isSlowed || isSlowedByFold || isNarrow) && !ranked.empty()) {
    if (whyNot && isNarrow)
      *whyNot = "rows of 32 bytes or less are faster by cp.async than by TMA";
    else if (whyNot)
      *whyNot = isSlowedByFold
                    ? "wgmma would need folded taps, whose copies take longer "
                      "than it saves"
                    : "wgmma would need transposed copies, which take longer "
                      "than it saves, or too much memory";
    std::swap(ranked, second);
  }
  llvm::append_range(ranked, second);
  return ranked;
}

SmallVector<RankedSchedule> conv::rankAllSchedules(ConvOpInterface op,
                                                   const ChipInfo &chip,
                                                   std::string *whyNot) {
  SmallVector<RankedSchedule> ranked =
      rankSchedules(op, chip, Algorithm::ImplicitGemm, whyNot);
  SmallVector<RankedSchedule> loops = rankDepthwiseSchedules(op, chip);
  if (loops.empty())
    return ranked;
  bool hasCycles =
      ranked.empty() || ranked.front().schedule.getCopy() == CopyKind::Tma;
  double unit = hasCycles ? 1 : kMultiplyAddsPerCycle;
  for (RankedSchedule &schedule : loops)
    schedule.time *= unit;
  // What makes the filter of merged groups is a kernel of its own in front.
  bool isMerged = !ranked.empty() && ranked.front().schedule.getMerge() > 1;
  bool isFirst =
      ranked.empty() ||
      loops.front().time <
          ranked.front().time + (isMerged ? kCyclesOfMerging * unit : 0);
  if (isFirst && whyNot)
    whyNot->clear();
  ranked.insert(isFirst ? ranked.begin() : ranked.end(), loops.begin(),
                loops.end());
  return ranked;
}
