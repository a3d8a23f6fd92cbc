//===- ScalarProgram.cpp - the body of an elementwise operation -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "ScalarFunctions.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Runtime/Tensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ElementType;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;

double conv::roundTo(std::optional<ElementType> type, double value) {
  if (!type || *type == ElementType::F32 || *type == ElementType::F64 ||
      isInteger(*type))
    return value;
  uint8_t bytes[8] = {};
  convmlir::storeElement(*type, bytes, 0, value);
  return convmlir::loadElement(*type, bytes, 0);
}

//===----------------------------------------------------------------------===//
// Translation and execution
//===----------------------------------------------------------------------===//

static std::optional<double> constantOf(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return toNumber(integer);
  return std::nullopt;
}

Error conv::unknownOperation(Operation &op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "the reference does not know '" << op.getName() << "'";
  if (op.getNumResults() > 0)
    stream << " of " << op.getResultTypes().front();
  return errorAt(op.getLoc(), text);
}

Result<unsigned> ScalarProgram::slotOf(Value value) {
  auto [entry, isNew] = slotOfValue.try_emplace(value, slots.size());
  if (!isNew)
    return entry->second;
  std::optional<double> constant = constantOf(value);
  if (!constant)
    return errorAt(value.getLoc(), "the reference expects scalars that are "
                                   "elements or constants");
  slots.push_back(*constant);
  return entry->second;
}

Status ScalarProgram::addOperation(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return {};
  Step step;
  step.function = getScalarFunction(op);
  if (!step.function || op.getNumResults() != 1)
    return unknownOperation(op);
  for (Value operand : op.getOperands()) {
    Result<unsigned> slot = slotOf(operand);
    if (!slot)
      return slot.takeError();
    step.operands.push_back(*slot);
  }
  step.rounding = getElementType(op.getResult(0).getType());
  step.result = slots.size();
  slotOfValue[op.getResult(0)] = step.result;
  slots.push_back(0);
  steps.push_back(std::move(step));
  return {};
}

Result<ScalarProgram> ScalarProgram::create(Block &body) {
  ScalarProgram program;
  for (Value argument : body.getArguments()) {
    program.slotOfValue[argument] = program.slots.size();
    program.slots.push_back(0);
  }
  for (Operation &op : body.without_terminator())
    if (Status status = program.addOperation(op); !status)
      return status.takeError();
  for (Value value : body.getTerminator()->getOperands()) {
    Result<unsigned> slot = program.slotOf(value);
    if (!slot)
      return slot.takeError();
    program.yielded.push_back(*slot);
  }
  return program;
}

void ScalarProgram::run(ArrayRef<double> arguments,
                        MutableArrayRef<double> results) {
  llvm::copy(arguments, slots.begin());
  double operands[3];
  for (const Step &step : steps) {
    for (auto [i, slot] : llvm::enumerate(step.operands))
      operands[i] = slots[slot];
    slots[step.result] = roundTo(step.rounding, step.function(operands));
  }
  for (auto [slot, result] : llvm::zip(yielded, results))
    result = slots[slot];
}
