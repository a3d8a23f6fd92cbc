//===- KernelTiles.h - which tiles a kernel divides -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a kernel of F6 and its schedule. Output: what each of its vectors is,
// and how its threads divide them. Makes no IR, so that a plan can ask.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_KERNELTILES_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_KERNELTILES_H

#include "FragmentLayout.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// What a vector of the workgroup is, unit dimensions aside.
enum class TileKind {
  None,    ///< Not distributed: a scalar, an operand's tile.
  Block,   ///< gemm-m x gemm-n: one vector<2x2xT> per 16x8 block.
  TapSums, ///< Block by block of filters the same for each tap (AddTapsOp).
  Columns, ///< gemm-n, or the columns of a tap: one vector<2xT> for each eight.
  Rows     ///< gemm-m x 1: one vector<2x1xT> for the blocks of each 16 rows.
};

struct KernelTiles {
  KernelTiles(gpu::GPUFuncOp func, ScheduleAttr schedule);

  TileKind getKind(Type type) const;
  /// Taps that have sums of their own; 1 where none have.
  int64_t getNumTaps() const { return numTaps; }
  bool usesWarpgroups() const { return layout.usesWarpgroups(); }
  bool usesMatrices() const { return schedule.getMma() == MmaKind::Wmma; }

  /// The scatters of tiles in their order: what `stores` of the kernel's plan
  /// says is of these.
  SmallVector<ScatterOp> getScatters() const;

  gpu::GPUFuncOp func;
  ScheduleAttr schedule;
  FragmentLayout layout;

private:
  SmallVector<int64_t> tapSums; ///< The shape of what has sums for each tap,
  int64_t numTaps = 1;          ///< where the kernel has any.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_KERNELTILES_H
