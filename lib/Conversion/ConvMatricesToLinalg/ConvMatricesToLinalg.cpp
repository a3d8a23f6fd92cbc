//===- ConvMatricesToLinalg.cpp - F2 to upstream dialects -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  conv.im2col and conv.scatter of whole matrices, on tensors.
// Output: one linalg.generic for each, over the elements that it writes.
//
//===----------------------------------------------------------------------===//

#include "ViewAccess.h"
#include "conv/Conversion/ConvMatricesToLinalg/Passes.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTCONVMATRICESTOLINALG
#include "conv/Conversion/ConvMatricesToLinalg/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Emits the body of a linalg.generic that reads `tensor` at `access`.
class GuardedRead {
public:
  GuardedRead(OpBuilder &builder, Location loc, Value tensor,
              const ViewAccess &access, int64_t numLoops)
      : builder(builder), loc(loc), tensor(tensor), access(access) {
    for (int64_t i = 0; i < numLoops; ++i)
      loops.push_back(linalg::IndexOp::create(builder, loc, i).getResult());
  }

  /// The element, or `otherwise` where it does not exist.
  Value emit(Value otherwise);

private:
  Value apply(AffineExpr index);
  Value emitTests();
  void eraseUnusedLoops();
  Value extract(OpBuilder &builder, Location loc);

  OpBuilder &builder;
  Location loc;
  Value tensor;
  const ViewAccess &access;
  SmallVector<OpFoldResult> loops;
  SmallVector<Value> indices;
};

} // namespace

Value GuardedRead::apply(AffineExpr index) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(loops.size(), 0, index), loops));
}

Value GuardedRead::extract(OpBuilder &b, Location loc) {
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

/// Whether all tests hold; null where there are none.
Value GuardedRead::emitTests() {
  Value result;
  for (RangeTest test : access.tests) {
    auto same = llvm::find(access.indices, test.index);
    Value index = same == access.indices.end()
                      ? apply(test.index)
                      : indices[same - access.indices.begin()];
    Value extent = arith::ConstantIndexOp::create(builder, loc, test.extent);
    // One unsigned comparison for both ends: what is below zero is huge.
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, extent);
    result =
        result ? arith::AndIOp::create(builder, loc, result, holds) : holds;
  }
  return result;
}

void GuardedRead::eraseUnusedLoops() {
  for (OpFoldResult loop : loops)
    if (auto value = cast<Value>(loop); value.use_empty())
      value.getDefiningOp()->erase();
}

Value GuardedRead::emit(Value otherwise) {
  for (AffineExpr index : access.indices)
    indices.push_back(apply(index));
  Value exists = emitTests();
  Value result = exists ? scf::IfOp::create(
                              builder, loc, exists,
                              [&](OpBuilder &b, Location loc) {
                                scf::YieldOp::create(b, loc, extract(b, loc));
                              },
                              [&](OpBuilder &b, Location loc) {
                                scf::YieldOp::create(b, loc, otherwise);
                              })
                              .getResult(0)
                        : extract(builder, loc);
  eraseUnusedLoops();
  return result;
}

/// A linalg.generic that gives each element of `dest` the element of `tensor`
/// at `access`, or `otherwise` (null: what it had before).
static Value createCopy(OpBuilder &builder, Location loc, Value tensor,
                        Value dest, const ViewAccess &access, Value otherwise) {
  auto type = cast<RankedTensorType>(dest.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange(), dest, identity, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               GuardedRead read(b, loc, tensor, access, type.getRank());
               linalg::YieldOp::create(
                   b, loc, read.emit(otherwise ? otherwise : args[0]));
             })
      .getResult(0);
}

static LogicalResult convert(Im2colOp op) {
  auto type = dyn_cast_or_null<RankedTensorType>(
      op.getResult() ? op.getResult().getType() : Type());
  if (!type || !isa<RankedTensorType>(op.getSource().getType()))
    return op.emitOpError("has no linalg form unless it is on tensors");
  if (op.getTapStep())
    return op.emitOpError("has no linalg form with taps that shift channels");
  size_t rank = op.getFullShape().size();
  bool dropsTap = op.getView().getNumTaps() == 1;
  if (!op.getOffsets().empty() || type.getRank() < int64_t(rank - dropsTap))
    return op.emitOpError("has no linalg form while it is a tile of a matrix");

  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value dest = op.getDest();
  if (!dest)
    dest = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  ViewAccess access = getReadAccess(op.getView(), op.getSourceType().getShape(),
                                    type.getShape());
  op.getResult().replaceAllUsesWith(
      createCopy(builder, loc, op.getSource(), dest, access, zero));
  op.erase();
  return success();
}

static LogicalResult convert(ScatterOp op) {
  if (!op.getResult() || !isa<RankedTensorType>(op.getValue().getType()))
    return op.emitOpError("has no linalg form unless it is on tensors and has "
                          "a result");
  if (!op.getOffsets().empty())
    return op.emitOpError("has no linalg form while it is a tile of a matrix");
  if (op.getChannelsFirst())
    return op.emitOpError("has no linalg form with the channels first");
  FailureOr<ViewAccess> access = getWriteAccess(
      op.getView(), op.getDestType().getShape(), op.getValueType().getRank());
  if (failed(access))
    return op.emitOpError("has no linalg form for a view with several rows "
                          "and several taps along one dimension");
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(createCopy(builder, op.getLoc(),
                                               op.getValue(), op.getDest(),
                                               *access, /*otherwise=*/Value()));
  op.erase();
  return success();
}

namespace {
struct ConvertConvMatricesToLinalg
    : public conv::impl::ConvertConvMatricesToLinalgBase<
          ConvertConvMatricesToLinalg> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<Im2colOp, ScatterOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto im2col = dyn_cast<Im2colOp>(op);
      if (failed(im2col ? convert(im2col) : convert(cast<ScatterOp>(op))))
        return signalPassFailure();
    }
  }
};
} // namespace
