//===- MissingOperands.cpp - numbers that stand for operands --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/MissingOperands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

static bool differ(ArrayRef<int64_t> numbers, OperandRange operands) {
  return size_t(llvm::count_if(numbers, ShapedType::isDynamic)) !=
         operands.size();
}

static bool lacksOperands(Operation *op) {
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return differ(pad.getStaticLow(), pad.getLow()) ||
           differ(pad.getStaticHigh(), pad.getHigh());
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return differ(pack.getStaticInnerTiles(), pack.getInnerTiles());
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return differ(unpack.getStaticInnerTiles(), unpack.getInnerTiles());
  return false;
}

Operation *conv::findMissingOperands(Operation *root) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    if (!lacksOperands(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

std::string conv::describeMissingOperands(Operation *op) {
  return llvm::formatv("'{0}' has a number of {1}, which stands for an "
                       "operand: expected as many operands",
                       op->getName().getStringRef(), ShapedType::kDynamic);
}
