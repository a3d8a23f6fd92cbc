//===- CopiesToPlainKernels.cpp - copies that bufferisation needs ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F4, a memref.copy between whole buffers in a function.
// Output: an scf.forall over threads, each of which copies one vector.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Transforms/PlainKernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVCOPIESTOPLAINKERNELS
#include "conv/Transforms/PlainKernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The buffer as one row of elements; a scalar is a row of one.
static Value flatten(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(
        builder, loc, MemRefType::get({1}, type.getElementType()), buffer,
        ArrayRef<ReassociationIndices>());
  return memref::CollapseShapeOp::create(
      builder, loc, buffer,
      ArrayRef<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank()))});
}

static bool isWholeBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.hasStaticShape() && buffer.getLayout().isIdentity();
}

/// The vector at `position` of `from` goes to the same place of `to`.
static void copyVector(RewriterBase &rewriter, Location loc, Value from,
                       Value to, ValueRange position, int64_t width) {
  Type element = getElementTypeOrSelf(from.getType());
  Value padding = ub::PoisonOp::create(rewriter, loc, element);
  Value vector = vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(width, element), from, position, padding,
      ArrayRef<bool>{true});
  vector::TransferWriteOp::create(rewriter, loc, vector, to, position,
                                  ArrayRef<bool>{true});
}

/// What is left of a plain kernel whose operation folded to one of its
/// operands: a tile, which is one vector along the last dimension.
static LogicalResult lowerCopyOfTile(RewriterBase &rewriter,
                                     memref::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getSource().getType());
  bool isVector = type.hasStaticShape() && type.getRank() > 0 &&
                  llvm::all_of(type.getShape().drop_back(),
                               [](int64_t extent) { return extent == 1; });
  if (!isVector)
    return copy.emitOpError("has no kernel: expected one vector");
  rewriter.setInsertionPoint(copy);
  Value zero = arith::ConstantIndexOp::create(rewriter, copy.getLoc(), 0);
  copyVector(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(),
             SmallVector<Value>(type.getRank(), zero), type.getShape().back());
  rewriter.eraseOp(copy);
  return success();
}

static LogicalResult lowerCopy(RewriterBase &rewriter, memref::CopyOp copy) {
  Type type = copy.getSource().getType();
  if (!isWholeBuffer(type) || !isWholeBuffer(copy.getTarget().getType()))
    return copy.emitError("a copy of a part of a tensor has no kernel, as of "
                          "tensor.pad, tensor.extract_slice, tensor.concat or "
                          "tensor.insert_slice: expected whole tensors, or "
                          "constant offsets and values");
  Location loc = copy.getLoc();
  rewriter.setInsertionPoint(copy);
  int64_t count = cast<MemRefType>(type).getNumElements();
  if (count == 0) {
    rewriter.eraseOp(copy);
    return success();
  }
  emitNamedRemark(copy, RemarkId::CopyLeft,
                  "a kernel copies " + Twine(count) + " elements");
  Value from = flatten(rewriter, loc, copy.getSource());
  Value to = flatten(rewriter, loc, copy.getTarget());
  int64_t width = getPlainWidth(count, type);
  SmallVector<Attribute> mapping = getPlainMapping(rewriter.getContext(), 1);
  auto loop = scf::ForallOp::create(
      rewriter, loc,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(count / width)},
      ValueRange(), rewriter.getArrayAttr(mapping));
  rewriter.setInsertionPointToStart(loop.getBody());
  Value position = affine::AffineApplyOp::create(
      rewriter, loc, AffineMap::get(1, 0, rewriter.getAffineDimExpr(0) * width),
      loop.getInductionVars());
  copyVector(rewriter, loc, from, to, position, width);
  rewriter.eraseOp(copy);
  return success();
}

namespace {
struct ConvCopiesToPlainKernels
    : public conv::impl::ConvCopiesToPlainKernelsBase<
          ConvCopiesToPlainKernels> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      bool isInKernel = copy->getParentOfType<scf::ForallOp>() != nullptr;
      if (failed(isInKernel ? lowerCopyOfTile(rewriter, copy)
                            : lowerCopy(rewriter, copy)))
        return signalPassFailure();
    }
  }
};
} // namespace
