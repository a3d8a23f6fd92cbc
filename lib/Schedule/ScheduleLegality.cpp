//===- ScheduleLegality.cpp - which schedules a chip can run --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/Shape/WmmaShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using llvm::formatv;

/// Each stride phase has operations and views of its own until there is one
/// kernel of all. That takes half a millisecond for one that taps reach, and a
/// third of it for one of zeros: as many take two seconds.
static constexpr int64_t kMostPhases = int64_t(1) << 12;
static constexpr int64_t kMostReachedPhases = int64_t(1) << 11;

/// At most so many phases are reached: a tap reaches one along each dimension.
static int64_t countReachedPhases(const ConvGeometry &geometry, ConvKind kind) {
  convmlir::Spatial counts = geometry.countPhases(kind);
  int64_t reached = 1;
  for (int d = 0; d < geometry.spatialRank; ++d)
    reached = llvm::SaturatingMultiply<uint64_t>(
        reached, std::min(counts[d], geometry.filter[d]));
  return reached;
}

static std::string whyTooManyPhases(ConvOpInterface op) {
  ConvGeometry geometry = *op.getGeometry();
  int64_t phases = convmlir::countAllPhases(geometry, op.getConvKind());
  if (phases > kMostPhases)
    return formatv("operations of at most {0} stride phases have kernels, but "
                   "this one has {1}",
                   kMostPhases, phases);
  int64_t reached = countReachedPhases(geometry, op.getConvKind());
  if (reached > kMostReachedPhases)
    return formatv("operations of at most {0} stride phases that taps reach "
                   "have kernels, but this one has {1}",
                   kMostReachedPhases, reached);
  return "";
}

/// A buffer of a plan has at most so many bytes (Plan.cpp).
static constexpr int kMostBytesLog2 = 48;

/// What no kernel has room for.
static std::string whyTooLarge(ConvOpInterface op) {
  for (Type operand : op->getOperandTypes()) {
    auto type = cast<ShapedType>(operand);
    uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
        type.getNumElements(), type.getElementTypeBitWidth() / 8);
    if (bytes > uint64_t(1) << kMostBytesLog2)
      return formatv("tensors of at most 2^{0} bytes have kernels, but {1} has "
                     "{2}",
                     kMostBytesLog2, operand, bytes);
  }
  return whyTooManyPhases(op);
}

std::string conv::whyUnsupported(ConvOpInterface op, const ChipInfo &chip) {
  if (op->getNumResults() == 0)
    return "schedules are for operations on tensors, but this one is on "
           "buffers";
  Type type = op.getFactorType();
  if (!type.isF32() && !MmaShape::lookup(type))
    return formatv("element type {0} has no kernel, only f16, bf16, tf32, f32, "
                   "f64, s8, e4m3 and e5m2 have",
                   getTypeName(type));
  if (std::string why = whyNoFloat8(type, chip); !why.empty())
    return why;
  if (op.getAccType() != getSumType(type))
    return formatv("products of {0} have kernels that accumulate in {1} only, "
                   "not in {2}",
                   getTypeName(type), getTypeName(getSumType(type)),
                   getTypeName(op.getAccType()));
  return whyTooLarge(op);
}

int64_t conv::getRingBytes(ScheduleAttr schedule, int64_t elementBytes) {
  ArrayRef<int64_t> tile = schedule.getTile();
  return schedule.getStages() * (tile[0] + tile[1]) * tile[2] * elementBytes;
}

/// f32 has no matrix instruction, and everything else no other.
static std::string whyWrongInstruction(ScheduleAttr schedule, Type factor) {
  bool isFma = schedule.getMma() == MmaKind::Fma;
  if (schedule.getMma() == MmaKind::Wmma && !factor.isF32())
    return whyNoWmma(factor);
  if (isFma == factor.isF32())
    return "";
  if (isFma)
    return formatv("mma=fma is for f32, and {0} has tensor cores",
                   getTypeName(factor));
  return formatv("mma={0} multiplies no f32, which is exact with mma=fma only; "
                 "tf32 is what tensor cores round f32 to",
                 stringifyMmaKind(schedule.getMma()));
}

std::string conv::whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                             const ChipInfo &chip) {
  if (schedule.getAlgorithm() == Algorithm::Loops)
    return "algorithm loops multiplies no matrices";
  if (std::string why = whyWrongInstruction(schedule, gemm.factorType);
      !why.empty())
    return why;
  if (schedule.getMma() == MmaKind::Wgmma ||
      schedule.getCopy() == CopyKind::Tma)
    return whyIllegalOnHopper(schedule, gemm, chip);
  KernelForm form = getKernelForm(schedule, gemm.wgrad.resultTaps);
  if (std::string why = whyNotOfForm(schedule.getFields(), form); !why.empty())
    return why;
  return getKernelRules(form).whyIllegal(schedule, gemm, chip);
}
