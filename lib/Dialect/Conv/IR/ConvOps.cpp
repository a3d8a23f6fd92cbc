//===- ConvOps.cpp - forward, dgrad, wgrad --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly, builders, effects and shapes of the three convolutions. Their
// verifier is in ConvOpsVerify.cpp, their canonicalisation in
// ConvOpsCanonicalize.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;

//===----------------------------------------------------------------------===//
// Assembly: custom<Window>
//===----------------------------------------------------------------------===//

/// `keyword [v, ...]`, or `rank` times `missing` where the keyword is absent.
static ParseResult parseSpatial(OpAsmParser &parser, StringRef keyword,
                                size_t rank, int64_t missing,
                                DenseI64ArrayAttr &attr) {
  SmallVector<int64_t> values;
  if (failed(parser.parseOptionalKeyword(keyword)))
    values.assign(rank, missing);
  else if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
             return parser.parseInteger(values.emplace_back());
           }))
    return failure();
  attr = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

/// `pad [both, low:high, ...]`, or zeros where the keyword is absent.
static ParseResult parsePad(OpAsmParser &parser, size_t rank,
                            DenseI64ArrayAttr &lowAttr,
                            DenseI64ArrayAttr &highAttr) {
  SmallVector<int64_t> low, high;
  auto parseEntry = [&]() -> ParseResult {
    if (parser.parseInteger(low.emplace_back()))
      return failure();
    high.push_back(low.back());
    if (failed(parser.parseOptionalColon()))
      return success();
    return parser.parseInteger(high.back());
  };
  if (failed(parser.parseOptionalKeyword("pad"))) {
    low.assign(rank, 0);
    high.assign(rank, 0);
  } else if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                            parseEntry)) {
    return failure();
  }
  lowAttr = parser.getBuilder().getDenseI64ArrayAttr(low);
  highAttr = parser.getBuilder().getDenseI64ArrayAttr(high);
  return success();
}

static ParseResult parseLayout(OpAsmParser &parser, LayoutAttr &attr) {
  Layout layout = Layout::NHWC;
  if (succeeded(parser.parseOptionalKeyword("layout"))) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<Layout> parsed = symbolizeLayout(name);
    if (!parsed)
      return parser.emitError(loc)
             << "expected layout nhwc or nchw, but got '" << name << "'";
    layout = *parsed;
  }
  attr = LayoutAttr::get(parser.getContext(), layout);
  return success();
}

/// See the description of conv.forward. `source` is the type of an operand
/// that is read; the defaults follow from its rank and element type.
static ParseResult
parseWindow(OpAsmParser &parser, Type source, DenseI64ArrayAttr &stride,
            DenseI64ArrayAttr &padLow, DenseI64ArrayAttr &padHigh,
            DenseI64ArrayAttr &dilation, DenseI64ArrayAttr &inputDilation,
            IntegerAttr &groups, LayoutAttr &layout, TypeAttr &accType,
            TypeAttr &precisionType, UnitAttr &flip, UnitAttr &accumulate) {
  auto shaped = dyn_cast<ShapedType>(source);
  size_t rank = shaped && shaped.hasRank() && shaped.getRank() > 2
                    ? shaped.getRank() - 2
                    : 0;
  if (parseSpatial(parser, "stride", rank, 1, stride) ||
      parsePad(parser, rank, padLow, padHigh) ||
      parseSpatial(parser, "dilation", rank, 1, dilation) ||
      parseSpatial(parser, "input_dilation", rank, 1, inputDilation))
    return failure();
  int64_t groupCount = 1;
  if (succeeded(parser.parseOptionalKeyword("groups")) &&
      parser.parseInteger(groupCount))
    return failure();
  groups = parser.getBuilder().getI64IntegerAttr(groupCount);
  if (parseLayout(parser, layout))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("flip")))
    flip = parser.getBuilder().getUnitAttr();
  Type acc = getDefaultAccType(getElementTypeOrSelf(source));
  if (succeeded(parser.parseOptionalKeyword("acc")) && parser.parseType(acc))
    return failure();
  accType = TypeAttr::get(acc);
  Type precision;
  if (succeeded(parser.parseOptionalKeyword("precision"))) {
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult parsed = parser.parseOptionalType(precision);
    if (!parsed.has_value())
      return parser.emitError(loc, "expected a type after 'precision'; it can "
                                   "be tf32");
    if (failed(*parsed))
      return failure();
    precisionType = TypeAttr::get(precision);
  }
  if (succeeded(parser.parseOptionalKeyword("accumulate")))
    accumulate = parser.getBuilder().getUnitAttr();
  return success();
}

