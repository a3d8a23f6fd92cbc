//===- KernelAttributes.h - attributes of a kernel --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_KERNELATTRIBUTES_H
#define CONV_DIALECT_CONV_IR_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::conv {

/// Name of the unit attribute of a kernel whose threads share nothing: it has
/// no ring, and what one thread does is all that is to be said of it.
inline constexpr llvm::StringLiteral kPlainKernelAttrName = "conv.plain";

/// Name of the attribute with the schedule of a kernel of algorithm=loops, which
/// is plain, or whose workgroups multiply bands on tensor cores; of the loop
/// over these workgroups as well.
inline constexpr llvm::StringLiteral kLoopsAttrName = "conv.loops";

/// Name of the integer attribute of kernels whose helpers sum rows: how many
/// sums of each column they keep, which are added in pairs at a tile's end.
inline constexpr llvm::StringLiteral kRowSumsAttrName = "conv.row_sums";

/// Name of the attribute of plain kernels that add: an array of how many lanes
/// of a warp share a sum, each of which adds every so manieth addend. What no
/// lanes share is added in ascending order.
inline constexpr llvm::StringLiteral kSumLanesAttrName = "conv.sum_lanes";

/// Name of the attribute of a loop over the items of a kernel whose workgroups
/// stay: an affine map of a workgroup's number. The largest of its results says
/// how many of the numbers w, w + W, w + 2 W, … are items of workgroup w of W;
/// those behind them are no items. Without it, all below the loop's end are.
inline constexpr llvm::StringLiteral kItemsAttrName = "conv.items";

/// Name of the integer attribute that keeps equal `tensor.empty` apart, each
/// with a number of its own, in functions where very many results have one type
/// (conv-divide-empties).
inline constexpr llvm::StringLiteral kGroupAttrName = "conv.group";

/// Name of the unit attribute of operations that the producer of a kernel
/// executes once its warps have roles.
inline constexpr llvm::StringLiteral kProducerAttrName = "conv.producer";
/// An integer: the same of operations that all threads of so many warps of the
/// producer execute; those with the other name are executed by one of them.
inline constexpr llvm::StringLiteral kProducersAttrName = "conv.producers";

/// The same of operations that one thread of another warp of the producer
/// executes, beside those of which two work together: it waits for less, and
/// runs ahead.
inline constexpr llvm::StringLiteral kLoaderAttrName = "conv.loader";

/// The same of operations that helpers execute: warps of the producer's
/// warpgroup that read what consumers multiply.
inline constexpr llvm::StringLiteral kHelperAttrName = "conv.helper";

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_KERNELATTRIBUTES_H
