//===- ModuleReference.cpp - what a function means, in f64 ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ModuleReference.h"
#include "ScalarFunctions.h"
#include "ScalarProgram.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Problem;
using convmlir::Result;
using convmlir::Status;

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

namespace {
/// Reads or writes one operand of a linalg operation along its loops: the
/// position is an affine function of the loop indices.
struct Access {
  int64_t base = 0;
  SmallVector<int64_t> strides; ///< Per loop; in elements.

  int64_t position(ArrayRef<int64_t> indices) const {
    int64_t result = base;
    for (auto [stride, index] : llvm::zip(strides, indices))
      result += stride * index;
    return result;
  }
};
} // namespace

/// The coefficients of an affine expression in the dimensions, or failure where
/// it divides.
static LogicalResult addTerms(AffineExpr expr, int64_t factor, Access &access) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.strides[dim.getPosition()] += factor;
    return success();
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.base += factor * constant.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(addTerms(binary.getLHS(), factor, access)) &&
                   succeeded(addTerms(binary.getRHS(), factor, access)));
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() == AffineExprKind::Mul && constant)
    return addTerms(binary.getLHS(), factor * constant.getValue(), access);
  return failure();
}

static FailureOr<Access> accessOf(AffineMap map, ArrayRef<int64_t> shape) {
  Access access;
  access.strides.assign(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    if (failed(addTerms(map.getResult(dim), stride, access)))
      return failure();
  return access;
}

/// The next index tuple in row-major order; false after the last.
static bool advance(MutableArrayRef<int64_t> indices,
                    ArrayRef<int64_t> extents) {
  for (int64_t dim = indices.size(); dim-- > 0;) {
    if (++indices[dim] < extents[dim])
      return true;
    indices[dim] = 0;
  }
  return false;
}

static bool hasStaticShape(Type type) {
  return !isa<ShapedType>(type) || cast<ShapedType>(type).hasStaticShape();
}

namespace {
/// The loops of a linalg operation.
struct Loops {
  ScalarProgram body;
  SmallVector<Access> accesses; ///< One per operand.
};
} // namespace

static Result<Loops> readLoops(linalg::LinalgOp op) {
  Result<ScalarProgram> program = ScalarProgram::create(*op.getBlock());
  if (!program)
    return program.takeError();
  Loops loops = {std::move(*program), {}};
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape;
    if (auto type = dyn_cast<ShapedType>(operand.get().getType()))
      shape = type.getShape();
    FailureOr<Access> access =
        accessOf(op.getMatchingIndexingMap(&operand), shape);
    if (!hasStaticShape(operand.get().getType()) || failed(access))
      return errorAt(op.getLoc(), "'" + op->getName().getStringRef() +
                                      "': the reference needs static shapes "
                                      "and affine indexing maps");
    loops.accesses.push_back(std::move(*access));
  }
  return loops;
}

/// Runs the loops of `op`; `operands` has one tensor per operand (scalars have
/// one element). The tensors of the destinations become the results.
static Status runLinalg(linalg::LinalgOp op,
                        MutableArrayRef<ReferenceTensor> operands) {
  Result<Loops> loops = readLoops(op);
  if (!loops)
    return loops.takeError();
  ArrayRef<Access> accesses = loops->accesses;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0))
    return {};
  size_t inputs = op.getNumDpsInputs();
  SmallVector<int64_t> indices(extents.size(), 0), positions(accesses.size());
  SmallVector<double> arguments(accesses.size()), results(op.getNumDpsInits());
  do {
    for (auto [i, access] : llvm::enumerate(accesses)) {
      positions[i] = access.position(indices);
      arguments[i] = operands[i][positions[i]];
    }
    loops->body.run(arguments, results);
    for (auto [i, result] : llvm::enumerate(results))
      operands[inputs + i][positions[inputs + i]] = result;
  } while (advance(indices, extents));
  return {};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
class Evaluator {
public:
  explicit Evaluator(const std::function<void(double)> &progress)
      : progress(progress) {}

  Result<std::vector<ReferenceTensor>>
  run(func::FuncOp function, std::vector<ReferenceTensor> arguments);

private:
  Status evaluate(Operation &op);
  Status evaluateConvolution(ConvOpInterface op);
  Status evaluateLinalg(linalg::LinalgOp op);
  void evaluateConstant(arith::ConstantOp op);
  void define(Value value, ReferenceTensor tensor) {
    tensors[value] = std::move(tensor);
  }