static void printSpatial(OpAsmPrinter &printer, StringRef keyword,
                         ArrayRef<int64_t> values) {
  if (llvm::all_of(values, [](int64_t value) { return value == 1; }))
    return;
  printer << " " << keyword << " [" << values << "]";
}

static void printPad(OpAsmPrinter &printer, ArrayRef<int64_t> low,
                     ArrayRef<int64_t> high) {
  auto isZero = [](int64_t value) { return value == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return;
  printer << " pad [";
  llvm::interleaveComma(llvm::zip(low, high), printer, [&](auto entry) {
    auto [l, h] = entry;
    printer << l;
    if (h != l)
      printer << ":" << h;
  });
  printer << "]";
}

static void printWindow(OpAsmPrinter &printer, Operation *, Type source,
                        DenseI64ArrayAttr stride, DenseI64ArrayAttr padLow,
                        DenseI64ArrayAttr padHigh, DenseI64ArrayAttr dilation,
                        DenseI64ArrayAttr inputDilation, IntegerAttr groups,
                        LayoutAttr layout, TypeAttr accType,
                        TypeAttr precisionType, UnitAttr flip,
                        UnitAttr accumulate) {
  printSpatial(printer, "stride", stride);
  printPad(printer, padLow, padHigh);
  printSpatial(printer, "dilation", dilation);
  printSpatial(printer, "input_dilation", inputDilation);
  if (groups.getInt() != 1)
    printer << " groups " << groups.getInt();
  if (layout.getValue() != Layout::NHWC)
    printer << " layout " << stringifyLayout(layout.getValue());
  if (flip)
    printer << " flip";
  if (accType.getValue() != getDefaultAccType(getElementTypeOrSelf(source)))
    printer << " acc " << accType.getValue();
  if (precisionType)
    printer << " precision " << precisionType.getValue();
  if (accumulate)
    printer << " accumulate";
}

#include "conv/Dialect/Conv/IR/ConvInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvOps.cpp.inc"

void ConvDialect::registerConvOps() {
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/Conv/IR/ConvOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Builders, effects, shapes
//===----------------------------------------------------------------------===//

void conv::detail::buildConvOp(OpBuilder &builder, OperationState &state,
                               ValueRange operands,
                               const ConvGeometry &geometry, Layout layout,
                               Type accType, Type precisionType) {
  auto spatial = [&](StringRef name, const convmlir::Spatial &values) {
    state.addAttribute(name, builder.getDenseI64ArrayAttr(ArrayRef(
                                 values.data(), geometry.spatialRank)));
  };
  state.addOperands(operands);
  spatial("stride", geometry.stride);
  spatial("pad_low", geometry.padLow);
  spatial("pad_high", geometry.padHigh);
  spatial("dilation", geometry.dilation);
  spatial("input_dilation", geometry.inputDilation);
  state.addAttribute("groups", builder.getI64IntegerAttr(geometry.groups));
  state.addAttribute("layout", LayoutAttr::get(builder.getContext(), layout));
  if (!accType)
    accType = getDefaultAccType(getElementTypeOrSelf(operands[0].getType()));
  state.addAttribute("acc_type", TypeAttr::get(accType));
  if (precisionType)
    state.addAttribute("precision_type", TypeAttr::get(precisionType));
  if (geometry.flip)
    state.addAttribute("flip", builder.getUnitAttr());
  if (isa<RankedTensorType>(operands[2].getType()))
    state.addTypes(operands[2].getType());
}

void conv::detail::getConvEffects(
    Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isDest = dps.isDpsInit(&operand);
    if (!isDest || cast<ConvOpInterface>(op).getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDest)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult
conv::detail::reifyConvShapes(Operation *op, OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  for (Type type : op->getResultTypes())
    shapes.push_back(getAsIndexOpFoldResult(
        builder.getContext(), cast<RankedTensorType>(type).getShape()));
  return success();
}
