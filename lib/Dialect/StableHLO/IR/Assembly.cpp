//===- Assembly.cpp - custom syntax of StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

using namespace mlir;
using namespace mlir::conv::stablehlo;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `(type, …) -> type` for as many as there are.
static ParseResult parseFunctional(OpAsmParser &parser,
                                   ArrayRef<Type *> operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseType(type))
    return failure();
  if (type.getNumInputs() != operands.size() || type.getNumResults() != 1)
    return parser.emitError(loc) << "expected types of " << operands.size()
                                 << " operands and one result, but got "
                                 << type;
  for (auto [to, from] : llvm::zip(operands, type.getInputs()))
    *to = from;
  result = type.getResult(0);
  return success();
}

/// Whether the next token opens `(type, …) -> type`; nothing is consumed.
static ParseResult parseOneOrFunctional(OpAsmParser &parser,
                                        ArrayRef<Type *> operands,
                                        Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (loc.getPointer() && *loc.getPointer() == '(')
    return parseFunctional(parser, operands, result);
  if (parser.parseType(result))
    return failure();
  for (Type *operand : operands)
    *operand = result;
  return success();
}

static void printOneOrFunctional(OpAsmPrinter &printer, ArrayRef<Type> operands,
                                 Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printer.printFunctionalType(operands, ArrayRef<Type>(result));
}

ParseResult conv::stablehlo::parseUnaryType(OpAsmParser &parser, Type &operand,
                                            Type &result) {
  return parseOneOrFunctional(parser, {&operand}, result);
}

void conv::stablehlo::printUnaryType(OpAsmPrinter &printer, Operation *,
                                     Type operand, Type result) {
  printOneOrFunctional(printer, {operand}, result);
}

ParseResult conv::stablehlo::parseTernaryTypes(OpAsmParser &parser, Type &first,
                                               Type &second, Type &third,
                                               Type &result) {
  return parseOneOrFunctional(parser, {&first, &second, &third}, result);
}

void conv::stablehlo::printTernaryTypes(OpAsmPrinter &printer, Operation *,
                                        Type first, Type second, Type third,
                                        Type result) {
  printOneOrFunctional(printer, {first, second, third}, result);
}

ParseResult conv::stablehlo::parseSelectTypes(OpAsmParser &parser, Type &pred,
                                              Type &onTrue, Type &onFalse,
                                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (loc.getPointer() && *loc.getPointer() == '(')
    return parseFunctional(parser, {&pred, &onTrue, &onFalse}, result);
  if (parser.parseType(pred) || parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void conv::stablehlo::printSelectTypes(OpAsmPrinter &printer, Operation *,
                                       Type pred, Type onTrue, Type onFalse,
                                       Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printOneOrFunctional(printer, {pred, onTrue, onFalse}, result);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static ParseResult parseNumbers(AsmParser &parser,
                                SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

ParseResult conv::stablehlo::parseDims(OpAsmParser &parser,
                                       DenseI64ArrayAttr &attr) {
  SmallVector<int64_t> numbers;
  if (parseNumbers(parser, numbers))
    return failure();
  attr = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

void conv::stablehlo::printDims(OpAsmPrinter &printer, Operation *,
                                DenseI64ArrayAttr attr) {
  printer << '[' << attr.asArrayRef() << ']';
}

ParseResult conv::stablehlo::parseInputs(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs) {
  OpAsmParser::UnresolvedOperand input;
  OptionalParseResult parsed;
  while ((parsed = parser.parseOptionalOperand(input)).has_value()) {
    if (failed(*parsed) || parser.parseComma())
      return failure();
    inputs.push_back(input);
  }
  return success();
}

void conv::stablehlo::printInputs(OpAsmPrinter &printer, Operation *,
                                  OperandRange inputs) {
  for (Value input : inputs)
    printer << input << ", ";
}

/// `start:limit`, or `start:limit:stride`.
static ParseResult parseRange(OpAsmParser &parser,
                              SmallVectorImpl<int64_t> &starts,
                              SmallVectorImpl<int64_t> &limits,
                              SmallVectorImpl<int64_t> &strides) {
  if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
      parser.parseInteger(limits.emplace_back()))
    return failure();
  strides.push_back(1);
  if (failed(parser.parseOptionalColon()))
    return success();
  return parser.parseInteger(strides.back());
}

ParseResult conv::stablehlo::parseRanges(OpAsmParser &parser,
                                         DenseI64ArrayAttr &starts,
                                         DenseI64ArrayAttr &limits,
                                         DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> lists[3];
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseRange(parser, lists[0], lists[1], lists[2]);
      }))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(lists[0]);
  limits = parser.getBuilder().getDenseI64ArrayAttr(lists[1]);
  strides = parser.getBuilder().getDenseI64ArrayAttr(lists[2]);
  return success();
}

void conv::stablehlo::printRanges(OpAsmPrinter &printer, Operation *,
                                  DenseI64ArrayAttr starts,
                                  DenseI64ArrayAttr limits,
                                  DenseI64ArrayAttr strides) {
  auto ranges = llvm::zip(starts.asArrayRef(), limits.asArrayRef(),
                          strides.asArrayRef());
  printer << '[';
  llvm::interleaveComma(ranges, printer, [&](auto range) {
    auto [start, limit, stride] = range;
    printer << start << ':' << limit;
    if (stride != 1)
      printer << ':' << stride;
  });
  printer << ']';
}

/// `[[low, high], …]`
static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &attr) {
  SmallVector<int64_t> all;
  int64_t rows = 0;
  auto parseRow = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> row;
    if (parseNumbers(parser, row))
      return failure();
    if (row.size() != 2)
      return parser.emitError(loc) << "expected [low, high], but got "
                                   << row.size() << " numbers";
    all.append(row);
    ++rows;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return failure();
  auto type = RankedTensorType::get({rows, 2}, parser.getBuilder().getI64Type());
  attr = DenseIntElementsAttr::get(type, all);
  return success();
}

