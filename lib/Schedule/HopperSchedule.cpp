//===- HopperSchedule.cpp - schedules with TMA and wgmma ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "conv/Schedule/HopperSchedule.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

std::string conv::whyNoWgmma(Algorithm algorithm) {
  return algorithm == Algorithm::ImplicitGemm
             ? ""
             : "explicit im2col has no kernel with TMA and wgmma yet";
}

std::string conv::whyNoWgmma(const GemmShape &gemm) {
  Type factor = gemm.factorType;
  if (factor.isF16() || factor.isBF16())
    return "";
  std::optional<MmaShape> shape = MmaShape::lookup(factor);
  if (!shape || shape->wordBytes != 4)
    return formatv("{0} has no wgmma", getTypeName(factor));
  if (gemm.a.isMnMajor || gemm.b.isMnMajor)
    return formatv("wgmma multiplies {0} only where neighbours in memory are "
                   "neighbours along gemm-k, {1}",
                   getTypeName(factor),
                   gemm.wgrad.reducesRows
                       ? "and wgrad with groups, input dilation or flip has no "
                         "transposed copies"
                       : "not images with their channels first");
  return "";
}

/// Rules of clusters: workgroups that share a tile load rows of it in parts
/// that begin where the swizzle's pattern does. Rows are of gemm-m, gemm-n or
/// gemm-k, as the operation is.
static std::string whyIllegalCluster(ScheduleAttr schedule) {
  if (schedule.getClusterSize() == 1)
    return "";
  if (schedule.getWindow() && getClusterN(schedule) > 1)
    return "workgroups of a cluster share filters, but no window: with "
           "window=true a cluster is along gemm-m";
  if (schedule.getClusterSize() > kMaxClusterSize)
    return formatv("cluster {0}x{1} has {2} workgroups, but at most {3} are "
                   "possible",
                   getClusterM(schedule), getClusterN(schedule),
                   schedule.getClusterSize(), kMaxClusterSize);
  for (int64_t parts : {getClusterM(schedule), getClusterN(schedule)})
    for (int64_t rows : schedule.getTile()) {
      int64_t unit = parts * convmlir::SharedTile::kSwizzlePeriod;
      if (parts > 1 && rows % unit != 0)
        return formatv("cluster {0}x{1} loads tiles in {2} parts of a multiple "
                       "of {3} rows, but one has {4}",
                       getClusterM(schedule), getClusterN(schedule), parts,
                       convmlir::SharedTile::kSwizzlePeriod, rows);
    }
  return "";
}

int64_t conv::countBlocks(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.getLongestPart(gemm.phases.front(), /*parts=*/1,
                             schedule.getTile()[2]);
}

std::string conv::whyIllegalOnHopper(ScheduleAttr schedule,
                                     const GemmShape &gemm,
                                     const ChipInfo &chip) {
  KernelForm form = getKernelForm(schedule, gemm.wgrad.resultTaps);
  if (std::string why = whyNoPair(schedule.getFields(), form); !why.empty())
    return why;
  if (std::string why = whyNoEngine(schedule, chip); !why.empty())
    return why;
  if (std::string why = whyNoWgmma(schedule.getAlgorithm()); !why.empty())
    return why;
  bool isWgmma = schedule.getMma() == MmaKind::Wgmma;
  if (std::string why = isWgmma ? whyNoWgmma(gemm) : ""; !why.empty())
    return why;
  if (std::string why = whyNotOfForm(schedule.getFields(), form); !why.empty())
    return why;
  if (std::string why = whyIllegalCluster(schedule); !why.empty())
    return why;
  if (schedule.getGather())
    if (std::string why = whyNoGather(schedule, gemm); !why.empty())
      return why;
  if (schedule.getClusterSize() > 1 && form != KernelForm::Kn2row &&
      (gemm.isChannelsFirst || gemm.wgrad.isKMajor))
    return "images with their channels first have no kernel with clusters yet";
  return getKernelRules(form).whyIllegal(schedule, gemm, chip);
}
