//===- LowerMatrixOps.cpp - ldmatrix, stmatrix ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.ldmatrix and nvvm.stmatrix of 8x8 matrices of 16-bit elements.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Matrices/MatrixOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

template <typename Op> static LogicalResult checkShape(Op op) {
  auto shape = op.getShape();
  if (shape.getM() == 8 && shape.getN() == 8 &&
      op.getEltType() == NVVM::LdStMatrixEltType::B16)
    return success();
  return op.emitOpError("is emulated for 8x8 matrices of b16 only");
}

static LogicalResult lowerLdMatrix(KernelLowering &lowering, Operation *op) {
  auto load = cast<NVVM::LdMatrixOp>(op);
  if (failed(checkShape(load)))
    return failure();
  auto &site = lowering.newSite<emu::MatrixSite>(op);
  site.matrices = load.getNum();
  site.transposed = load.getLayout() == NVVM::MMALayout::col;
  return lowering.replaceWithCall(op, site, emu::loadMatrix, op->getOperands());
}

static LogicalResult lowerStMatrix(KernelLowering &lowering, Operation *op) {
  auto store = cast<NVVM::StMatrixOp>(op);
  if (failed(checkShape(store)))
    return failure();
  auto &site = lowering.newSite<emu::MatrixSite>(op);
  site.matrices = store.getSources().size();
  site.transposed = store.getLayout() == NVVM::MMALayout::col;
  return lowering.replaceWithCall(op, site, emu::storeMatrix,
                                  op->getOperands());
}

void mlir::conv::emulator::addMatrixOps(OpTable &table) {
  table[NVVM::LdMatrixOp::getOperationName()] = lowerLdMatrix;
  table[NVVM::StMatrixOp::getOperationName()] = lowerStMatrix;
}
