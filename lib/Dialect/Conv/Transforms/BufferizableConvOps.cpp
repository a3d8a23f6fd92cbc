//===- BufferizableConvOps.cpp - convolutions on buffers ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: forward, dgrad or wgrad on tensors. Output: the same op on memrefs.
// The destination is written without having been read, so what it held before
// need not be kept or copied.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/Transforms/BufferizableConvOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::bufferization;

namespace {

template <typename ConvOp>
struct ConvBufferization
    : public DstBufferizableOpInterfaceExternalModel<ConvBufferization<ConvOp>,
                                                     ConvOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInput(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    if (cast<DestinationStyleOpInterface>(op).hasPureBufferSemantics())
      return success();
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    mlir::clone(rewriter, op, /*newResultTypes=*/TypeRange(), buffers);
    replaceOpWithBufferizedValues(rewriter, op, buffers.back());
    return success();
  }
};

} // namespace

void conv::registerBufferizableConvOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ConvDialect *) {
    ForwardOp::attachInterface<ConvBufferization<ForwardOp>>(*context);
    DgradOp::attachInterface<ConvBufferization<DgradOp>>(*context);
    WgradOp::attachInterface<ConvBufferization<WgradOp>>(*context);
  });
}
