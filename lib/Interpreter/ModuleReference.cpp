//===- ModuleReference.cpp - what a function means, in f64 ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Interpreter/ModuleReference.h"
#include "LinalgReference.h"
#include "Magnitudes.h"
#include "ScalarFunctions.h"
#include "SliceReference.h"
#include "StablehloReference.h"
#include "conv/Conversion/ImportPrecision.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Interpreter/OpProblem.h"
#include "conv/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using convmlir::Precision;
using convmlir::Problem;
using convmlir::ReferenceTensor;
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
  run(func::FuncOp function, std::vector<std::vector<double>> arguments);

private:
  Status evaluate(Operation &op);
  Status evaluateConvolution(ConvOpInterface op);
  Status evaluateLinalg(linalg::LinalgOp op);
  void evaluateConstant(Value result, Attribute value);
  void evaluateStablehlo(Operation &op);
  void evaluatePad(tensor::PadOp op);
  void evaluateMove(Operation &op);
  void evaluateScalar(Operation &op);
  void define(Value value, ReferenceTensor tensor) {
    tensors[value] = std::move(tensor);
  }
  /// Of numbers that are given.
  void define(Value value, std::vector<double> numbers) {
    std::vector<double> magnitudes = getMagnitudes(numbers);
    define(value, ReferenceTensor{std::move(numbers), std::move(magnitudes)});
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

/// Whether it is as large as what made it up.
static bool isPlain(const ReferenceTensor &tensor) {
  return llvm::all_of(llvm::zip(tensor.values, tensor.magnitudes),
                      [](auto pair) {
                        return std::abs(std::get<0>(pair)) >= std::get<1>(pair);
                      });
}

static std::vector<double> square(std::vector<double> numbers) {
  for (double &number : numbers)
    number *= number;
  return numbers;
}

/// For each element the root of the sum of its products' squares, of the
/// magnitudes of one factor and the values of the other, the larger one.
static Result<std::vector<double>>
getMagnitudesOfSums(Problem problem, const ReferenceTensor &first,
                    const ReferenceTensor &second) {
  problem.type = problem.outType = "f64";
  auto sum = [&](const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> factors[] = {square(a), square(b)};
    return convmlir::computeReference<double>(problem,
                                              {factors[0], factors[1]});
  };
  // Magnitudes are at least the values: one sum is enough where they are these.
  bool isFirstPlain = isPlain(first), isSecondPlain = isPlain(second);
  Result<std::vector<double>> sums = isSecondPlain
                                         ? sum(first.magnitudes, second.values)
                                         : sum(first.values, second.magnitudes);
  if (sums && !isFirstPlain && !isSecondPlain) {
    Result<std::vector<double>> others = sum(first.magnitudes, second.values);
    if (!others)
      return others;
    for (auto [size, other] : llvm::zip(*sums, *others))
      size = std::max(size, other);
  }
  if (sums)
    for (double &size : *sums)
      size = std::sqrt(size);
  return sums;
}

Status Evaluator::evaluateConvolution(ConvOpInterface op) {
  Result<Problem> problem = getProblem(op);
  if (!problem)
    return errorAt(op->getLoc(), problem.error());
  const ReferenceTensor &first = get(op->getOperand(0)),
                        &second = get(op->getOperand(1));
  // No problem line has sums that become wider, which changes no number.
  if (problem->outType == "f64")
    problem->outType = convmlir::accumulationType(problem->type);
  Type elementType = op.getDestType().getElementType();
  bool isInteger = isa<IntegerType>(elementType);
  Result<std::vector<double>> result = convmlir::computeReference<double>(
      *problem, {first.values, second.values});
  Result<std::vector<double>> sizes =
      isInteger || !result ? result
                           : getMagnitudesOfSums(*problem, first, second);
  if (!sizes)
    return errorAt(op->getLoc(), sizes.error());
  // Integers wrap here, and saturate in a problem line.
  if (op.getAccumulate()) {
    const ReferenceTensor &dest = get(op.getDest());
    for (size_t i = 0; i < result->size(); ++i) {
      (*result)[i] += dest.values[i];
      (*sizes)[i] = addMagnitudes((*sizes)[i], dest.magnitudes[i]);
    }
  }
  std::optional<convmlir::ElementType> type = getElementType(elementType);
  for (auto [value, size] : llvm::zip(*result, *sizes)) {
    value = isInteger ? wrapTo(elementType.getIntOrFloatBitWidth(), value)
                      : roundTo(type, value);
    size = std::fmax(isInteger ? 0 : size, std::abs(value));
  }
  define(op->getResult(0),
         ReferenceTensor{std::move(*result), std::move(*sizes)});
  return {};
}

Status Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  Result<LinalgLoops> loops = readLoops(op, precision);
  if (!loops)
    return loops.takeError();
  for (auto [i, value] : llvm::enumerate(loops->captures()))
    loops->setCapture(i, get(value).values.front(),
                      get(value).magnitudes.front());
  for (auto [i, value] : llvm::enumerate(loops->tensors()))
    loops->setTensor(i, get(value));
  SmallVector<ReferenceTensor> results;
  for (Value init : op.getDpsInits())
    results.push_back(get(init));
  SmallVector<LinalgLoops::Elements> operands;
  auto addOperand = [&](ReferenceTensor &tensor) {
    operands.push_back({tensor.values.data(), tensor.magnitudes.data()});
  };
  for (Value input : op.getDpsInputs())
    addOperand(get(input));
  for (ReferenceTensor &result : results)
    addOperand(result);
  if (Status status = loops->run(operands); !status)
    return status;
  for (auto [value, result] : llvm::zip(op->getResults(), results))
    define(value, std::move(result));
  return {};
}

