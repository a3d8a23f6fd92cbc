//===- ContractionOperand.cpp - tiles that a contraction reads ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionOperand.h"

#include "Support/OperandConversion.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

FailureOr<ContractionOperand>
mlir::conv::getContractionOperand(vector::ContractionOp op, bool isA) {
  StringRef name = isA ? "left" : "right";
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap map = maps[isA ? 0 : 1], result = maps[2];
  if (result.getNumDims() != 3 || result.getNumResults() != 2 ||
      map.getNumResults() != 2)
    return op.emitOpError("must be a product of two matrices");
  unsigned own = result.getDimPosition(isA ? 0 : 1);
  unsigned k = 3 - result.getDimPosition(0) - result.getDimPosition(1);
  bool isTransposed = map.getDimPosition(1) != k;
  if (map.getDimPosition(isTransposed ? 1 : 0) != own ||
      map.getDimPosition(isTransposed ? 0 : 1) != k)
    return op.emitOpError() << "the " << name << " operand must be a matrix of "
                            << (isA ? "gemm-m" : "gemm-n") << " and gemm-k";
  Value operand = getUnconverted(isA ? op.getLhs() : op.getRhs());
  if (auto cast = operand.getDefiningOp<vector::ShapeCastOp>())
    operand = cast.getSource();
  auto read = operand.getDefiningOp<vector::TransferReadOp>();
  auto isZero = [](Value index) { return isConstantIntValue(index, 0); };
  auto type = read ? dyn_cast<MemRefType>(read.getBase().getType()) : nullptr;
  if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      type.getShape() != read.getVectorType().getShape() ||
      !llvm::all_of(read.getIndices(), isZero) ||
      !read.getPermutationMap().isIdentity())
    return op.emitOpError() << "the " << name
                            << " operand must be a whole tile read by "
                               "vector.transfer_read from workgroup memory";
  return ContractionOperand{cast<TypedValue<MemRefType>>(read.getBase()),
                            isTransposed};
}

Type mlir::conv::getFactorType(Value operand) {
  Type tile = getElementTypeOrSelf(getUnconverted(operand));
  Type contracted = getElementTypeOrSelf(operand);
  bool isWidened =
      contracted.getIntOrFloatBitWidth() > tile.getIntOrFloatBitWidth();
  return isWidened ? tile : contracted;
}
