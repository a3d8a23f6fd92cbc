//===- RegisterOps.cpp - products with a factor in registers --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `engine.register_mma` of EngineOps.td.
//
//===----------------------------------------------------------------------===//

#include "SharedOperands.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult RegisterMmaOp::verify() {
  if (failed(verifyPanels(*this, "B", getBType())))
    return failure();
  auto accumulator = getResult().getType().getFragmented();
  if (accumulator.getRank() != 2 || accumulator.getDimSize(0) != 64 ||
      getN() % 8 != 0 || getN() > 256 || !accumulator.getElementType().isF32())
    return emitOpError() << "accumulator must be 64 rows of 8, 16, … 256 f32, "
                            "but is "
                         << accumulator;
  int64_t rows = getBType().getDimSize(0), columns = getBType().getDimSize(1);
  if (rows < getN())
    return emitOpError() << "B must have the " << getN()
                         << " columns of the accumulator, but has " << rows;
  // Columns are a multiple of 32 bytes, of one instruction.
  int64_t k = getK();
  if (k < 0 || k >= columns || k % kStep != 0)
    return emitOpError() << "first position must be a multiple of " << kStep
                         << " below the " << columns << " of B, but is " << k;
  return success();
}
