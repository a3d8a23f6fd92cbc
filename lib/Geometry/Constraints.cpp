//===- Constraints.cpp - numbered rules of a convolution ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a rule. Output: its label, its sentence, or an error that quotes it.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/Constraints.h"

using namespace convmlir;

const std::vector<Constraint> &convmlir::allConstraints() {
  static const std::vector<Constraint> all = [] {
    std::vector<Constraint> list;
    for (int i = 1; i <= static_cast<int>(Constraint::Precision); ++i)
      list.push_back(static_cast<Constraint>(i));
    return list;
  }();
  return all;
}

std::string convmlir::label(Constraint constraint) {
  return "conv-c" + std::to_string(static_cast<int>(constraint));
}

const char *convmlir::rule(Constraint constraint) {
  switch (constraint) {
  case Constraint::SpatialRank:
    return "a convolution has 1, 2 or 3 spatial dimensions";
  case Constraint::BatchNotNegative:
    return "the batch N is not negative; with 0 there is nothing to multiply";
  case Constraint::PositiveExtents:
    return "C, K, every input extent and every filter extent are at least 1";
  case Constraint::PositiveGroups:
    return "the number of groups is at least 1";
  case Constraint::GroupsDivideInputChannels:
    return "the number of groups divides the input channels C";
  case Constraint::GroupsDivideOutputChannels:
    return "the number of groups divides the output channels K";
  case Constraint::PositiveStride:
    return "every stride is at least 1";
  case Constraint::PositiveDilation:
    return "every dilation is at least 1";
  case Constraint::PositiveInputDilation:
    return "every input dilation is at least 1";
  case Constraint::ParameterRange:
    return "no extent, stride, dilation, padding or group count exceeds "
           "2^31 - 1 in magnitude";
  case Constraint::CropLeavesInput:
    return "negative padding leaves at least one position of the dilated input";
  case Constraint::WindowFits:
    return "the dilated filter fits the padded input at least once";
  case Constraint::ElementCounts:
    return "x, w and y have fewer than 2^63 elements each";
  case Constraint::AttributeLength:
    return "strides, paddings and dilations have one entry per spatial "
           "dimension";
  case Constraint::OperandRank:
    return "every operand has two dimensions more than the convolution has "
           "spatial ones";
  case Constraint::OperandExtent:
    return "every extent of every operand is the one that the convolution "
           "gives it";
  case Constraint::ElementTypes:
    return "both inputs have the same element type, or are f8E4M3FN and "
           "f8E5M2, and the result one that can hold it";
  case Constraint::AccumulationType:
    return "the accumulation type can hold the products of the element types";
  case Constraint::StaticShape:
    return "every operand has a static shape";
  case Constraint::OneValueKind:
    return "the operands are all tensors or all buffers";
  case Constraint::Precision:
    return "the sources are rounded to tf32 before they are multiplied only "
           "where they are f32";
  }
  return "";
}

Error convmlir::violation(Constraint constraint, const std::string &detail) {
  return Error{label(constraint) + ": " + detail};
}
