//===- KernelPlan.cpp - how a kernel does what it does --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/KernelPlan.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/KernelPlanEnums.cpp.inc"

KernelPlanAttr KernelPlanAttr::get(MLIRContext *context,
                                   const KernelPlan &plan) {
  return get(context, plan.left, plan.right);
}

KernelPlan KernelPlanAttr::getPlan() const { return {getLeft(), getRight()}; }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseWay(AsmParser &parser, StringRef field,
                            std::optional<OperandCopy> &way) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    way = symbolizeOperandCopy(word);
  if (way)
    return success();
  InFlightDiagnostic error = parser.emitError(loc, "expected ");
  for (uint32_t i = 0; i <= getMaxEnumValForOperandCopy(); ++i)
    error << (i == 0 ? "" : ", ") << stringifyOperandCopy(OperandCopy(i));
  return error << " for '" << field << "' of a kernel plan";
}

static ParseResult parseField(AsmParser &parser, KernelPlan &plan,
                              llvm::SmallSet<StringRef, 2> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef field;
  if (parser.parseKeyword(&field))
    return failure();
  if (field != "left" && field != "right")
    return parser.emitError(loc)
           << "a kernel plan has left and right, not '" << field << "'";
  if (!seen.insert(field).second)
    return parser.emitError(loc)
           << "'" << field << "' of a kernel plan is given twice";
  if (parser.parseEqual())
    return failure();
  return parseWay(parser, field, field == "left" ? plan.left : plan.right);
}

Attribute KernelPlanAttr::parse(AsmParser &parser, Type) {
  KernelPlan plan;
  llvm::SmallSet<StringRef, 2> seen;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseField(parser, plan, seen);
      }))
    return {};
  return get(parser.getContext(), plan);
}

void KernelPlanAttr::print(AsmPrinter &printer) const {
  SmallVector<std::string> fields;
  if (getLeft())
    fields.push_back(("left = " + stringifyOperandCopy(*getLeft())).str());
  if (getRight())
    fields.push_back(("right = " + stringifyOperandCopy(*getRight())).str());
  printer << '<' << llvm::join(fields, ", ") << '>';
}

//===----------------------------------------------------------------------===//
// Of a kernel
//===----------------------------------------------------------------------===//

KernelPlan conv::getKernelPlan(Operation *kernel) {
  auto plan =
      kernel->getAttrOfType<KernelPlanAttr>(KernelPlanAttr::attributeName());
  return plan ? plan.getPlan() : KernelPlan();
}

void conv::setKernelPlan(Operation *kernel, const KernelPlan &plan) {
  kernel->setAttr(KernelPlanAttr::attributeName(),
                  KernelPlanAttr::get(kernel->getContext(), plan));
}

InFlightDiagnostic conv::emitNoPlan(Operation *kernel, StringRef field) {
  return kernel->emitOpError() << "needs '" << field << "' in its '"
                               << KernelPlanAttr::attributeName()
                               << "', which conv-plan-kernels writes";
}

bool conv::keepsOrder(OperandCopy copy) {
  return copy == OperandCopy::SkewedBoxes || copy == OperandCopy::Images ||
         copy == OperandCopy::Pieces;
}
