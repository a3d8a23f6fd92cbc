//===- SliceReference.cpp - parts of tensors, by their definition ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All three copy boxes: element i of the one tensor is element
// offset + stride * i of the other.
//
//===----------------------------------------------------------------------===//

#include "SliceReference.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// Calls `copy` with the positions of each element of a box, in the box and in
/// the tensor around it.
static void forEachElement(ArrayRef<int64_t> box, ArrayRef<int64_t> around,
                           ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
                           function_ref<void(int64_t, int64_t)> copy) {
  SmallVector<int64_t> suffix = computeSuffixProduct(around);
  int64_t count = computeProduct(box);
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element, position = 0;
    for (int64_t dim = box.size(); dim-- > 0; rest /= box[dim])
      position +=
          (offsets[dim] + strides[dim] * (rest % box[dim])) * suffix[dim];
    copy(element, position);
  }
}

template <typename SliceOp> static bool isConstant(SliceOp op) {
  return op.getSourceType().hasStaticShape() && op.getType().hasStaticShape() &&
         getConstantIntValues(op.getMixedOffsets()) &&
         getConstantIntValues(op.getMixedSizes()) &&
         getConstantIntValues(op.getMixedStrides());
}

bool conv::isSlice(Operation &op) {
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return isConstant(extract);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return isConstant(insert);
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  return isa<tensor::ConcatOp>(op) &&
         llvm::all_of(op.getOperandTypes(), isStatic) &&
         isStatic(op.getResult(0).getType());
}

static std::vector<double> evaluate(tensor::ExtractSliceOp op,
                                    const std::vector<double> &source) {
  std::vector<double> result(op.getType().getNumElements());
  forEachElement(*getConstantIntValues(op.getMixedSizes()),
                 op.getSourceType().getShape(),
                 *getConstantIntValues(op.getMixedOffsets()),
                 *getConstantIntValues(op.getMixedStrides()),
                 [&](int64_t element, int64_t position) {
                   result[element] = source[position];
                 });
  return result;
}

static std::vector<double> evaluate(tensor::InsertSliceOp op,
                                    const std::vector<double> &source,
                                    const std::vector<double> &dest) {
  std::vector<double> result = dest;
  forEachElement(*getConstantIntValues(op.getMixedSizes()),
                 op.getType().getShape(),
                 *getConstantIntValues(op.getMixedOffsets()),
                 *getConstantIntValues(op.getMixedStrides()),
                 [&](int64_t element, int64_t position) {
                   result[position] = source[element];
                 });
  return result;
}

static std::vector<double>
evaluate(tensor::ConcatOp op, ArrayRef<const std::vector<double> *> inputs) {
  RankedTensorType type = op.getResultType();
  std::vector<double> result(type.getNumElements());
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  for (auto [value, input] : llvm::zip(op.getInputs(), inputs)) {
    const std::vector<double> &source = *input;
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    forEachElement(shape, type.getShape(), offsets, strides,
                   [&](int64_t element, int64_t position) {
                     result[position] = source[element];
                   });
    offsets[op.getDim()] += shape[op.getDim()];
  }
  return result;
}

std::vector<double>
conv::evaluateSlice(Operation &op,
                    ArrayRef<const std::vector<double> *> operands) {
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return evaluate(extract, *operands[0]);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return evaluate(insert, *operands[0], *operands[1]);
  return evaluate(cast<tensor::ConcatOp>(op), operands);
}
