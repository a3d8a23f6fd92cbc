//===- RoundToTf32.cpp - f32 that tensor cores would cut off --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundToTf32.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

Value conv::roundToTf32(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = vector::ExtractOp::create(builder, loc, vector,
                                              delinearize(i, strides));
    Value bits = NVVM::ConvertFloatToTF32Op::create(
        builder, loc, builder.getI32Type(), element, NVVM::FPRoundingMode::RNA);
    elements.push_back(
        arith::BitcastOp::create(builder, loc, element.getType(), bits));
  }
  return vector::FromElementsOp::create(builder, loc, type, elements);
}
