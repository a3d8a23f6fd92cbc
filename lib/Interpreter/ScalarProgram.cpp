//===- ScalarProgram.cpp - the body of an elementwise operation -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Interpreter/OpProblem.h"
#include "conv/Runtime/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

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

Scalar conv::roundResult(Type type, Scalar value, bool rounds) {
  if (!isa<FloatType>(type))
    return value;
  auto number = static_cast<double>(value);
  return rounds ? roundTo(getElementType(type), number) : number;
}

Error conv::unknownOperation(Operation &op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "the reference does not know '" << op.getName() << "'";
  if (op.getNumResults() > 0)
    stream << " of " << op.getResultTypes().front();
  return errorAt(op.getLoc(), text);
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

std::optional<Scalar> conv::getConstant(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return toNumber(integer);
  return std::nullopt;
}

namespace mlir::conv {
class ScalarProgramBuilder {
public:
  explicit ScalarProgramBuilder(bool rounds) : rounds(rounds) {}
  Result<ScalarProgram> build(Block &body);

private:
  Status addOperation(Operation &op);
  void addSlot(Scalar value) {
    program.slots.push_back(value);
    program.magnitudes.push_back(std::fabs(static_cast<double>(value)));
  }
  Status addRead(tensor::ExtractOp op);
  void addIndex(linalg::IndexOp op);
  unsigned addResult(Value value);
  Result<unsigned> slotOf(Value value);
  Status addSlots(ValueRange values, SmallVectorImpl<unsigned> &slots);

  bool rounds;
  Block *block = nullptr;
  ScalarProgram program;
  llvm::DenseMap<Value, unsigned> slotOfValue;
};
} // namespace mlir::conv

Result<unsigned> ScalarProgramBuilder::slotOf(Value value) {
  auto [entry, isNew] = slotOfValue.try_emplace(value, program.slots.size());
  if (!isNew)
    return entry->second;
  std::optional<Scalar> constant = getConstant(value);
  bool isScalar = value.getType().isIntOrIndexOrFloat();
  if (!constant && (value.getParentBlock() == block || !isScalar))
    return errorAt(value.getLoc(), "the reference expects scalars that are "
                                   "elements or computed of them");
  if (!constant) {
    program.captured.push_back(value);
    program.slotsOfCaptures.push_back(entry->second);
  }
  addSlot(constant.value_or(0));
  return entry->second;
}

Status ScalarProgramBuilder::addSlots(ValueRange values,
                                      SmallVectorImpl<unsigned> &slots) {
  for (Value value : values) {
    Result<unsigned> slot = slotOf(value);
    if (!slot)
      return slot.takeError();
    slots.push_back(*slot);
  }
  return {};
}

/// A new place for a value that is computed.
unsigned ScalarProgramBuilder::addResult(Value value) {
  unsigned slot = program.slots.size();
  slotOfValue[value] = slot;
  addSlot(Scalar(0));
  return slot;
}

void ScalarProgramBuilder::addIndex(linalg::IndexOp op) {
  program.loopsOfSlots.emplace_back(addResult(op.getResult()), op.getDim());
}

Status ScalarProgramBuilder::addRead(tensor::ExtractOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getTensor().getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
    return errorAt(op.getLoc(), "the reference reads tensors of a static shape "
                                "that have elements");
  ScalarProgram::Step step;
  step.tensor = program.readTensors.size();
  if (Status status = addSlots(op.getIndices(), step.operands); !status)
    return status;
  program.readTensors.push_back(op.getTensor());
  program.dataOfTensors.push_back(nullptr);
  step.type = op.getType();
  step.rounds = false;
  step.result = addResult(op.getResult());
  program.steps.push_back(std::move(step));
  return {};
}

Status ScalarProgramBuilder::addOperation(Operation &op) {
  // The import refuses an assertion that is not known to hold.
  if (op.hasTrait<OpTrait::ConstantLike>() || isa<cf::AssertOp>(op))
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return addIndex(index), Status();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return addRead(extract);
  ScalarProgram::Step step;
  step.function = getScalarFunction(op);
  if (!step.function || op.getNumResults() != 1)
    return unknownOperation(op);
  if (Status status = addSlots(op.getOperands(), step.operands); !status)
    return status;
  step.type = op.getResult(0).getType();
  // What the text itself narrows is narrow in either case.
  step.rounds = rounds || isa<arith::TruncFOp>(op);
  step.growth = getGrowth(op);
  step.result = addResult(op.getResult(0));
  program.steps.push_back(std::move(step));
  return {};
}

Result<ScalarProgram> ScalarProgramBuilder::build(Block &body) {
  block = &body;
  for (Value argument : body.getArguments()) {
    slotOfValue[argument] = program.slots.size();
    addSlot(0);
  }
  program.argumentCount = body.getNumArguments();
  for (Operation &op : body.without_terminator())
    if (Status status = addOperation(op); !status)
      return status.takeError();
  if (Status status =
          addSlots(body.getTerminator()->getOperands(), program.yielded);
      !status)
    return status.takeError();
  return std::move(program);
}

Result<ScalarProgram> ScalarProgram::create(Block &body, bool rounds) {
  return ScalarProgramBuilder(rounds).build(body);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// The element at the position of the operands; undefined past its ends.
void ScalarProgram::readTensor(const Step &step) {
  auto type = cast<RankedTensorType>(readTensors[*step.tensor].getType());
  const convmlir::ReferenceTensor &tensor = *dataOfTensors[*step.tensor];
  int64_t position = 0;
  slots[step.result] = NAN;
  magnitudes[step.result] = 0;
  for (auto [slot, extent] : llvm::zip(step.operands, type.getShape())) {
    Scalar index = slots[slot];
    if (!(index >= 0 && index < extent))
      return;
    position = position * extent + static_cast<int64_t>(index);
  }
  slots[step.result] = tensor.values[position];
  magnitudes[step.result] = tensor.magnitudes[position];
}

void ScalarProgram::run(ArrayRef<double> arguments,
                        ArrayRef<double> argumentMagnitudes) {
  llvm::copy(arguments.take_front(argumentCount), slots.begin());
  llvm::copy(argumentMagnitudes.take_front(argumentCount), magnitudes.begin());
  Scalar operands[3];
  double sizes[3];
  for (const Step &step : steps) {
    if (step.tensor) {
      readTensor(step);
      continue;
    }
    size_t count = step.operands.size();
    for (auto [i, slot] : llvm::enumerate(step.operands)) {
      operands[i] = slots[slot];
      sizes[i] = magnitudes[slot];
    }
    Scalar result =
        roundResult(step.type, step.function(operands), step.rounds);
    slots[step.result] = result;
    magnitudes[step.result] =
        getMagnitude(step.growth, step.function, ArrayRef(operands, count),
                     ArrayRef(sizes, count), result);
  }
}
