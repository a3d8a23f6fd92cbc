//===- Criteria.cpp - which convolutions a script means -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Criteria.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

/// The letters of a problem's extents.
static constexpr llvm::StringLiteral kLetters = "nckgdhwtrszpq";

static std::string toText(ArrayRef<int64_t> numbers) {
  return "[" + llvm::join(llvm::map_range(numbers, [](int64_t number) {
                            return std::to_string(number);
                          }),
                          ", ") +
         "]";
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// What a script may name
//===----------------------------------------------------------------------===//

static std::string whyNoKind(StringRef kind) {
  for (ConvKind known : {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad})
    if (kind == toString(known))
      return "";
  return ("expected forward, dgrad or wgrad as kind, got '" + kind + "'").str();
}

/// Numbers of the spatial dimensions.
static std::string whyNoNumbers(StringRef name, ArrayRef<int64_t> numbers) {
  auto isPositive = [](int64_t number) { return number > 0; };
  if (llvm::is_contained({1, 2, 3}, numbers.size()) &&
      llvm::all_of(numbers, isPositive))
    return "";
  return ("expected one to three positive numbers as " + name + ", got " +
          toText(numbers))
      .str();
}

/// Zero is an extent, too: of an empty batch.
static std::string whyNoExtent(NamedAttribute extent) {
  StringRef letter = extent.getName();
  if (letter.size() != 1 || !kLetters.contains(letter))
    return ("expected a letter of '" + kLetters + "' as extent, got '" +
            letter + "'")
        .str();
  auto value = dyn_cast<IntegerAttr>(extent.getValue());
  if (value && value.getValue().isSignedIntN(64) && value.getInt() >= 0)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << extent.getValue();
  return ("expected a number that is not negative as extent '" + letter +
          "', got " + text)
      .str();
}

std::string conv::whyNever(const Criteria &criteria) {
  std::string why;
  if (criteria.kind)
    why = whyNoKind(*criteria.kind);
  if (why.empty() && criteria.filter)
    why = whyNoNumbers("filter", *criteria.filter);
  if (why.empty() && criteria.stride)
    why = whyNoNumbers("stride", *criteria.stride);
  if (criteria.extents)
    for (NamedAttribute extent : criteria.extents)
      if (why.empty())
        why = whyNoExtent(extent);
  return why;
}

//===----------------------------------------------------------------------===//
// What a convolution has
//===----------------------------------------------------------------------===//

/// The extent that a letter names; nothing where the convolution has too few
/// dimensions for it.
static std::optional<int64_t> findExtent(const ConvGeometry &geometry,
                                         char letter) {
  switch (letter) {
  case 'n':
    return geometry.n;
  case 'c':
    return geometry.c;
  case 'k':
    return geometry.k;
  case 'g':
    return geometry.groups;
  }
  for (int dim = 0; dim < geometry.spatialRank; ++dim) {
    if (letter == llvm::toLower(geometry.inputLetter(dim)))
      return geometry.input[dim];
    if (letter == llvm::toLower(geometry.filterLetter(dim)))
      return geometry.filter[dim];
    if (letter == llvm::toLower(geometry.outputLetter(dim)))
      return geometry.output(dim);
  }
  return std::nullopt;
}

static std::string whyOtherExtent(const ConvGeometry &geometry,
                                  NamedAttribute extent) {
  StringRef letter = extent.getName();
  int64_t wanted = cast<IntegerAttr>(extent.getValue()).getInt();
  std::optional<int64_t> has = findExtent(geometry, letter.front());
  if (has == wanted)
    return "";
  std::string got = has ? std::to_string(*has) : "none";
  return ("expected " + letter + " = " + Twine(wanted) + ", got " + got).str();
}

static std::string whyOtherNumbers(StringRef name, ArrayRef<int64_t> wanted,
                                   ArrayRef<int64_t> has) {
  if (wanted == has)
    return "";
  return ("expected " + name + " " + toText(wanted) + ", got " + toText(has))
      .str();
}

static std::string whyOther(ConvOpInterface op, const Criteria &criteria) {
  StringRef kind = toString(op.getConvKind());
  if (criteria.kind && *criteria.kind != kind)
    return ("expected conv." + *criteria.kind + ", got conv." + kind).str();
  Type type = op.getSourceElementType();
  if (criteria.elementType && *criteria.elementType != type)
    return "expected elements of " + toText(*criteria.elementType) + ", got " +
           toText(type);
  FailureOr<ConvGeometry> geometry = op.getGeometry();
  if (failed(geometry))
    return "expected a convolution of static shape";
  ArrayRef<int64_t> filter(geometry->filter.data(), geometry->spatialRank);
  std::string why;
  if (criteria.filter)
    why = whyOtherNumbers("filter", *criteria.filter, filter);
  if (why.empty() && criteria.stride)
    why = whyOtherNumbers("stride", *criteria.stride, op.getStride());
  if (criteria.extents)
    for (NamedAttribute extent : criteria.extents)
      if (why.empty())
        why = whyOtherExtent(*geometry, extent);
  return why;
}

std::string conv::whyNoMatch(Operation *op, const Criteria &criteria) {
  if (auto convolution = dyn_cast<ConvOpInterface>(op))
    return whyOther(convolution, criteria);
  return ("expected a convolution, got " + op->getName().getStringRef()).str();
}
