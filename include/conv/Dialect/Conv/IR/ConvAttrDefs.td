//===- ConvAttrDefs.td - all attributes of the dialect -----*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect has one parser and one printer for all of its attributes, which
// are made of this. Classes are declared where each attribute is.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVATTRDEFS_TD
#define CONV_DIALECT_CONV_IR_CONVATTRDEFS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "conv/Dialect/Conv/IR/ConvChip.td"
include "conv/Dialect/Conv/IR/KernelPlan.td"

#endif // CONV_DIALECT_CONV_IR_CONVATTRDEFS_TD
