//===- Constraints.h - numbered rules of a convolution ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that make a convolution well formed, each with the label and the
// wording that the verifiers, the problem grammar, docs/ConvSpec.md and the
// negative tests share. ConvGeometry::check() tests those on the shape, in
// this order; the dialect's verifiers test the rest, which are about operands.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_CONSTRAINTS_H
#define CONV_GEOMETRY_CONSTRAINTS_H

#include "conv/Support/Result.h"

#include <string>
#include <vector>

namespace convmlir {

/// Rule conv-cN has the value N. Numbers are never reused.
enum class Constraint {
  // On the shape: ConvGeometry::check().
  SpatialRank = 1,
  BatchNotNegative = 2,
  PositiveExtents = 3,
  PositiveGroups = 4,
  GroupsDivideInputChannels = 5,
  GroupsDivideOutputChannels = 6,
  PositiveStride = 7,
  PositiveDilation = 8,
  PositiveInputDilation = 9,
  ParameterRange = 10,
  CropLeavesInput = 11,
  WindowFits = 12,
  ElementCounts = 13,
  // On operands and attributes: the verifiers of the dialect.
  AttributeLength = 14,
  OperandRank = 15,
  OperandExtent = 16,
  ElementTypes = 17,
  AccumulationType = 18,
  StaticShape = 19,
  OneValueKind = 20,
  Precision = 21,
};

/// Every constraint, by number.
const std::vector<Constraint> &allConstraints();

/// "conv-c5".
std::string label(Constraint constraint);

/// The rule as a sentence without values, as docs/ConvSpec.md states it.
const char *rule(Constraint constraint);

/// The error "conv-c5: <detail>". The detail names the values: what was
/// expected and what came.
Error violation(Constraint constraint, const std::string &detail);

} // namespace convmlir

#endif // CONV_GEOMETRY_CONSTRAINTS_H
