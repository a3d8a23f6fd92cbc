//===- BufferizableMatrixOps.cpp - buffers for matrices -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv.im2col into a tensor copies into its buffer; into a vector it only
// reads, as conv.depthwise does. conv.scatter writes its destination in place,
// also from inside scf.forall.in_parallel, where it moves in front of the
// terminator, into a branch if it has a condition.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/Transforms/BufferizableMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::conv;

namespace {

struct Im2colModel
    : public BufferizableOpInterface::ExternalModel<Im2colModel, Im2colOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return operand.get() == cast<Im2colOp>(op).getSource();
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return operand.get() == cast<Im2colOp>(op).getDest();
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto im2col = cast<Im2colOp>(op);
    if (operand.get() != im2col.getDest() || !im2col.getResult())
      return {};
    return {{im2col.getResult(), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto im2col = cast<Im2colOp>(op);
    FailureOr<Value> source =
        getBuffer(rewriter, im2col.getSource(), options, state);
    if (failed(source))
      return failure();
    if (isa<VectorType>(im2col.getMatrixType())) {
      replaceOpWithNewBufferizedOp<Im2colOp>(
          rewriter, op, TypeRange{im2col.getMatrixType()}, *source,
          im2col.getOffsets(), Value(), im2col.getPhase(), im2col.getViews(),
          im2col.getAsyncAttr(), im2col.getChannelsFirstAttr());
      return success();
    }
    if (!im2col.getDest())
      return op->emitOpError("is a virtual matrix and has no place in memory: "
                             "tile it, or give it a destination");
    FailureOr<Value> dest =
        getBuffer(rewriter, im2col.getDest(), options, state);
    if (failed(dest))
      return failure();
    Im2colOp::create(rewriter, op->getLoc(), TypeRange(), *source,
                     im2col.getOffsets(), *dest, im2col.getPhase(),
                     im2col.getViews(), im2col.getAsyncAttr(),
                     im2col.getChannelsFirstAttr(), im2col.getTransposedAttr());
    replaceOpWithBufferizedValues(rewriter, op, *dest);
    return success();
  }
};

struct ScatterModel
    : public BufferizableOpInterface::ExternalModel<ScatterModel, ScatterOp> {
  /// Elements that the view does not name keep their value, so the destination
  /// is read as well, unless the view names all of them.
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return operand.get() == cast<ScatterOp>(op).getDest();
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto scatter = cast<ScatterOp>(op);
    if (operand.get() != scatter.getDest() || !scatter.getResult())
      return {};
    return {{scatter.getResult(), BufferRelation::Equivalent}};
  }
  bool mustBufferizeInPlace(Operation *op, OpOperand &operand,
                            const AnalysisState &) const {
    auto scatter = cast<ScatterOp>(op);
    return scatter.getIteratingParent() && operand.get() == scatter.getDest();
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto scatter = cast<ScatterOp>(op);
    OpBuilder::InsertionGuard guard(rewriter);
    if (scatter.getIteratingParent())
      rewriter.setInsertionPoint(op->getParentOp());
    Value value = scatter.getValue();
    if (isa<TensorType>(value.getType()))
      return op->emitOpError("of a tensor has no bufferised form: tile and "
                             "vectorise it first");
    FailureOr<Value> dest =
        getBuffer(rewriter, scatter.getDest(), options, state);
    if (failed(dest))
      return failure();
    if (Value condition = scatter.getCondition()) {
      auto branch = scf::IfOp::create(rewriter, op->getLoc(), condition,
                                      /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    auto onBuffers = ScatterOp::create(
        rewriter, op->getLoc(), TypeRange(), value, *dest, scatter.getOffsets(),
        scatter.getPhase(), scatter.getViews(), scatter.getChannelsFirstAttr());
    onBuffers.setZeroFill(scatter.getZeroFill());
    if (scatter.getResult())
      replaceOpWithBufferizedValues(rewriter, op, *dest);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct DepthwiseModel
    : public BufferizableOpInterface::ExternalModel<DepthwiseModel,
                                                    DepthwiseOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto sums = cast<DepthwiseOp>(op);
    if (!isa<VectorType>(sums.getResultType()))
      return op->emitOpError("has no place in memory: tile and vectorise it "
                             "first");
    FailureOr<Value> source =
        getBuffer(rewriter, sums.getSource(), options, state);
    FailureOr<Value> filter =
        getBuffer(rewriter, sums.getFilter(), options, state);
    if (failed(source) || failed(filter))
      return failure();
    replaceOpWithNewBufferizedOp<DepthwiseOp>(
        rewriter, op, sums.getResultType(), *source, *filter, sums.getOffsets(),
        sums.getView(), sums.getDilationAttr(), sums.getChannelsFirst(),
        sums.getScheduleAttr(), sums.getPrecisionTypeAttr());
    return success();
  }
};

} // namespace

void conv::registerBufferizableMatrixOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ConvDialect *) {
    Im2colOp::attachInterface<Im2colModel>(*context);
    ScatterOp::attachInterface<ScatterModel>(*context);
    DepthwiseOp::attachInterface<DepthwiseModel>(*context);
  });
}
