//===- ModuleReference.cpp - what a function means, in f64 ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ModuleReference.h"
#include "LinalgReference.h"
#include "ScalarFunctions.h"
#include "StablehloReference.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Conversion/ImportPrecision.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Precision;
using convmlir::Problem;
using convmlir::Result;
using convmlir::Status;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
class Evaluator {
public:
  Evaluator(Precision precision, const std::function<void(double)> &progress)
      : precision(precision), progress(progress) {}

  Result<std::vector<ReferenceTensor>>
  run(func::FuncOp function, std::vector<ReferenceTensor> arguments);

private:
  Status evaluate(Operation &op);
  Status evaluateConvolution(ConvOpInterface op);
  Status evaluateLinalg(linalg::LinalgOp op);
  void evaluateConstant(Value result, Attribute value);
  void evaluateStablehlo(Operation &op);
  void evaluatePad(tensor::PadOp op);
  void evaluateScalar(Operation &op);
  void define(Value value, ReferenceTensor tensor) {
    tensors[value] = std::move(tensor);
  }
  /// Of what is evaluated already.
  ReferenceTensor &get(Value value) { return tensors.find(value)->second; }

  Precision precision;
  const std::function<void(double)> &progress;
  llvm::DenseMap<Value, ReferenceTensor> tensors;
};
} // namespace

/// The loops of an operation as the reference runs them.
static Result<LinalgLoops> readLoops(linalg::LinalgOp op, Precision precision) {
  bool keepsSums = precision == Precision::More && gainsPrecision(op);
  return LinalgLoops::read(op, /*roundsSums=*/!keepsSums);
}

Status Evaluator::evaluateConvolution(ConvOpInterface op) {
  Result<Problem> problem = getProblem(op);
  if (!problem)
    return errorAt(op->getLoc(), problem.error());
  convmlir::ReferenceArguments<double> arguments;
  for (Value source : op->getOperands().take_front(2))
    arguments.push_back(get(source));
  // No problem line has sums that become wider, which changes no number.
  if (problem->outType == "f64")
    problem->outType = convmlir::accumulationType(problem->type);
  Result<ReferenceTensor> result =
      convmlir::computeReference<double>(*problem, arguments);
  if (!result)
    return errorAt(op->getLoc(), result.error());
  // Integers wrap here, and saturate in a problem line.
  if (op.getAccumulate()) {
    const ReferenceTensor &dest = get(op.getDest());
    llvm::transform(llvm::zip(*result, dest), result->begin(), [](auto pair) {
      return std::get<0>(pair) + std::get<1>(pair);
    });
  }
  Type elementType = op.getDestType().getElementType();
  std::optional<convmlir::ElementType> type = getElementType(elementType);
  for (double &value : *result)
    value = isa<IntegerType>(elementType)
                ? wrapTo(elementType.getIntOrFloatBitWidth(), value)
                : roundTo(type, value);
  define(op->getResult(0), std::move(*result));
  return {};
}

Status Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  Result<LinalgLoops> loops = readLoops(op, precision);
  if (!loops)
    return loops.takeError();
  for (auto [i, value] : llvm::enumerate(loops->captures()))
    loops->setCapture(i, get(value).front());
  SmallVector<ReferenceTensor> results;
  for (Value init : op.getDpsInits())
    results.push_back(get(init));
  SmallVector<double *> operands;
  for (Value input : op.getDpsInputs())
    operands.push_back(get(input).data());
  for (ReferenceTensor &result : results)
    operands.push_back(result.data());
  if (Status status = loops->run(operands); !status)
    return status;
  for (auto [value, result] : llvm::zip(op->getResults(), results))
    define(value, std::move(result));
  return {};
}

/// Copies the source into the middle of a tensor of the padding value.
void Evaluator::evaluatePad(tensor::PadOp op) {
  RankedTensorType source = op.getSourceType(), type = op.getResultType();
  Value padding = op.getConstantPaddingValue();
  std::optional<Scalar> constant = getConstant(padding);
  ReferenceTensor padded(type.getNumElements(),
                         constant ? *constant : get(padding).front());
  const ReferenceTensor &values = get(op.getSource());
  for (auto [i, value] : llvm::enumerate(values)) {
    int64_t rest = i, position = 0, stride = 1;
    bool isInside = true;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      int64_t index = rest % source.getDimSize(dim) + op.getStaticLow()[dim];
      isInside &= index >= 0 && index < type.getDimSize(dim);
      position += index * stride;
      stride *= type.getDimSize(dim);
      rest /= source.getDimSize(dim);
    }
    if (isInside)
      padded[position] = value;
  }
  define(op, std::move(padded));
}

/// Arithmetic beside the operations on tensors.
void Evaluator::evaluateScalar(Operation &op) {
  SmallVector<Scalar, 3> operands;
  for (Value operand : op.getOperands())
    operands.push_back(get(operand).front());
  Value result = op.getResult(0);
  define(result, {static_cast<double>(roundResult(
                     result.getType(), getScalarFunction(op)(operands.data()),
                     /*rounds=*/true))});
}

