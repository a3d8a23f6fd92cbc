//===- MergeGroups.cpp - several groups of a convolution as one -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: F1, operations with groups whose schedule says how many are merged.
// Output: operations with fewer groups. The filters of a problem are counted by
// merged group, member of it and number there. The channels of a merged filter
// are those of each member, one after the other: what lies on the diagonal of
// the two members is the problem's filter.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVMERGEGROUPS
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Merges the groups of one operation.
class GroupMerger {
public:
  GroupMerger(ConvOpInterface op, int64_t merge);
  void rewrite();

private:
  Value spreadFilter(Value filter);
  Value pickFilter(Value merged);
  Value createConvolution(ArrayRef<Value> operands);
  linalg::GenericOp
  createLoops(Value source, ArrayRef<unsigned> sourceDims,
              ArrayRef<unsigned> destDims, Type type,
              function_ref<Value(OpBuilder &, Location, Value)> getElement);
  SmallVector<int64_t> getShape(ArrayRef<unsigned> dims);
  SmallVector<ReassociationIndices> getReassociation(bool isMerged);

  OpBuilder builder;
  ConvOpInterface op;
  Location loc;
  int64_t groups; ///< After merging.
  SmallVector<int64_t> filterShape, mergedShape;

  /// Loops over a merged filter: group, member of the filters, number of the
  /// filter, taps in each dimension, channel, and the member of the channels.
  static constexpr unsigned kMember = 1, kFirstTap = 3;
  unsigned channelLoop, otherLoop;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> filterDims, mergedDims;
};

} // namespace

GroupMerger::GroupMerger(ConvOpInterface op, int64_t merge)
    : builder(op), op(op), loc(op.getLoc()), groups(op.getGroups() / merge),
      filterShape(op.getFilterType().getShape()), mergedShape(filterShape) {
  mergedShape.back() *= merge;
  extents = {groups, merge, filterShape.front() / (groups * merge)};
  llvm::append_range(extents, ArrayRef(filterShape).drop_front());
  extents.push_back(merge);
  otherLoop = extents.size() - 1;
  channelLoop = otherLoop - 1;
  filterDims = llvm::to_vector(llvm::seq<unsigned>(otherLoop));
  mergedDims = filterDims;
  mergedDims.insert(mergedDims.end() - 1, otherLoop);
}

SmallVector<int64_t> GroupMerger::getShape(ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims, [&](unsigned dim) { return extents[dim]; });
}

/// Group, member and number are the filters of a tensor; two dimensions are the
/// channels of a merged one.
SmallVector<ReassociationIndices> GroupMerger::getReassociation(bool isMerged) {
  SmallVector<ReassociationIndices> dims = {{0, 1, 2}};
  for (unsigned tap = kFirstTap; tap < channelLoop; ++tap)
    dims.push_back({tap});
  dims.push_back({channelLoop});
  if (isMerged)
    dims.back().push_back(channelLoop + 1);
  return dims;
}

/// A tensor indexed by `destDims`, made of the elements of one indexed by
/// `sourceDims`. A loop that only the source has, `otherLoop`, is none: the
/// loops are those of the destination.
linalg::GenericOp GroupMerger::createLoops(
    Value source, ArrayRef<unsigned> sourceDims, ArrayRef<unsigned> destDims,
    Type type, function_ref<Value(OpBuilder &, Location, Value)> getElement) {
  unsigned loops = destDims.size();
  auto getMap = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(loops, dims,
                                                builder.getContext());
  };
  Value empty = tensor::EmptyOp::create(builder, loc, getShape(destDims), type);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, empty.getType(), source, empty,
      ArrayRef<AffineMap>{getMap(sourceDims), getMap(destDims)}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, getElement(b, loc, args[0]));
      });
}

/// K,R,S,C/G to K,R,S,M*C/G: zero where the members differ.
Value GroupMerger::spreadFilter(Value filter) {
  auto type = cast<RankedTensorType>(filter.getType());
  Value source = tensor::ExpandShapeOp::create(
      builder, loc, type.clone(getShape(filterDims)), filter,
      getReassociation(/*isMerged=*/false));
  Value spread =
      createLoops(source, filterDims, mergedDims, type.getElementType(),
                  [&](OpBuilder &b, Location loc, Value element) -> Value {
                    Value isOwn = arith::CmpIOp::create(
                        b, loc, arith::CmpIPredicate::eq,
                        linalg::IndexOp::create(b, loc, kMember),
                        linalg::IndexOp::create(b, loc, otherLoop));
                    Value zero = arith::ConstantOp::create(
                        b, loc, b.getZeroAttr(element.getType()));
                    return arith::SelectOp::create(b, loc, isOwn, element,
                                                   zero);
                  })
          .getResult(0);
  return tensor::CollapseShapeOp::create(builder, loc, spread,
                                         getReassociation(/*isMerged=*/true));
}

/// K,R,S,M*C/G to K,R,S,C/G in the type of the result: where the members are
/// equal.
Value GroupMerger::pickFilter(Value merged) {
  auto type = cast<RankedTensorType>(merged.getType());
  Value source = tensor::ExpandShapeOp::create(
      builder, loc, type.clone(getShape(mergedDims)), merged,
      getReassociation(/*isMerged=*/true));
  SmallVector<unsigned> diagonal = mergedDims;
  llvm::replace(diagonal, otherLoop, kMember);
  Type element = op.getDestType().getElementType();
  Value pick =
      createLoops(source, diagonal, filterDims, element,
                  [&](OpBuilder &b, Location loc, Value value) {
                    return convertScalarToDtype(b, loc, value, element,
                                                /*isUnsignedCast=*/false);
                  })
          .getResult(0);
  return tensor::CollapseShapeOp::create(builder, loc, pick,
                                         getReassociation(/*isMerged=*/false));
}

/// The operation on other operands, with the merged groups.
Value GroupMerger::createConvolution(ArrayRef<Value> operands) {
  IRMapping mapping;
  Operation *merged = builder.clone(*op.getOperation(), mapping);
  merged->setOperands(operands);
  merged->getResult(0).setType(operands.back().getType());
  cast<ConvOpInterface>(merged).setGroups(groups);
  return merged->getResult(0);
}

void GroupMerger::rewrite() {
  SmallVector<Value> operands(op->getOperands());
  Value result;
  if (op.getConvKind() == convmlir::ConvKind::Wgrad) {
    operands.back() =
        tensor::EmptyOp::create(builder, loc, mergedShape, op.getAccType());
    result = pickFilter(createConvolution(operands));
  } else {
    operands[getOperandIndex(op.getConvKind(), TensorRole::Filter)] =
        spreadFilter(op.getFilter());
    result = createConvolution(operands);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ConvMergeGroups
    : public conv::impl::ConvMergeGroupsBase<ConvMergeGroups> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops)
      if (failed(merge(op)))
        return signalPassFailure();
  }

  static LogicalResult merge(ConvOpInterface op) {
    auto schedule =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (!schedule || schedule.getMerge() == 1)
      return success();
    if (op.getGroups() % schedule.getMerge() != 0)
      return op->emitOpError("cannot merge ")
             << schedule.getMerge() << " of " << op.getGroups()
             << " groups: they do not divide them";
    if (!isa<RankedTensorType>(op.getDestType()))
      return op->emitOpError(
          "cannot merge groups: it is on buffers, not on tensors");
    if (op.getLayout() != Layout::NHWC)
      return op->emitOpError("cannot merge groups: needs the layout nhwc");
    GroupMerger(op, schedule.getMerge()).rewrite();
    return success();
  }
};
} // namespace
