//===- OpTable.h - which ops the emulator knows -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One entry per `nvvm` op: the function that lowers it. To add an op, write a
// handler in Runtime/, a lowering beside its kin, and an entry in their
// `add…Ops` function; docs/Emulator.md has an example.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_OPTABLE_H
#define CONV_LIB_EMULATOR_LOWERING_OPTABLE_H

#include "KernelLowering.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::conv::emulator {

/// Replaces an op by what emulates it, or emits an error on the op.
using LowerOp = LogicalResult (*)(KernelLowering &lowering, Operation *op);

using OpTable = llvm::StringMap<LowerOp>;

/// All ops that are lowered one by one; mma.sync is lowered by MmaBatching, and
/// wgmma by AccumulatorLowering.
const OpTable &getOpTable();

/// The families. Each has a file.
void addRegisterOps(OpTable &table);
void addMatrixOps(OpTable &table);
void addConversionOps(OpTable &table);
void addWarpOps(OpTable &table);
void addBarrierOps(OpTable &table);
void addCopyOps(OpTable &table);
void addBulkCopyOps(OpTable &table);
void addMbarrierOps(OpTable &table);
void addClusterOps(OpTable &table);
void addTrapOps(OpTable &table);
void addWgmmaOps(OpTable &table);
void addWmmaOps(OpTable &table);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_OPTABLE_H