/// The elements of the source in the middle of a tensor of the padding.
static std::vector<double>
pad(tensor::PadOp op, const std::vector<double> &values, double padding) {
  RankedTensorType source = op.getSourceType(), type = op.getResultType();
  std::vector<double> padded(type.getNumElements(), padding);
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
  return padded;
}

void Evaluator::evaluatePad(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  double number, size;
  if (std::optional<Scalar> constant = getConstant(padding)) {
    number = static_cast<double>(*constant);
    size = std::abs(number);
  } else {
    number = get(padding).values.front();
    size = get(padding).magnitudes.front();
  }
  const ReferenceTensor &source = get(op.getSource());
  define(op, ReferenceTensor{pad(op, source.values, number),
                             pad(op, source.magnitudes, size)});
}

void Evaluator::evaluateMove(Operation &op) {
  SmallVector<const std::vector<double> *> values, magnitudes;
  for (Value operand : op.getOperands()) {
    values.push_back(&get(operand).values);
    magnitudes.push_back(&get(operand).magnitudes);
  }
  define(op.getResult(0), ReferenceTensor{evaluateSlice(op, values),
                                          evaluateSlice(op, magnitudes)});
}

/// Arithmetic beside the operations on tensors.
void Evaluator::evaluateScalar(Operation &op) {
  SmallVector<Scalar, 3> operands;
  SmallVector<double, 3> sizes;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand).values.front());
    sizes.push_back(get(operand).magnitudes.front());
  }
  Value result = op.getResult(0);
  ScalarFunction function = getScalarFunction(op);
  Scalar value = roundResult(result.getType(), function(operands.data()),
                             /*rounds=*/true);
  define(result, ReferenceTensor{{static_cast<double>(value)},
                                 {getMagnitude(getGrowth(op), function,
                                               operands, sizes, value)}});
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
    return define(result, std::vector{number.getValueAsDouble()});
  if (auto number = dyn_cast<IntegerAttr>(value))
    return define(
        result, std::vector{static_cast<double>(toNumber(number.getValue()))});
  std::vector<double> tensor;
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
  else if (stablehlo::isStablehlo(&op))
    evaluateStablehlo(op);
  else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    define(empty, std::vector<double>(empty.getType().getNumElements(), 0));
  else if (auto pad = dyn_cast<tensor::PadOp>(op))
    evaluatePad(pad);
  else if (isSlice(op))
    evaluateMove(op);
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
  if (stablehlo::isStablehlo(&op))
    return knowsStablehlo(op) ? Status() : unknownOperation(op);
  return isStatic(op) || isSlice(op) || isScalar(op) ? Status()
                                                     : unknownOperation(op);
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
Evaluator::run(func::FuncOp function,
               std::vector<std::vector<double>> arguments) {
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
    func::FuncOp function, std::vector<std::vector<double>> arguments,
    Precision precision, const std::function<void(double)> &progress) {
  if (Status status = checkReference(function); !status)
    return status.takeError();
  return Evaluator(precision, progress).run(function, std::move(arguments));
}
