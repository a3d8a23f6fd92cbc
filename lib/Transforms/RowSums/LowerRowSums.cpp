//===- LowerRowSums.cpp - F6c to F7, sums of helpers ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-row-sums. Input: the branch of a kernel's helpers, which carries a
// vector of sums along the columns of a tile, or along its rows, adds the tile
// to it, and scatters it. Output: what a lane does (HelperSums.h).
//
//===----------------------------------------------------------------------===//

#include "HelperSums.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/RowSums/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERROWSUMS
#include "conv/Transforms/RowSums/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

template <typename OpTy> struct HelperPattern : OpConversionPattern<OpTy> {
  HelperPattern(const TypeConverter &converter, HelperSums &sums)
      : OpConversionPattern<OpTy>(converter, sums.getTileType().getContext()),
        sums(sums) {}
  HelperSums &sums;
};

struct LowerConstant : HelperPattern<arith::ConstantOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!value)
      return rewriter.notifyMatchFailure(op, "sums do not begin alike");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(sums.getLaneType(),
                                   value.getSplatValue<Attribute>()));
    return success();
  }
};

/// What the lane has of a tile in shared memory.
struct LowerSum : HelperPattern<vector::MultiDimReductionOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(vector::MultiDimReductionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto widen = op.getSource().getDefiningOp<arith::ExtFOp>();
    auto read =
        widen ? widen.getIn().getDefiningOp<vector::TransferReadOp>() : nullptr;
    auto tile = read ? dyn_cast<TypedValue<MemRefType>>(read.getBase())
                     : TypedValue<MemRefType>();
    if (op.getKind() != vector::CombiningKind::ADD || !tile)
      return rewriter.notifyMatchFailure(
          op, "does not add a widened tile in workgroup memory");
    rewriter.replaceOp(op, add(rewriter, op.getLoc(), tile, adaptor.getAcc()));
    rewriter.eraseOp(widen);
    rewriter.eraseOp(read);
    return success();
  }

private:
  Value add(OpBuilder &builder, Location loc, TypedValue<MemRefType> tile,
            Value acc) const {
    if (!sums.getIsUsed())
      return sums.addTile(builder, loc, tile, acc);
    auto branch =
        scf::IfOp::create(builder, loc, acc.getType(), sums.getIsUsed(),
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, acc);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, sums.addTile(builder, loc, tile, acc));
    return branch.getResult(0);
  }
};

struct LowerScatter : HelperPattern<ScatterOp> {
  using HelperPattern::HelperPattern;
  LogicalResult
  matchAndRewrite(ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    IndexMath math(rewriter, op.getLoc());
    math.guard(sums.getIsUsed(),
               [&] { sums.store(rewriter, op, adaptor.getValue()); });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The branch
//===----------------------------------------------------------------------===//

/// Constants stand at the start of the kernel, where others may use them.
static void takeConstants(scf::IfOp branch, Type type) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(branch.getThenRegion(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(branch.thenBlock());
  for (Value value : captured)
    if (auto constant = value.getDefiningOp<arith::ConstantOp>();
        constant && value.getType() == type)
      replaceAllUsesInRegionWith(value, builder.clone(*constant)->getResult(0),
                                 branch.getThenRegion());
}

/// Who sums what of the tiles that `sum` reads; null where that is not known.
static std::unique_ptr<HelperSums>
makeHelperSums(scf::IfOp branch, vector::MultiDimReductionOp sum) {
  auto widen = sum.getSource().getDefiningOp<arith::ExtFOp>();
  VectorType tile = sum.getSourceVectorType();
  auto sums = dyn_cast<VectorType>(sum.getDestType());
  if (!widen || !sums || tile.getRank() != 2)
    return nullptr;
  int64_t bytes =
      getElementTypeOrSelf(widen.getIn()).getIntOrFloatBitWidth() / 8;
  OpBuilder builder = OpBuilder::atBlockBegin(branch.thenBlock());
  auto make = sum.isReducedDim(0) ? makeRowSums : makeLineSums;
  return make(builder, branch.getLoc(), tile.getShape(), bytes, sums);
}

static LogicalResult lowerBranch(scf::IfOp branch) {
  vector::MultiDimReductionOp sum;
  branch.walk([&](vector::MultiDimReductionOp op) { sum = op; });
  if (!sum)
    return success();
  takeConstants(branch, sum.getDestType());
  std::unique_ptr<HelperSums> sums = makeHelperSums(branch, sum);
  if (!sums)
    return sum.emitOpError("must add widened rows or columns of a tile that "
                           "helpers can share out evenly");
  branch->getParentOfType<gpu::GPUFuncOp>()->setAttr(
      kRowSumsAttrName, Builder(branch.getContext())
                            .getI64IntegerAttr(sums->getNumPartialSums()));
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([&](VectorType type) -> std::optional<Type> {
    if (type == sums->getTileType())
      return sums->getLaneType();
    return std::nullopt;
  });
  ConversionTarget target(*branch.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  RewritePatternSet patterns(branch.getContext());
  patterns.add<LowerConstant, LowerSum, LowerScatter>(converter, *sums);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  return applyPartialConversion(branch, target, std::move(patterns));
}

namespace {
struct ConvLowerRowSums
    : public conv::impl::ConvLowerRowSumsBase<ConvLowerRowSums> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::IfOp op) {
      if (!op->hasAttr(kHelperAttrName))
        return WalkResult::advance();
      branches.push_back(op);
      return WalkResult::skip();
    });
    for (scf::IfOp branch : branches)
      if (failed(lowerBranch(branch)))
        return signalPassFailure();
  }
};
} // namespace
