//===- ScalarProgram.cpp - the body of an elementwise operation -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Runtime/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

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

//===----------------------------------------------------------------------===//
// Functions of scalars
//===----------------------------------------------------------------------===//

using Function = double (*)(const double *);

static double maximum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::max(x[0], x[1]);
}
static double minimum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::min(x[0], x[1]);
}
static double identity(const double *x) { return x[0]; }

/// By the name of the operation. Integers are signed, and small enough for f64.
static const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> table = {
      {"arith.addf", [](const double *x) { return x[0] + x[1]; }},
      {"arith.addi", [](const double *x) { return x[0] + x[1]; }},
      {"arith.subf", [](const double *x) { return x[0] - x[1]; }},
      {"arith.subi", [](const double *x) { return x[0] - x[1]; }},
      {"arith.mulf", [](const double *x) { return x[0] * x[1]; }},
      {"arith.muli", [](const double *x) { return x[0] * x[1]; }},
      {"arith.divf", [](const double *x) { return x[0] / x[1]; }},
      {"arith.negf", [](const double *x) { return -x[0]; }},
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.maxnumf", [](const double *x) { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf", [](const double *x) { return std::fmin(x[0], x[1]); }},
      {"arith.maxsi", maximum},
      {"arith.minsi", minimum},
      {"arith.select", [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.extf", identity},
      {"arith.truncf", identity},
      {"arith.extsi", identity},
      {"arith.trunci", identity},
      {"arith.sitofp", identity},
      {"arith.fptosi", [](const double *x) { return std::trunc(x[0]); }},
      {"math.absf", [](const double *x) { return std::fabs(x[0]); }},
      {"math.roundeven", [](const double *x) { return std::nearbyint(x[0]); }},
      {"math.exp2", [](const double *x) { return std::exp2(x[0]); }},
      {"math.exp", [](const double *x) { return std::exp(x[0]); }},
      {"math.log", [](const double *x) { return std::log(x[0]); }},
      {"math.tanh", [](const double *x) { return std::tanh(x[0]); }},
      {"math.erf", [](const double *x) { return std::erf(x[0]); }},
      {"math.sqrt", [](const double *x) { return std::sqrt(x[0]); }},
      {"math.rsqrt", [](const double *x) { return 1 / std::sqrt(x[0]); }},
      {"math.fma", [](const double *x) { return x[0] * x[1] + x[2]; }},
  };
  return table;
}

/// Comparisons of numbers; unordered ones are none that an epilogue needs.
static Function compareFunction(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return [](const double *x) { return double(x[0] > x[1]); };
  case arith::CmpFPredicate::OGE:
    return [](const double *x) { return double(x[0] >= x[1]); };
  case arith::CmpFPredicate::OLT:
    return [](const double *x) { return double(x[0] < x[1]); };
  case arith::CmpFPredicate::OLE:
    return [](const double *x) { return double(x[0] <= x[1]); };
  case arith::CmpFPredicate::OEQ:
    return [](const double *x) { return double(x[0] == x[1]); };
  case arith::CmpFPredicate::ORD:
    return [](const double *x) {
      return double(!std::isnan(x[0]) && !std::isnan(x[1]));
    };
  case arith::CmpFPredicate::UGT:
    return [](const double *x) { return double(!(x[0] <= x[1])); };
  case arith::CmpFPredicate::UGE:
    return [](const double *x) { return double(!(x[0] < x[1])); };
  case arith::CmpFPredicate::ULT:
    return [](const double *x) { return double(!(x[0] >= x[1])); };
  case arith::CmpFPredicate::ULE:
    return [](const double *x) { return double(!(x[0] > x[1])); };
  default:
    return nullptr;
  }
}

static Function functionOf(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFunction(compare.getPredicate());
  return functions().lookup(op.getName().getStringRef());
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
    return static_cast<double>(integer.getSExtValue());
  return std::nullopt;
}

Result<unsigned> ScalarProgram::slotOf(Value value) {
  auto [entry, isNew] = slotOfValue.try_emplace(value, slots.size());
  if (!isNew)
    return entry->second;
  std::optional<double> constant = constantOf(value);
  if (!constant)
    return Error{describe(value.getLoc()) +
                 ": a scalar that is neither an element nor a constant"};
  slots.push_back(*constant);
  return entry->second;
}

Status ScalarProgram::addOperation(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return {};
  Step step;
  step.function = functionOf(op);
  if (!step.function || op.getNumResults() != 1)
    return Error{describe(op.getLoc()) + ": the reference does not know '" +
                 op.getName().getStringRef().str() + "'"};
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