/// `true`, `false`, or a number, as older versions print it.
static ParseResult parseBool(OpAsmParser &parser, bool &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"true", "false"}))) {
    value = keyword == "true";
    return success();
  }
  int64_t number = 0;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (!parsed.has_value())
    return parser.emitError(loc, "expected true or false");
  value = number != 0;
  return *parsed;
}

static ParseResult parseReversal(OpAsmParser &parser,
                                 DenseBoolArrayAttr &attr) {
  SmallVector<bool> values;
  auto parseOne = [&] {
    bool value = false;
    ParseResult result = parseBool(parser, value);
    values.push_back(value);
    return result;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  attr = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

namespace {
/// The attributes that an entry of the window may be.
struct WindowAttributes {
  DenseI64ArrayAttr &strides;
  DenseIntElementsAttr &padding;
  DenseI64ArrayAttr &lhsDilation, &rhsDilation;
  DenseBoolArrayAttr &reversal;

  ParseResult parse(OpAsmParser &parser, StringRef name) {
    if (name == "stride")
      return parseDims(parser, strides);
    if (name == "pad")
      return parsePadding(parser, padding);
    if (name == "lhs_dilate")
      return parseDims(parser, lhsDilation);
    if (name == "rhs_dilate")
      return parseDims(parser, rhsDilation);
    return parseReversal(parser, reversal);
  }
};
} // namespace

ParseResult conv::stablehlo::parseWindow(OpAsmParser &parser,
                                         DenseI64ArrayAttr &strides,
                                         DenseIntElementsAttr &padding,
                                         DenseI64ArrayAttr &lhsDilation,
                                         DenseI64ArrayAttr &rhsDilation,
                                         DenseBoolArrayAttr &reversal) {
  WindowAttributes attributes = {strides, padding, lhsDilation, rhsDilation,
                                 reversal};
  static constexpr StringRef names[] = {"stride", "pad", "lhs_dilate",
                                        "rhs_dilate", "reverse"};
  SmallVector<StringRef> seen;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name))) {
      if (seen.empty())
        return success();
      return parser.emitError(loc, "expected a part of the window behind ','");
    }
    if (!llvm::is_contained(names, name))
      return parser.emitError(loc)
             << "expected stride, pad, lhs_dilate, rhs_dilate or reverse, but "
                "got '"
             << name << "'";
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc) << "'" << name << "' stands here twice";
    seen.push_back(name);
    if (parser.parseEqual() || attributes.parse(parser, name))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

static void printPadding(OpAsmPrinter &printer, DenseIntElementsAttr padding) {
  auto values = llvm::to_vector(padding.getValues<int64_t>());
  printer << "pad = [";
  for (size_t i = 0; i + 1 < values.size(); i += 2)
    printer << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << ']';
  printer << ']';
}

