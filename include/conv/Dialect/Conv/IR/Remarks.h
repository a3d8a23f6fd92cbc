//===- Remarks.h - what passes say that they did or left --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remarks with stable names, for MLIR's remark engine (mlir/IR/Remarks.h). A
// remark's category is the argument of its pass, which is what
// `--remarks-filter=` compares. docs/Remarks.md lists them all.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_REMARKS_H
#define CONV_DIALECT_CONV_IR_REMARKS_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

enum class RemarkId {
  LinalgImported,
  LinalgMorePrecise,
  LinalgLeft,
  StablehloImported,
  ScheduleChosen,
  WgmmaNotTaken,
  WorkspaceLimited,
  LayoutKept,
  LayoutConverted,
  LayoutRestored,
  FilterRead,
  FilterTransposed,
  EpilogueFused,
  EpilogueApart,
  TranspositionFused,
  TranspositionApart,
  InputTranspositionFused,
  InputTranspositionApart,
  ZeroPhasesFilled,
  ZeroPhasesApart,
  BiasGradientFused,
  BiasGradientApart,
  OperandKept,
  OperandNotKept,
  KernelMade,
  CopyLeft,
  LaunchesInOrder,
};

/// A remark for those who ask for it.
void emitNamedRemark(Operation *op, RemarkId id, const Twine &text);

/// The same, and a diagnostic where nobody asks: what everybody should know.
void emitImportantRemark(Operation *op, RemarkId id, const Twine &text);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_REMARKS_H
