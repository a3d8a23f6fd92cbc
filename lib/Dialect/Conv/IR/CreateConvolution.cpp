//===- CreateConvolution.cpp - an operation of a kind ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/CreateConvolution.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvKind;

Value conv::createConvolution(OpBuilder &builder, Location loc, ConvKind kind,
                              ValueRange sources, Value dest,
                              const convmlir::ConvGeometry &geometry,
                              Layout layout, const ConvolutionTypes &types) {
  auto create = [&]<typename OpTy>(OpTy *) -> Value {
    return OpTy::create(builder, loc, sources[0], sources[1], dest, geometry,
                        layout, types.accumulation, types.precision)
        .getResult();
  };
  switch (kind) {
  case ConvKind::Forward:
    return create(static_cast<ForwardOp *>(nullptr));
  case ConvKind::Dgrad:
    return create(static_cast<DgradOp *>(nullptr));
  case ConvKind::Wgrad:
    return create(static_cast<WgradOp *>(nullptr));
  }
  llvm_unreachable("unknown kind");
}
