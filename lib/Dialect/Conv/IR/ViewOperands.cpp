//===- ViewOperands.cpp - views and phases of operations ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ViewOperands.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::conv;

ParseResult
mlir::conv::parseViews(OpAsmParser &parser,
                       std::optional<OpAsmParser::UnresolvedOperand> &phase,
                       ArrayAttr &views) {
  SmallVector<Attribute> parsed;
  auto parseView = [&]() -> ParseResult {
    ViewAttr view;
    if (parser.parseCustomAttributeWithFallback(view))
      return failure();
    parsed.push_back(view);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("at"))) {
    if (parser.parseOperand(phase.emplace()) || parser.parseKeyword("views") ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseView))
      return failure();
  } else if (parser.parseKeyword("view") || parseView()) {
    return failure();
  }
  views = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

void mlir::conv::printViews(OpAsmPrinter &printer, Operation *, Value phase,
                            ArrayAttr views) {
  auto print = [&](ViewAttr view) { printer.printStrippedAttrOrType(view); };
  if (!phase) {
    printer << "view ";
    return print(cast<ViewAttr>(views[0]));
  }
  printer << "at " << phase << " views [";
  llvm::interleaveComma(views.getAsRange<ViewAttr>(), printer, print);
  printer << "]";
}

LogicalResult mlir::conv::verifyPhases(Operation *op, Value phase,
                                       ArrayAttr views, ValueRange offsets) {
  if (phase ? views.size() < 2 : views.size() != 1)
    return op->emitOpError()
           << "needs one view, or a phase and several views, but has "
           << (phase ? "a phase and " : "") << views.size();
  if (phase && offsets.empty())
    return op->emitOpError("is a tile of one phase and needs offsets");
  auto first = cast<ViewAttr>(views[0]);
  for (ViewAttr view : views.getAsRange<ViewAttr>())
    if (view.getSpatialRank() != first.getSpatialRank() ||
        view.getStride() != first.getStride() ||
        view.getStep() != first.getStep() ||
        view.getGroups() != first.getGroups() ||
        view.getRowGroups() != first.getRowGroups())
      return op->emitOpError()
             << "views of phases must have the same spatial "
                "rank, stride, step and groups, but there are "
             << first << " and " << view;
  return success();
}

/// Names of the offsets of a tile: "row, tap, channel".
static std::string offsetNames(ViewAttr view) {
  return std::string(view.getRowGroups() > 1 ? "row group, " : "") +
         "row, tap, " + (view.getGroups() > 1 ? "group, " : "") + "channel";
}

/// As conv-c13 has it of the operands of a convolution.
static bool hasCountableElements(ShapedType type) {
  std::optional<int64_t> elements = 1;
  for (int64_t extent : type.getShape())
    if (elements && extent > 0)
      elements = llvm::checkedMul(*elements, extent);
  return elements.has_value();
}

LogicalResult mlir::conv::verifyCounts(Operation *op, StringRef role,
                                       ShapedType type, ArrayAttr views) {
  if (!hasCountableElements(type))
    return op->emitOpError() << "the elements of " << role
                             << " must number fewer than 2^63, but it is "
                             << type;
  for (ViewAttr view : views.getAsRange<ViewAttr>())
    if (!llvm::checkedMul(type.getShape().front(), view.getRowsPerImage()))
      return op->emitOpError() << "the rows of all images of " << role
                               << " must number fewer than 2^63, but " << type
                               << " is seen as " << view;
  return success();
}

LogicalResult mlir::conv::verifyView(Operation *op, StringRef role,
                                     ShapedType type, ArrayAttr views,
                                     ValueRange offsets) {
  auto view = cast<ViewAttr>(views[0]);
  int64_t rank = view.getSpatialRank() + 2;
  if (type.getRank() != rank)
    return op->emitOpError()
           << role << " must have rank " << rank << " (batch, "
           << view.getSpatialRank()
           << " spatial dimensions of the view, channels), but is " << type;
  if (!type.hasStaticShape())
    return op->emitOpError()
           << role << " must have a static shape, but is " << type;
  int64_t channels = type.getShape().back();
  if (channels < 1)
    return op->emitOpError() << role << " must have channels, but is " << type;
  if (channels % view.getGroups() != 0)
    return op->emitOpError()
           << "groups (" << view.getGroups() << ") must divide the channels ("
           << channels << ") of " << role;
  if (int64_t batch = type.getShape().front(); batch % view.getRowGroups() != 0)
    return op->emitOpError()
           << "row groups (" << view.getRowGroups()
           << ") must divide the batch (" << batch << ") of " << role;
  if (failed(verifyCounts(op, role, type, views)))
    return failure();
  size_t expected = view.getMatrixRank();
  if (!offsets.empty() && offsets.size() != expected)
    return op->emitOpError()
           << "expected " << expected << " offsets (" << offsetNames(view)
           << ") or none, but got " << offsets.size();
  return success();
}
