//===- KernelRules.h - all that is decided of a form --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided about the kernels of one form (KernelForm.h): the limits of
// its schedules, its tiles and their blocks, its shared memory, its candidates
// and their time. One object for each form, without state, behind one
// interface. No other file asks which form a schedule has to decide these.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_KERNELRULES_H
#define CONV_SCHEDULE_KERNELRULES_H

#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Schedule/OperandLoads.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// What gemm-k of a tile can be divided into: blocks of channels (of wgrad,
/// positions), and taps that need not be together.
struct PartUnits {
  int64_t blocks, taps;
};

/// Whose candidates are wanted.
struct CandidateRequest {
  MLIRContext *context;
  const GemmShape &gemm;
  const ChipInfo &chip;
  Algorithm algorithm;
};

class TimeParts;

class KernelRules {
public:
  virtual ~KernelRules() = default;

  /// Which limit a schedule breaks, beside those of all kernels and of the
  /// table of keys; empty if it is legal.
  virtual std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                                 const ChipInfo &chip) const = 0;

  /// Why TMA has no boxes for what this form copies or stores in its own way.
  virtual std::string whyNoBoxes(ConvOpInterface op, ScheduleAttr schedule,
                                 const GemmShape &gemm) const;
  /// How an operand can come into shared memory, the best way first: TMA, and
  /// nothing for tensors with channels first that are transposed on their way.
  virtual ArrayRef<OperandCopy> getCopies(bool channelsFirst) const;
  /// What threads load of operands at a time: that of the way in which they
  /// come. The error says what of an operand is not the form's.
  virtual convmlir::Result<std::optional<LoadsAhead>>
  getLoadsAhead(const LoadingKernel &kernel) const;
  /// Whether the operands are copied as matrices, tile by tile.
  virtual bool copiesTiles() const { return true; }

  /// Tiles of the result, in all phases and groups.
  virtual int64_t countTiles(ScheduleAttr schedule,
                             const GemmShape &gemm) const;
  virtual PartUnits getUnits(ScheduleAttr schedule,
                             const GemmShape &gemm) const;

  /// Bytes of a workgroup: rings, what is staged of the result, barriers. Of a
  /// schedule that breaks no other limit.
  virtual int64_t getSharedBytes(ScheduleAttr schedule,
                                 const GemmShape &gemm) const = 0;

  /// The modelled time of a legal schedule (areComparable() in
  /// ScheduleChoices.h says with which ones it compares), and its parts where
  /// they are asked for.
  virtual double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip,
                         TimeParts *parts = nullptr) const = 0;

  /// Appends legal candidates with their time, in no order.
  virtual void addCandidates(const CandidateRequest &request,
                             SmallVectorImpl<RankedSchedule> &ranked) const = 0;
};

/// Of every form but `Loops`, which multiplies no matrices
/// (DepthwiseSchedule.h).
const KernelRules &getKernelRules(KernelForm form);

inline const KernelRules &getKernelRules(ScheduleAttr schedule,
                                         const GemmShape &gemm) {
  return getKernelRules(getKernelForm(schedule, gemm.wgrad.resultTaps));
}

} // namespace mlir::conv

#endif // CONV_SCHEDULE_KERNELRULES_H
