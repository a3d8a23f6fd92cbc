//===- ProducerTiles.cpp - tiles of TMA for mma.sync ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Model/ProducerModel.h"
#include "conv/Schedule/Ranking/ProducerRanking.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/TileLegality.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using llvm::formatv;

namespace {
struct ProducerTiles final : KernelRules {
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const override;
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getRingBytes(schedule, gemm.elementBytes) + kBarrierBytes;
  }
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const override {
    return getProducerCycles(schedule, gemm, chip, parts);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addProducerTiles(request, ranked);
  }
};
} // namespace

/// Of kernels whose operands TMA copies and whose warps multiply one by one:
/// those with an MN-major operand in a type that wgmma multiplies K-major only,
/// wgrads and images with their channels first. Tiles lie in panels, of which
/// `ldmatrix`, where the other operand is K-major, reads one.
std::string ProducerTiles::whyIllegal(ScheduleAttr schedule,
                                      const GemmShape &gemm,
                                      const ChipInfo &chip) const {
  std::optional<MmaShape> shape = MmaShape::lookup(gemm.factorType);
  bool isMnMajor = gemm.a.isMnMajor || gemm.b.isMnMajor;
  if (!isMnMajor || !shape || shape->hasLdMatrix(Major::MN))
    return formatv(
        "copy=tma goes with mma=mma_sync where an operand is "
        "MN-major (wgrad, images with their channels first) in a "
        "type that ldmatrix does not transpose; here {0}",
        isMnMajor ? formatv("it is of {0}", getTypeName(gemm.factorType)).str()
                  : "both operands are K-major");
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (int64_t number = warps[0] * warps[1];
      number % kWarpsPerWarpgroup != 0 || number > 12)
    return formatv("beside a producer 4, 8 or 12 warps multiply, but the "
                   "schedule has {0} by {1}",
                   warps[0], warps[1]);
  if (std::string why = whyIllegalMmaSyncShape(schedule, gemm); !why.empty())
    return why;
  for (auto [mn, isMnMajor] :
       {std::pair(tile[0], gemm.a.isMnMajor), {tile[1], gemm.b.isMnMajor}}) {
    int64_t rowBytes = (isMnMajor ? mn : tile[2]) * gemm.elementBytes;
    if (rowBytes % PanelTile::kMinSpanBytes != 0)
      return formatv("TMA needs tiles with rows of a multiple of {0} bytes, "
                     "but they have {1}",
                     +PanelTile::kMinSpanBytes, rowBytes);
    if (!isMnMajor && rowBytes > PanelTile::kMaxSpanBytes)
      return formatv("a tile whose neighbours lie along gemm-k has rows of up "
                     "to {0} bytes here, but they have {1}",
                     +PanelTile::kMaxSpanBytes, rowBytes);
  }
  if (tile[2] % convmlir::SharedTile::kSwizzlePeriod != 0)
    return formatv("tile gemm-k ({0}) must be a multiple of {1} rows", tile[2],
                   +convmlir::SharedTile::kSwizzlePeriod);
  if (std::string why = whyTooManyParts(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  return whyNotResident(schedule, getSharedBytes(schedule, gemm),
                        /*columns=*/0, chip,
                        shape->sum.getIntOrFloatBitWidth() / 32);
}

const KernelRules &conv::getProducerTiles() {
  static const ProducerTiles rules;
  return rules;
}
