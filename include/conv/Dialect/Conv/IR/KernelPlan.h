//===- KernelPlan.h - how a kernel does what it does ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.kernel_plan` of a kernel (KernelPlan.td): conv-plan-kernels and
// conv-plan-stores write it, and passes behind them read it here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_KERNELPLAN_H
#define CONV_DIALECT_CONV_IR_KERNELPLAN_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "conv/Dialect/Conv/IR/KernelPlanEnums.h.inc"

namespace mlir::conv {

/// The fields of a plan. One that is empty has not been decided, or is of
/// other kernels.
struct KernelPlan {
  /// How the contraction's operands come into shared memory.
  std::optional<OperandCopy> left, right;
  /// The operand that is loaded once.
  std::optional<KeptOperand> keeps;
  /// Of the ring that the schedule's stages are not the slots of.
  std::optional<int64_t> slots;
  /// Of a thread of each role.
  std::optional<int64_t> producerRegisters, consumerRegisters;
  /// What a thread loads at a time before it uses the first of it.
  std::optional<int64_t> loadsAhead;
  /// Of each tile that the epilogue reads, and of each conv.scatter of a tile.
  std::optional<SmallVector<EpilogueRead, 1>> reads;
  std::optional<SmallVector<StoreForm, 2>> stores;
  /// Of the panel of zeros that TMA stores; 0 where threads store them.
  std::optional<int64_t> zeroRows;

  bool operator==(const KernelPlan &) const = default;
};

llvm::hash_code hash_value(const KernelPlan &plan);

} // namespace mlir::conv

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/KernelPlan.h.inc"

namespace mlir::conv {

/// What of the plan of a kernel has been decided; nothing where it has none.
KernelPlan getKernelPlan(Operation *kernel);
void setKernelPlan(Operation *kernel, const KernelPlan &plan);

/// Says at the kernel that a field is missing, and which pass writes it.
InFlightDiagnostic emitNoPlan(Operation *kernel, StringRef field,
                              StringRef pass = "conv-plan-kernels");

/// What the plan of the kernel around `op` says, or an error at the kernel.
FailureOr<int64_t> getLoadsAhead(Operation *op);

/// Whether the tile that is copied so is [channel, position], as images with
/// their channels first lie in memory.
bool keepsOrder(OperandCopy copy);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_KERNELPLAN_H