  const std::function<void(double)> &progress;
  llvm::DenseMap<Value, ReferenceTensor> tensors;
};
} // namespace

Status Evaluator::evaluateConvolution(ConvOpInterface op) {
  Result<Problem> problem = getProblem(op);
  if (!problem)
    return errorAt(op->getLoc(), problem.error());
  convmlir::ReferenceArguments<double> arguments;
  for (Value source : op->getOperands().take_front(2))
    arguments.push_back(tensors[source]);
  // No problem line has sums that become wider, which changes no number.
  if (problem->outType == "f64")
    problem->outType = convmlir::accumulationType(problem->type);
  Result<ReferenceTensor> result =
      convmlir::computeReference<double>(*problem, arguments);
  if (!result)
    return errorAt(op->getLoc(), result.error());
  // Integers wrap here, and saturate in a problem line.
  if (op.getAccumulate())
    llvm::transform(
        llvm::zip(*result, tensors[op.getDest()]), result->begin(),
        [](auto pair) { return std::get<0>(pair) + std::get<1>(pair); });
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
  SmallVector<ReferenceTensor> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tensors[operand]);
  if (Status status = runLinalg(op, operands); !status)
    return status;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    define(result, std::move(operands[op.getNumDpsInputs() + i]));
  return {};
}

void Evaluator::evaluateConstant(arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return define(op, {number.getValueAsDouble()});
  if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
    return define(op, {toNumber(number.getValue())});
  ReferenceTensor tensor;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(op.getValue()))
    for (const APFloat &value : elements.getValues<APFloat>())
      tensor.push_back(APFloat(value).convertToDouble());
  else if (auto integers = dyn_cast<DenseIntElementsAttr>(op.getValue()))
    for (const APInt &value : integers.getValues<APInt>())
      tensor.push_back(toNumber(value));
  define(op, std::move(tensor));
}

/// Of an operation that passes check().
Status Evaluator::evaluate(Operation &op) {
  if (auto convolution = dyn_cast<ConvOpInterface>(op))
    return evaluateConvolution(convolution);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(linalgOp);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    evaluateConstant(constant);
  else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    define(empty, ReferenceTensor(empty.getType().getNumElements(), 0));
  else
    define(op.getResult(0), tensors[op.getOperand(0)]);
  return {};
}

/// Whether evaluate() knows the operation.
static Status check(Operation &op) {
  if (auto convolution = dyn_cast<ConvOpInterface>(op)) {
    Result<Problem> problem = getProblem(convolution);
    return problem ? Status() : errorAt(op.getLoc(), problem.error());
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    Result<Loops> loops = readLoops(linalgOp);
    return loops ? Status() : Status(loops.takeError());
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<FloatAttr, IntegerAttr, DenseFPElementsAttr,
               DenseIntElementsAttr>(constant.getValue())
               ? Status()
               : errorAt(op.getLoc(), "the reference expects dense constants");
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  bool isKnown = empty
                     ? empty.getType().hasStaticShape()
                     : isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  return isKnown ? Status() : unknownOperation(op);
}

Result<std::vector<ReferenceTensor>>
Evaluator::run(func::FuncOp function, std::vector<ReferenceTensor> arguments) {
  Block &body = function.getBody().front();
  for (auto [value, tensor] : llvm::zip(body.getArguments(), arguments))
    define(value, std::move(tensor));
  double done = 0, total = std::max<size_t>(body.getOperations().size(), 1);
  for (Operation &op : body.without_terminator()) {
    if (Status status = evaluate(op); !status)
      return status.takeError();
    if (progress)
      progress(++done / total);
  }
  std::vector<ReferenceTensor> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(tensors[value]);
  return results;
}

Status conv::checkReference(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return errorAt(function.getLoc(), "@" + function.getName() +
                                          ": expected a function of one block");
  for (Operation &op : function.getBody().front().without_terminator())
    if (Status status = check(op); !status)
      return status;
  return {};
}

Result<std::vector<ReferenceTensor>>
conv::evaluateFunction(func::FuncOp function,
                       std::vector<ReferenceTensor> arguments,
                       const std::function<void(double)> &progress) {
  if (Status status = checkReference(function); !status)
    return status.takeError();
  return Evaluator(progress).run(function, std::move(arguments));
}