/// Whether it computes one number of others.
static bool isScalar(Operation &op) {
  auto isNumber = [](Type type) { return type.isIntOrFloat(); };
  return op.getNumResults() == 1 && getScalarFunction(op) &&
         llvm::all_of(op.getOperandTypes(), isNumber) &&
         isNumber(op.getResult(0).getType());
}

void Evaluator::evaluateConstant(Value result, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return define(result, {number.getValueAsDouble()});
  if (auto number = dyn_cast<IntegerAttr>(value))
    return define(result, {static_cast<double>(toNumber(number.getValue()))});
  ReferenceTensor tensor;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(value))
    for (const APFloat &element : elements.getValues<APFloat>())
      tensor.push_back(APFloat(element).convertToDouble());
  else if (auto integers = dyn_cast<DenseIntElementsAttr>(value))
    for (const APInt &element : integers.getValues<APInt>())
      tensor.push_back(toNumber(element));
  define(result, std::move(tensor));
}

void Evaluator::evaluateStablehlo(Operation &op) {
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return evaluateConstant(constant, constant.getValue());
  SmallVector<const ReferenceTensor *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&get(operand));
  define(op.getResult(0), conv::evaluateStablehlo(op, operands));
}

/// Of an operation that passes check().
Status Evaluator::evaluate(Operation &op) {
  if (auto convolution = dyn_cast<ConvOpInterface>(op))
    return evaluateConvolution(convolution);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(linalgOp);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    evaluateConstant(constant, constant.getValue());
  else if (isStablehlo(op))
    evaluateStablehlo(op);
  else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    define(empty, ReferenceTensor(empty.getType().getNumElements(), 0));
  else if (auto pad = dyn_cast<tensor::PadOp>(op))
    evaluatePad(pad);
  else if (isScalar(op))
    evaluateScalar(op);
  else
    define(op.getResult(0), get(op.getOperand(0)));
  return {};
}

static Status checkConstant(Operation &op, Attribute value) {
  return isa<FloatAttr, IntegerAttr, DenseFPElementsAttr, DenseIntElementsAttr>(
             value)
             ? Status()
             : errorAt(op.getLoc(), "the reference expects dense constants");
}

/// Whether all of an operation on tensors but its operands is constant.
static bool isStatic(Operation &op) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getType().hasStaticShape();
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getResultType().hasStaticShape() &&
           pad.getSourceType().hasStaticShape() &&
           !ShapedType::isDynamicShape(pad.getStaticLow()) &&
           pad.getConstantPaddingValue();
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      op);
}

/// Whether evaluate() knows the operation.
static Status check(Operation &op) {
  if (auto convolution = dyn_cast<ConvOpInterface>(op)) {
    Result<Problem> problem = getProblem(convolution);
    return problem ? Status() : errorAt(op.getLoc(), problem.error());
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    Result<LinalgLoops> loops = LinalgLoops::read(linalgOp, false);
    return loops ? Status() : Status(loops.takeError());
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return checkConstant(op, constant.getValue());
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return checkConstant(op, constant.getValue());
  if (isStablehlo(op))
    return knowsStablehlo(op) ? Status() : unknownOperation(op);
  return isStatic(op) || isScalar(op) ? Status() : unknownOperation(op);
}

/// What the results are made of, in order: the rest does not matter.
static SmallVector<Operation *> getNeeded(func::FuncOp function) {
  Block &body = function.getBody().front();
  llvm::SmallPtrSet<Operation *, 16> needed = {body.getTerminator()};
  SmallVector<Operation *> order;
  for (Operation &op : llvm::reverse(body)) {
    if (!needed.contains(&op))
      continue;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == &body)
          needed.insert(source);
    });
    if (&op != body.getTerminator())
      order.push_back(&op);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Result<std::vector<ReferenceTensor>>
Evaluator::run(func::FuncOp function, std::vector<ReferenceTensor> arguments) {
  Block &body = function.getBody().front();
  for (auto [value, tensor] : llvm::zip(body.getArguments(), arguments))
    define(value, std::move(tensor));
  SmallVector<Operation *> needed = getNeeded(function);
  double done = 0, total = std::max<size_t>(needed.size(), 1);
  for (Operation *op : needed) {
    if (Status status = evaluate(*op); !status)
      return status.takeError();
    if (progress)
      progress(++done / total);
  }
  std::vector<ReferenceTensor> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(get(value));
  return results;
}

Status conv::checkReference(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return errorAt(function.getLoc(), "@" + function.getName() +
                                          ": expected a function of one block");
  for (Operation *op : getNeeded(function))
    if (Status status = check(*op); !status)
      return status;
  return {};
}

Result<std::vector<ReferenceTensor>> conv::evaluateFunction(
    func::FuncOp function, std::vector<ReferenceTensor> arguments,
    Precision precision, const std::function<void(double)> &progress) {
  if (Status status = checkReference(function); !status)
    return status.takeError();
  return Evaluator(precision, progress).run(function, std::move(arguments));
}
