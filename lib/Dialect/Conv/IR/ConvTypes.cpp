//===- ConvTypes.cpp - element and accumulation types ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the types of a convolution. Output: the default accumulation type, or
// the rule that the types break.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Constraint;
using convmlir::violation;

Type conv::getDefaultAccType(Type elementType) {
  Builder builder(elementType.getContext());
  if (auto type = dyn_cast<FloatType>(elementType))
    return type.getWidth() < 64 ? builder.getF32Type() : elementType;
  if (auto type = dyn_cast<IntegerType>(elementType))
    return builder.getIntegerType(type.getWidth() <= 16 ? 32 : 64);
  return elementType;
}

/// The type in quotes, as diagnostics print types.
static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

/// Whether every value of `from` is one of `to`, for the types in use: float or
/// signless integer, the same or wider.
static bool canHold(Type to, Type from) {
  if (to == from)
    return true;
  bool sameClass = isa<FloatType>(to) == isa<FloatType>(from);
  return sameClass && to.isIntOrFloat() &&
         to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
}

/// Products of 8-bit floats need more than 8 bits, those of integers twice the
/// width of their factors (as far as 64 bits).
static bool canAccumulate(Type acc, Type element) {
  if (!canHold(acc, element))
    return false;
  unsigned width = element.getIntOrFloatBitWidth();
  unsigned least = isa<FloatType>(element) ? 16 : std::min(2 * width, 64u);
  return acc.getIntOrFloatBitWidth() >= least;
}

convmlir::Status conv::checkElementTypes(Type first, Type second, Type result,
                                         Type acc) {
  if (!areFactors(first, second))
    return violation(Constraint::ElementTypes,
                     "both inputs must have the same element type, or be "
                     "'f8E4M3FN' and 'f8E5M2', but have " +
                         toString(first) + " and " + toString(second));
  if (!isa<FloatType>(first) && !first.isSignlessInteger())
    return violation(Constraint::ElementTypes,
                     "elements must be floats or signless integers, but are " +
                         toString(first));
  for (Type source : {first, second})
    if (!canHold(result, source))
      return violation(Constraint::ElementTypes,
                       "the result must have elements of " + toString(source) +
                           " or a wider type of its kind, but has " +
                           toString(result));
  if (!acc.isIntOrFloat() || !canAccumulate(acc, first))
    return violation(Constraint::AccumulationType,
                     "acc_type " + toString(acc) + " cannot hold products of " +
                         toString(first) + "; " +
                         toString(getDefaultAccType(first)) + " can");
  return {};
}

convmlir::Status conv::checkPrecision(Type element, Type precision) {
  if (element.isF32() && isa<FloatTF32Type>(precision))
    return {};
  return violation(Constraint::Precision,
                   "the precision of products can be 'tf32' where elements are "
                   "'f32', but is " +
                       toString(precision) + " where they are " +
                       toString(element));
}
