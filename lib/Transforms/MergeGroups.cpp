//===- MergeGroups.cpp - several groups of a convolution as one -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: F1, operations with groups whose schedule says how many are merged.
// Output: operations with fewer groups. Filters are seen as matrices: group,
// member of the merged group, filter and tap of a member, then channels; those
// of a merged group are once more a member and its channels. What lies on the
// diagonal of the two members is the filter of the problem.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVMERGEGROUPS
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Merges the groups of one operation.
class GroupMerger {
public:
  GroupMerger(ConvOpInterface op, int64_t merge)
      : builder(op), op(op), loc(op.getLoc()), merge(merge),
        groups(op.getGroups() / merge),
        channels(op.getFilterType().getShape().back()),
        filterShape(op.getFilterType().getShape()) {
    mergedShape = filterShape;
    mergedShape.back() *= merge;
    rows = op.getFilterType().getNumElements() / channels / (groups * merge);
  }

  void rewrite();

private:
  Value spreadFilter(Value filter);
  Value pickFilter(Value merged, Value dest);
  Value createConvolution(ArrayRef<Value> operands);
  Value reshape(Value tensor, ArrayRef<int64_t> shape);
  AffineMap getMap(ArrayRef<unsigned> dims);

  /// The loops over a merged filter: group, member of the filters, filter and
  /// tap, member of the channels, channel.
  enum Loop : unsigned { Group, Member, Row, Other, Channel, NumLoops };

  OpBuilder builder;
  ConvOpInterface op;
  Location loc;
  int64_t merge, groups, channels;
  int64_t rows; ///< Filters of a group, times taps.
  SmallVector<int64_t> filterShape, mergedShape;
};

} // namespace

/// The tensor with the same elements in the same order, by way of a row.
Value GroupMerger::reshape(Value tensor, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto all = [](size_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector(llvm::seq<int64_t>(rank))};
  };
  Value row = tensor::CollapseShapeOp::create(builder, loc, tensor,
                                              all(type.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), row,
                                       all(shape.size()));
}

AffineMap GroupMerger::getMap(ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(NumLoops, dims,
                                              builder.getContext());
}

/// K,R,S,C/G to K,R,S,M*C/G: zero where the members differ.
Value GroupMerger::spreadFilter(Value filter) {
  Value source = reshape(filter, {groups, merge, rows, channels});
  Type type = getElementTypeOrSelf(filter.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, {groups, merge, rows, merge, channels}, type);
  SmallVector<utils::IteratorType> iterators(NumLoops,
                                             utils::IteratorType::parallel);
  auto spread = linalg::GenericOp::create(
      builder, loc, empty.getType(), source, empty,
      ArrayRef<AffineMap>{getMap({Group, Member, Row, Channel}),
                          getMap({Group, Member, Row, Other, Channel})},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value member = linalg::IndexOp::create(b, loc, Member);
        Value other = linalg::IndexOp::create(b, loc, Other);
        Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            member, other);
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
        linalg::YieldOp::create(
            b, loc,
            Value(arith::SelectOp::create(b, loc, isOwn, args[0], zero)));
      });
  return reshape(spread.getResult(0), mergedShape);
}

/// K,R,S,M*C/G to K,R,S,C/G in the type of `dest`: where the members are equal.
Value GroupMerger::pickFilter(Value merged, Value dest) {
  Value source = reshape(merged, {groups, merge, rows, merge, channels});
  Type type = getElementTypeOrSelf(dest.getType());
  Value empty = tensor::EmptyOp::create(builder, loc,
                                        {groups, merge, rows, channels}, type);
  constexpr unsigned group = 0, member = 1, row = 2, channel = 3, loops = 4;
  auto getMap = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(loops, dims,
                                                builder.getContext());
  };
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  auto pick = linalg::GenericOp::create(
      builder, loc, empty.getType(), source, empty,
      ArrayRef<AffineMap>{getMap({group, member, row, member, channel}),
                          getMap({group, member, row, channel})},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(
            b, loc, convertScalarToDtype(b, loc, args[0], type, false));
      });
  return reshape(pick.getResult(0), filterShape);
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
    result = pickFilter(createConvolution(operands), op.getDest());
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
