//===- OpTable.cpp - which ops the emulator knows -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OpTable.h.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static OpTable buildOpTable() {
  OpTable table;
  addRegisterOps(table);
  addMatrixOps(table);
  addConversionOps(table);
  addWarpOps(table);
  addBarrierOps(table);
  addCopyOps(table);
  addBulkCopyOps(table);
  addMbarrierOps(table);
  addClusterOps(table);
  addTrapOps(table);
  addWgmmaOps(table);
  addWmmaOps(table);
  return table;
}

const OpTable &mlir::conv::emulator::getOpTable() {
  static const OpTable table = buildOpTable();
  return table;
}
