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
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/KernelPlanEnums.cpp.inc"

/// Calls `visit` with the name and the value of each field, in their order.
template <typename Plan, typename Visit>
static void visitFields(Plan &plan, Visit visit) {
  visit("left", plan.left);
  visit("right", plan.right);
  visit("keeps", plan.keeps);
  visit("slots", plan.slots);
  visit("producer_registers", plan.producerRegisters);
  visit("consumer_registers", plan.consumerRegisters);
  visit("loads_ahead", plan.loadsAhead);
  visit("reads", plan.reads);
  visit("zero_rows", plan.zeroRows);
  visit("stores", plan.stores);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The words for the values of an enum, whose last one is `most`.
template <typename Enum> static SmallVector<StringRef> getWords(uint32_t most) {
  SmallVector<StringRef> words;
  for (uint32_t i = 0; i <= most; ++i)
    words.push_back(stringifyEnum(Enum(i)));
  return words;
}

static SmallVector<StringRef> getWords(OperandCopy) {
  return getWords<OperandCopy>(getMaxEnumValForOperandCopy());
}
static SmallVector<StringRef> getWords(KeptOperand) {
  return getWords<KeptOperand>(getMaxEnumValForKeptOperand());
}
static SmallVector<StringRef> getWords(EpilogueRead) {
  return getWords<EpilogueRead>(getMaxEnumValForEpilogueRead());
}
static SmallVector<StringRef> getWords(StoreForm) {
  return getWords<StoreForm>(getMaxEnumValForStoreForm());
}

template <typename Enum>
static ParseResult parseValue(AsmParser &parser, StringRef field,
                              std::optional<Enum> &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    value = symbolizeEnum<Enum>(word);
  if (value)
    return success();
  return parser.emitError(loc)
         << "expected " << llvm::join(getWords(Enum()), ", ") << " for '"
         << field << "' of a kernel plan";
}

template <typename Enum, unsigned N>
static ParseResult parseValue(AsmParser &parser, StringRef field,
                              std::optional<SmallVector<Enum, N>> &values) {
  values.emplace();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    std::optional<Enum> value;
    if (parseValue(parser, field, value))
      return failure();
    values->push_back(*value);
    return success();
  });
}

static ParseResult parseValue(AsmParser &parser, StringRef,
                              std::optional<int64_t> &value) {
  return parser.parseInteger(value.emplace());
}

static std::string getText(int64_t value) { return std::to_string(value); }
template <typename Enum> static std::string getText(Enum value) {
  return stringifyEnum(value).str();
}
template <typename Enum, unsigned N>
static std::string getText(const SmallVector<Enum, N> &values) {
  auto words =
      llvm::map_range(values, [](Enum value) { return stringifyEnum(value); });
  return "[" + llvm::join(words, ", ") + "]";
}

static std::string getFieldNames() {
  SmallVector<StringRef> names;
  const KernelPlan plan;
  visitFields(plan,
              [&](StringRef name, const auto &) { names.push_back(name); });
  return llvm::join(names, ", ");
}

static ParseResult parseField(AsmParser &parser, KernelPlan &plan,
                              llvm::SmallSet<StringRef, 8> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef field;
  if (parser.parseKeyword(&field))
    return failure();
  if (!seen.insert(field).second)
    return parser.emitError(loc)
           << "'" << field << "' of a kernel plan is given twice";
  std::optional<ParseResult> result;
  visitFields(plan, [&](StringRef name, auto &value) {
    if (name == field)
      result = failure(parser.parseEqual() || parseValue(parser, field, value));
  });
  if (result)
    return *result;
  return parser.emitError(loc) << "a kernel plan has " << getFieldNames()
                               << ", and not '" << field << "'";
}

Attribute KernelPlanAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  KernelPlan plan;
  llvm::SmallSet<StringRef, 8> seen;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseField(parser, plan, seen);
      }))
    return {};
  return parser.getChecked<KernelPlanAttr>(loc, parser.getContext(), plan);
}

void KernelPlanAttr::print(AsmPrinter &printer) const {
  SmallVector<std::string> fields;
  visitFields(getPlan(), [&](StringRef name, const auto &value) {
    if (value)
      fields.push_back((name + " = " + getText(*value)).str());
  });
  printer << '<' << llvm::join(fields, ", ") << '>';
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Source of the registers: PTX ISA, "setmaxnreg".
LogicalResult
KernelPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       KernelPlan plan) {
  constexpr int64_t mostSlots = 16, unit = 8, fewest = 24, most = 256;
  if (plan.zeroRows && (*plan.zeroRows < 0 || *plan.zeroRows > most))
    return emitError() << "'zero_rows' of a kernel plan are 0 to " << most
                       << ", not " << *plan.zeroRows;
  if (plan.loadsAhead && (*plan.loadsAhead < 1 || *plan.loadsAhead > most))
    return emitError() << "'loads_ahead' of a kernel plan are 1 to " << most
                       << ", not " << *plan.loadsAhead;
  if (plan.slots && (*plan.slots < 1 || *plan.slots > mostSlots))
    return emitError() << "'slots' of a kernel plan are 1 to " << mostSlots
                       << ", not " << *plan.slots;
  for (std::optional<int64_t> registers :
       {plan.producerRegisters, plan.consumerRegisters})
    if (registers &&
        (*registers < fewest || *registers > most || *registers % unit != 0))
      return emitError() << "registers of a kernel plan are a multiple of "
                         << unit << " from " << fewest << " to " << most
                         << ", not " << *registers;
  return success();
}

/// Of a field that is a list.
template <typename Values>
static llvm::hash_code getHash(const std::optional<Values> &values) {
  return values ? llvm::hash_combine_range(values->begin(), values->end())
                : llvm::hash_code(0);
}

llvm::hash_code conv::hash_value(const KernelPlan &plan) {
  return llvm::hash_combine(plan.left, plan.right, plan.keeps, plan.slots,
                            plan.producerRegisters, plan.consumerRegisters,
                            plan.loadsAhead, plan.zeroRows, getHash(plan.reads),
                            getHash(plan.stores));
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

InFlightDiagnostic conv::emitNoPlan(Operation *kernel, StringRef field,
                                    StringRef pass) {
  return kernel->emitOpError()
         << "needs '" << field << "' in its '"
         << KernelPlanAttr::attributeName() << "', which " << pass << " writes";
}

FailureOr<int64_t> conv::getLoadsAhead(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  if (std::optional<int64_t> loads = getKernelPlan(kernel).loadsAhead)
    return *loads;
  return emitNoPlan(kernel, "loads_ahead");
}

bool conv::keepsOrder(OperandCopy copy) {
  return copy == OperandCopy::SkewedBoxes || copy == OperandCopy::Images ||
         copy == OperandCopy::Pieces;
}
