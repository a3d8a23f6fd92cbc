//===- ConvolutionRoles.h - which tensor is x, w and y ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reading of a sum of products says which operand is x, w and y. Then the
// part of each loop follows from the operands that it indexes, and with it the
// form of each.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_CONVOLUTIONROLES_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_CONVOLUTIONROLES_H

#include "OperandForm.h"
#include "SumOfProducts.h"
#include "conv/Dialect/Conv/IR/ConvShapes.h"

namespace mlir::conv {

/// Which operand (0 and 1 are inputs, 2 is the result) plays which role.
struct ConvolutionRoles {
  unsigned x, w, y;

  /// Of the gradient whose result plays the role.
  convmlir::ConvKind kind() const;
  unsigned operandOf(TensorRole role) const;
};

/// The loops of every part, in the order of the first tensor that has them.
struct ConvolutionParts {
  SmallVector<unsigned, 2> batch, group, inputChannel, outputChannel;
  /// In the order of the wide tensor; also positions of a filter of one tap.
  SmallVector<SlidingDim, 3> windows;
};

/// At most kMaxSpatialRank windows; the error counts those that there are.
convmlir::Result<ConvolutionParts> readParts(const SumOfProducts &sum,
                                             const ConvolutionRoles &roles);

/// The form of each role's tensor, whose shapes are given by operand, by
/// TensorRole.
std::array<OperandForm, 3>
getForms(const SumOfProducts &sum, const ConvolutionParts &parts,
         const ConvolutionRoles &roles,
         const std::array<ArrayRef<int64_t>, 3> &shapes, Layout layout);

/// Channels last, unless channels first moves fewer tensors, or as many and x
/// has its channels in front of its windows.
Layout chooseLayout(const SumOfProducts &sum, const ConvolutionParts &parts,
                    const ConvolutionRoles &roles,
                    const std::array<ArrayRef<int64_t>, 3> &shapes);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_CONVOLUTIONROLES_H
