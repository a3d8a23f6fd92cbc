//===- StableHLODialect.cpp - the dialect and its operations -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "Verify.h"
#include "conv/Dialect/StableHLO/IR/CHLOOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;

#include "conv/Dialect/StableHLO/IR/StableHLODialect.cpp.inc"
#include "conv/Dialect/StableHLO/IR/StableHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/StableHLO/IR/StableHLOAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/StableHLO/IR/StableHLOOps.cpp.inc"

#include "conv/Dialect/StableHLO/IR/CHLODialect.cpp.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/StableHLO/IR/CHLOOps.cpp.inc"

namespace {
/// JAX writes a function of its own for what it traced once (relu, clip).
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void StableHLODialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "conv/Dialect/StableHLO/IR/StableHLOAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/StableHLO/IR/StableHLOOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

void chlo::CHLODialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/StableHLO/IR/CHLOOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

bool conv::stablehlo::isStablehlo(Operation *op) {
  return isa_and_nonnull<StableHLODialect, chlo::CHLODialect>(op->getDialect());
}
