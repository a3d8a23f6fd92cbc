//===- ScheduleAttr.cpp - text and rules of #conv.schedule ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute is printed as the text of `--schedule`, and read in either
// spelling: keys in any order, with or without commas between them.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ScheduleKeys.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::conv;

#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, ...)              \
  ScheduleView<schedule_kind::Kind> ScheduleAttr::get##Key() const {           \
    return getFields().Field;                                                  \
  }                                                                            \
  ScheduleAttr ScheduleAttr::with##Key(                                        \
      ScheduleView<schedule_kind::Kind> value) const {                         \
    ScheduleFields fields = getFields();                                       \
    fields.Field = schedule_kind::Kind(value);                                 \
    return get(getContext(), fields);                                          \
  }
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"

using SeenKeys = llvm::SmallSet<ScheduleKey, 18>;

/// "split-k": words with hyphens between them. An editor offers the keys that
/// are not there yet.
static ParseResult parseKey(AsmParser &parser, const SeenKeys &seen,
                            std::string &name) {
  SmallVector<StringRef> offered;
  for (const ScheduleKeyInfo &info : getScheduleKeys())
    if (!seen.contains(info.key))
      offered.push_back(info.name);
  StringRef word;
  if (parser.parseOptionalKeyword(&word, offered) && parser.parseKeyword(&word))
    return failure();
  name = word.str();
  while (succeeded(parser.parseOptionalMinus())) {
    if (parser.parseKeyword(&word))
      return failure();
    name += ("-" + word).str();
  }
  return success();
}

/// The number behind a '-'. No key has one as low as the lowest of 64 bits.
static ParseResult parseNegative(AsmParser &parser, int64_t &number) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  if (number < 0)
    return parser.emitError(loc, "expected a number behind '-'");
  number = -number;
  return success();
}

/// "128x64x32" or "[128, 64, 32]".
static ParseResult parseNumbers(AsmParser &parser, ScheduleNumbers &numbers) {
  if (succeeded(parser.parseOptionalLSquare())) {
    auto parseEntry = [&] {
      return parser.parseInteger(numbers.emplace_back());
    };
    return failure(failed(parser.parseCommaSeparatedList(parseEntry)) ||
                   failed(parser.parseRSquare()));
  }
  if (succeeded(parser.parseOptionalMinus()))
    return parseNegative(parser, numbers.emplace_back());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(numbers, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  if (numbers.empty())
    return parser.emitError(loc, "expected the value of a key of a schedule");
  return success();
}

/// An editor offers the words of this key.
static ParseResult parseValue(AsmParser &parser, ScheduleKey key,
                              ScheduleValue &value) {
  SmallVector<StringRef> offered = getValueWords(key);
  if ((!offered.empty() &&
       succeeded(parser.parseOptionalKeyword(&value.word, offered))) ||
      succeeded(parser.parseOptionalKeyword(&value.word)))
    return success();
  return parseNumbers(parser, value.numbers);
}

/// One key with its value.
static ParseResult parseField(AsmParser &parser, ScheduleFields &fields,
                              SeenKeys &seen) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (parseKey(parser, seen, name))
    return failure();
  const ScheduleKeyInfo *info = findScheduleKey(name);
  if (!info)
    return parser.emitError(loc, "schedule: ") << getUnknownKeyText(name);
  if (!seen.insert(info->key).second)
    return parser.emitError(loc)
           << "'" << info->name << "' of a schedule is given twice";
  ScheduleValue value;
  if (parser.parseEqual() || parseValue(parser, info->key, value))
    return failure();
  if (!setScheduleField(fields, info->key, value))
    return parser.emitError(loc)
           << "expected " << getExpectedValues(info->key) << " for '"
           << info->name << "' of a schedule";
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ScheduleFields fields;
  SeenKeys seen;
  if (parser.parseLess())
    return {};
  while (failed(parser.parseOptionalGreater())) {
    if (parseField(parser, fields, seen))
      return {};
    (void)parser.parseOptionalComma();
  }
  for (const ScheduleKeyInfo &info : getScheduleKeys())
    if (info.presence == KeyPresence::Required && !seen.contains(info.key)) {
      parser.emitError(loc) << "'" << info.name
                            << "' of a schedule is not given";
      return {};
    }
  return parser.getChecked<ScheduleAttr>(loc, parser.getContext(), fields);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << '<' << getScheduleText(getFields()) << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleFields fields) {
  for (const ScheduleKeyInfo &info : getScheduleKeys())
    if (std::string why = whyInvalid(fields, info.key); !why.empty())
      return emitError() << "'" << info.name << "' of a schedule " << why;
  return success();
}