void conv::stablehlo::printWindow(OpAsmPrinter &printer, Operation *,
                                  DenseI64ArrayAttr strides,
                                  DenseIntElementsAttr padding,
                                  DenseI64ArrayAttr lhsDilation,
                                  DenseI64ArrayAttr rhsDilation,
                                  DenseBoolArrayAttr reversal) {
  bool isFirst = true;
  auto separate = [&] {
    if (!std::exchange(isFirst, false))
      printer << ", ";
  };
  auto printList = [&](StringRef name, DenseI64ArrayAttr list) {
    if (!list)
      return;
    separate();
    printer << name << " = [" << list.asArrayRef() << ']';
  };
  printList("stride", strides);
  if (padding) {
    separate();
    printPadding(printer, padding);
  }
  printList("lhs_dilate", lhsDilation);
  printList("rhs_dilate", rhsDilation);
  if (!reversal)
    return;
  separate();
  printer << "reverse = [";
  llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
    printer << (value ? "true" : "false");
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

ParseResult
conv::stablehlo::parseDimensionNumbers(OpAsmParser &parser,
                                       ConvDimensionNumbersAttr &attr) {
  attr = ConvDimensionNumbersAttr::parseBare(parser);
  return success(attr != nullptr);
}

void conv::stablehlo::printDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                            ConvDimensionNumbersAttr attr) {
  attr.printBare(printer);
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// `[0] x [1]`
static ParseResult parsePair(AsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                             SmallVectorImpl<int64_t> &rhs) {
  return failure(parseNumbers(parser, lhs) || parser.parseKeyword("x") ||
                 parseNumbers(parser, rhs));
}

ParseResult
conv::stablehlo::parseDotDimensions(OpAsmParser &parser,
                                    DotDimensionNumbersAttr &attr) {
  SmallVector<int64_t> lists[4];
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parser.parseEqual() || parsePair(parser, lists[0], lists[1]) ||
        parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parsePair(parser, lists[2], lists[3]))
    return failure();
  attr = DotDimensionNumbersAttr::get(parser.getContext(), lists[0], lists[1],
                                      lists[2], lists[3]);
  return success();
}

void conv::stablehlo::printDotDimensions(OpAsmPrinter &printer, Operation *,
                                         DotDimensionNumbersAttr attr) {
  if (!attr.getLhsBatching().empty() || !attr.getRhsBatching().empty())
    printer << "batching_dims = [" << attr.getLhsBatching() << "] x ["
            << attr.getRhsBatching() << "], ";
  printer << "contracting_dims = [" << attr.getLhsContracting() << "] x ["
          << attr.getRhsContracting() << ']';
}

static ParseResult parsePrecision(OpAsmParser &parser,
                                  SmallVectorImpl<Attribute> &precisions) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Precision> precision = symbolizePrecision(name);
  if (!precision)
    return parser.emitError(loc)
           << "expected DEFAULT, HIGH or HIGHEST, but got '" << name << "'";
  precisions.push_back(PrecisionAttr::get(parser.getContext(), *precision));
  return success();
}

ParseResult conv::stablehlo::parsePrecisions(OpAsmParser &parser,
                                             ArrayAttr &attr) {
  if (failed(parser.parseOptionalComma()))
    return success();
  SmallVector<Attribute> precisions;
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parsePrecision(parser, precisions);
      }))
    return failure();
  attr = parser.getBuilder().getArrayAttr(precisions);
  return success();
}

void conv::stablehlo::printPrecisions(OpAsmPrinter &printer, Operation *,
                                      ArrayAttr attr) {
  if (!attr)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(attr.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr precision) {
                          printer << stringifyPrecision(precision.getValue());
                        });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `applies stablehlo.add`: the name of the operation.
static ParseResult parseCombiner(OpAsmParser &parser, OperationName &name) {
  StringRef given;
  if (parser.parseKeyword("applies"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&given))
    return failure();
  for (StringRef known : {AddOp::getOperationName(), MaxOp::getOperationName(),
                          MinOp::getOperationName()})
    if (given == known) {
      name = OperationName(known, parser.getContext());
      return success();
    }
  return parser.emitError(loc)
         << "applies " << given << ": expected " << AddOp::getOperationName()
         << ", " << MaxOp::getOperationName() << " or "
         << MinOp::getOperationName();
}

/// The body of two elements, one operation on them and its result.
static void makeBody(OpAsmParser &parser, OperationState &state,
                     OperationName combiner, RankedTensorType type) {
  Type element = RankedTensorType::get({}, type.getElementType());
  Location loc = state.location;
  Block &block = state.addRegion()->emplaceBlock();
  block.addArguments({element, element}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(loc, combiner);
  inner.addOperands(block.getArguments());
  inner.addTypes(element);
  Operation *made = builder.create(inner);
  ReturnOp::create(builder, loc, made->getResult(0));
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands(2);
  OperationName combiner = state.name;
  DenseI64ArrayAttr dimensions;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperand(operands[0]) ||
      parser.parseKeyword("init") || parser.parseColon() ||
      parser.parseOperand(operands[1]) || parser.parseRParen() ||
      parseCombiner(parser, combiner) || parser.parseKeyword("across") ||
      parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDims(parser, dimensions) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type.getInput(0));
  if (!tensor)
    return parser.emitError(loc)
           << "expected a tensor, but got " << type.getInput(0);
  state.addTypes(type.getResults());
  state.addAttribute(getDimensionsAttrName(state.name), dimensions);
  makeBody(parser, state, combiner, tensor);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInput() << " init: " << getInitValue() << ") applies "
          << getCombiner().getName() << " across dimensions = ";
  printDims(printer, *this, getDimensionsAttr());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getDimensionsAttrName()});
  printer << " : ";
  printer.printFunctionalType(getOperation());
}
