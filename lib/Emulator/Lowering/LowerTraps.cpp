//===- LowerTraps.cpp - kernels that end themselves -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that the host has for traps would end its process.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Machine/TrapOps.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static LogicalResult lowerTrap(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op), emu::trap, {});
}

/// Stays the terminator of its block.
static LogicalResult lowerUnreachable(KernelLowering &lowering, Operation *op) {
  lowering.rewriter().setInsertionPoint(op);
  return lowering.call(op, lowering.newSite(op), emu::reachUnreachable, {});
}

void mlir::conv::emulator::addTrapOps(OpTable &table) {
  table[LLVM::Trap::getOperationName()] = lowerTrap;
  table[LLVM::DebugTrap::getOperationName()] = lowerTrap;
  table[LLVM::UnreachableOp::getOperationName()] = lowerUnreachable;
}
