//===- DimensionNumbers.cpp - #stablehlo.conv and #stablehlo.dot ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace mlir;
using namespace mlir::conv::stablehlo;

using Numbers = ConvDimensionNumbersAttr;

/// The two letters of a tensor: for its batch (or output feature) and feature.
namespace {
struct Letters {
  char batch, feature;
};
} // namespace

static constexpr Letters kImageLetters = {'b', 'f'}, kFilterLetters = {'o', 'i'};

/// One entry of a list: a letter of the tensor or a number.
static ParseResult parseEntry(AsmParser &parser, Letters letters,
                              int64_t &entry) {
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult number = parser.parseOptionalInteger(entry);
  if (number.has_value()) {
    if (failed(*number) || entry >= 0)
      return *number;
    return parser.emitError(loc) << "expected the number of a spatial "
                                    "dimension, but got "
                                 << entry;
  }
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)) || name.size() != 1 ||
      (name[0] != letters.batch && name[0] != letters.feature))
    return parser.emitError(loc)
           << "expected '" << Twine(letters.batch) << "', '"
           << Twine(letters.feature)
           << "' or the number of a spatial dimension";
  entry = name[0] == letters.batch ? Numbers::kBatch : Numbers::kFeature;
  return success();
}

static ParseResult parseList(AsmParser &parser, Letters letters,
                             SmallVectorImpl<int64_t> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseEntry(parser, letters, list.emplace_back());
  });
}

Numbers Numbers::parseBare(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> lhs, rhs, output;
  if (parseList(parser, kImageLetters, lhs) || parser.parseKeyword("x") ||
      parseList(parser, kFilterLetters, rhs) || parser.parseArrow() ||
      parseList(parser, kImageLetters, output))
    return {};
  return parser.getChecked<Numbers>(loc, parser.getContext(), ArrayRef(lhs),
                                    ArrayRef(rhs), ArrayRef(output));
}

Attribute Numbers::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  Numbers attr = parseBare(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

static void printList(AsmPrinter &printer, Letters letters,
                      ArrayRef<int64_t> list) {
  printer << '[';
  llvm::interleaveComma(list, printer, [&](int64_t entry) {
    if (entry >= 0)
      printer << entry;
    else
      printer << (entry == Numbers::kBatch ? letters.batch : letters.feature);
  });
  printer << ']';
}

void Numbers::printBare(AsmPrinter &printer) const {
  printList(printer, kImageLetters, getLhs());
  printer << 'x';
  printList(printer, kFilterLetters, getRhs());
  printer << "->";
  printList(printer, kImageLetters, getOutput());
}

void Numbers::print(AsmPrinter &printer) const {
  printer << '<';
  printBare(printer);
  printer << '>';
}

/// Every entry stands in the list once: both letters and all numbers.
static LogicalResult
verifyList(function_ref<InFlightDiagnostic()> emitError, StringRef name,
           Letters letters, ArrayRef<int64_t> list) {
  auto check = [&](int64_t entry, const Twine &text) -> LogicalResult {
    int64_t times = llvm::count(list, entry);
    if (times == 1)
      return success();
    return emitError() << "dimension numbers: expected " << text
                       << " once among the dimensions of " << name
                       << ", but it is there " << times << " times";
  };
  if (failed(check(Numbers::kBatch, "'" + Twine(letters.batch) + "'")) ||
      failed(check(Numbers::kFeature, "'" + Twine(letters.feature) + "'")))
    return failure();
  for (int64_t dim = 0; dim + 2 < int64_t(list.size()); ++dim)
    if (failed(check(dim, Twine(dim))))
      return failure();
  return success();
}

LogicalResult Numbers::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                              ArrayRef<int64_t> output) {
  if (lhs.size() != rhs.size() || lhs.size() != output.size())
    return emitError() << "dimension numbers: expected as many of all three "
                          "tensors, but got "
                       << lhs.size() << ", " << rhs.size() << " and "
                       << output.size();
  return success(
      succeeded(verifyList(emitError, "the left operand", kImageLetters, lhs)) &&
      succeeded(
          verifyList(emitError, "the right operand", kFilterLetters, rhs)) &&
      succeeded(verifyList(emitError, "the result", kImageLetters, output)));
}

//===----------------------------------------------------------------------===//
// #stablehlo.dot
//===----------------------------------------------------------------------===//

using DotNumbers = DotDimensionNumbersAttr;

static constexpr std::array<StringLiteral, 4> kDotLists = {
    "lhs_batching_dimensions", "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions"};

Attribute DotNumbers::parse(AsmParser &parser, Type) {
  std::array<SmallVector<int64_t>, 4> lists;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    const auto *found = llvm::find(kDotLists, name);
    if (found == kDotLists.end())
      return parser.emitError(loc)
             << "expected one of " << llvm::join(kDotLists, ", ")
             << ", but got '" << name << "'";
    SmallVector<int64_t> &list = lists[found - kDotLists.begin()];
    if (!list.empty())
      return parser.emitError(loc) << "'" << name << "' stands here twice";
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(list.emplace_back());
    });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3]);
}

void DotNumbers::print(AsmPrinter &printer) const {
  std::array<ArrayRef<int64_t>, 4> lists = {getLhsBatching(), getRhsBatching(),
                                            getLhsContracting(),
                                            getRhsContracting()};
  printer << '<';
  bool isFirst = true;
  for (auto [name, list] : llvm::zip(kDotLists, lists)) {
    if (list.empty())
      continue;
    printer << (isFirst ? "" : ", ") << name << " = [" << list << ']';
    isFirst = false;
  }
  printer << '>';
}
