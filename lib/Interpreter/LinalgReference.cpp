//===- LinalgReference.cpp - the loops of linalg in f64 -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a linalg operation and the tensors of its operands. Output: those of
// its results. Sums are formed in the order of the loops. A parallel loop is
// divided among threads, which changes no number.
//
//===----------------------------------------------------------------------===//

#include "LinalgReference.h"
#include "ScalarFunctions.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Interpreter/OpProblem.h"
#include "conv/Reference/Parallel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <atomic>
#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using convmlir::Result;
using convmlir::Status;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

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

static bool hasStaticShape(Type type) {
  return !isa<ShapedType>(type) || cast<ShapedType>(type).hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

template <typename... Ops> static Value skip(Value value) {
  while (isa_and_nonnull<Ops...>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The factors, if `sum` adds their product to the element of the result.
template <typename Multiply, typename Extend>
static std::optional<ValueRange> getFactors(Operation *sum, Value old,
                                            Type type) {
  for (unsigned i : {0, 1}) {
    auto product =
        skip<Extend>(sum->getOperand(1 - i)).template getDefiningOp<Multiply>();
    bool isExact = product && (product.getType() == type ||
                               isa<FloatType>(product.getType()));
    if (sum->getOperand(i) == old && isExact)
      return product->getOperands();
  }
  return std::nullopt;
}

template <typename Extend>
static bool areInputs(Block &body, ValueRange factors) {
  SmallVector<Value> sources = {skip<Extend>(factors[0]),
                                skip<Extend>(factors[1])};
  ArrayRef<BlockArgument> inputs = body.getArguments();
  return sources == SmallVector<Value>{inputs[0], inputs[1]} ||
         sources == SmallVector<Value>{inputs[1], inputs[0]};
}

static bool isNarrow(Type type) { return type.getIntOrFloatBitWidth() < 32; }

/// Products of floats that are not rounded, and of i8 in the type of their sum:
/// then it does not matter when the sum wraps.
static bool onlyAddsProducts(linalg::LinalgOp op, bool roundsSums) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getBlock()->getNumArguments() != 3)
    return false;
  Block &body = *op.getBlock();
  Value old = body.getArgument(2);
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp>(sum)) {
    auto factors =
        getFactors<arith::MulFOp, arith::ExtFOp>(sum, old, old.getType());
    bool rounds =
        factors && roundsSums &&
        (isNarrow(old.getType()) || isNarrow((*factors)[0].getType()));
    return factors && !rounds && areInputs<arith::ExtFOp>(body, *factors);
  }
  if (isa_and_nonnull<arith::AddIOp>(sum)) {
    auto factors =
        getFactors<arith::MulIOp, arith::ExtSIOp>(sum, old, old.getType());
    return factors && areInputs<arith::ExtSIOp>(body, *factors) &&
           old.getType().isInteger(32) &&
           body.getArgument(0).getType().isInteger(8) &&
           body.getArgument(1).getType().isInteger(8);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Result<LinalgLoops> LinalgLoops::read(linalg::LinalgOp op, bool roundsSums) {
  Result<ScalarProgram> program =
      ScalarProgram::create(*op.getBlock(), roundsSums);
  if (!program)
    return program.takeError();
  LinalgLoops loops(op, std::move(*program));
  loops.roundsSums = roundsSums;
  loops.addsProducts = onlyAddsProducts(op, roundsSums);
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

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// Positions of all operands in a walk over all loops but the innermost one.
class Walk {
public:
  Walk(ArrayRef<Access> accesses, ArrayRef<int64_t> first,
       ArrayRef<int64_t> extents)
      : accesses(accesses), first(first), extents(extents),
        indices(extents.size(), 0) {
    for (const Access &access : accesses) {
      positions.push_back(access.base);
      for (auto [stride, index] : llvm::zip(access.strides, first))
        positions.back() += stride * index;
    }
  }

  ArrayRef<int64_t> getPositions() const { return positions; }

  /// Indices of the loops, at the first iteration of the innermost one.
  SmallVector<int64_t> getIndices() const {
    SmallVector<int64_t> result(first);
    for (auto [index, added] : llvm::zip(result, indices))
      index += added;
    return result;
  }

  /// The next indices in row-major order; false after the last.
  bool advance() {
    for (int64_t dim = int64_t(indices.size()) - 1; dim-- > 0;) {
      if (++indices[dim] < extents[dim]) {
        move(dim, 1);
        return true;
      }
      move(dim, 1 - extents[dim]);
      indices[dim] = 0;
    }
    return false;
  }

private:
  void move(int64_t dim, int64_t steps) {
    for (auto [position, access] : llvm::zip(positions, accesses))
      position += access.strides[dim] * steps;
  }

  ArrayRef<Access> accesses;
  ArrayRef<int64_t> first, extents;
  SmallVector<int64_t> indices, positions;
};
} // namespace

/// A loop whose iterations write different elements, the longest of these.
std::optional<unsigned> LinalgLoops::findParallelLoop() {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> best;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    auto dim = getAffineDimExpr(loop, op->getContext());
    bool writesApart =
        llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
          AffineMap map = op.getMatchingIndexingMap(&init);
          return llvm::is_contained(map.getResults(), dim);
        });
    if (writesApart && (!best || extent > extents[*best]))
      best = loop;
  }
  return best;
}

/// One run of the innermost loop of a sum of products of integers.
static void addIntegers(ArrayRef<LinalgLoops::Elements> operands,
                        ArrayRef<Access> accesses, ArrayRef<int64_t> positions,
                        int64_t extent) {
  const double *x = operands[0].values + positions[0];
  const double *w = operands[1].values + positions[1];
  double *y = operands[2].values + positions[2];
  int64_t xStep = accesses[0].strides.back(),
          wStep = accesses[1].strides.back(),
          yStep = accesses[2].strides.back();
  for (int64_t i = 0; i < extent; ++i, x += xStep, w += wStep, y += yStep)
    *y += *x * *w;
  for (int64_t i = 0; i < extent; ++i)
    if (y -= yStep; i == 0 || yStep != 0)
      *y = wrapTo(32, *y);
}

/// One of floats. The magnitudes of the result are squares meanwhile.
static void addRun(ArrayRef<LinalgLoops::Elements> operands,
                   ArrayRef<Access> accesses, ArrayRef<int64_t> positions,
                   int64_t extent) {
  int64_t x = positions[0], w = positions[1], y = positions[2];
  auto [xs, xSizes] = operands[0];
  auto [ws, wSizes] = operands[1];
  auto [ys, squares] = operands[2];
  for (int64_t i = 0; i < extent; ++i) {
    ys[y] += xs[x] * ws[w];
    double size =
        std::max(std::abs(xs[x]) * wSizes[w], std::abs(ws[w]) * xSizes[x]);
    squares[y] = std::max(squares[y] + size * size, ys[y] * ys[y]);
    x += accesses[0].strides.back();
    w += accesses[1].strides.back();
    y += accesses[2].strides.back();
  }
}

/// Whether f64 has the number; what is undefined is NaN.
static bool isHeld(Scalar value) {
  return std::isnan(value) || static_cast<double>(value) == value;
}

void LinalgLoops::runInnermost(ScalarProgram &program,
                               ArrayRef<Elements> operands,
                               SmallVector<int64_t> positions,
                               SmallVector<int64_t> indices, int64_t extent,
                               bool &isAllHeld) {
  size_t inputs = op.getNumDpsInputs();
  SmallVector<double> arguments(operands.size()), sizes(operands.size());
  SmallVector<bool> isWide;
  for (Value init : op.getDpsInits())
    isWide.push_back(getElementTypeOrSelf(init).isInteger(64));
  for (int64_t i = 0; i < extent; ++i) {
    for (auto [o, operand] : llvm::enumerate(operands)) {
      arguments[o] = operand.values[positions[o]];
      sizes[o] = operand.magnitudes[positions[o]];
    }
    if (program.hasIndices())
      program.setIndices(indices);
    program.run(arguments, sizes);
    if (!indices.empty())
      ++indices.back();
    for (size_t r = 0; r < isWide.size(); ++r) {
      auto [values, magnitudes] = operands[inputs + r];
      Scalar result = program.getResult(r);
      isAllHeld &= !isWide[r] || isHeld(result);
      values[positions[inputs + r]] = static_cast<double>(result);
      magnitudes[positions[inputs + r]] = program.getResultMagnitude(r);
    }
    for (auto [position, access] : llvm::zip(positions, accesses))
      position += access.strides.empty() ? 0 : access.strides.back();
  }
}

/// The part of the loops from `first` on. False where a number is not held.
bool LinalgLoops::runPart(ArrayRef<Elements> operands, ArrayRef<int64_t> first,
                          ArrayRef<int64_t> extents) {
  ScalarProgram program = body;
  bool isInteger = addsIntegers();
  int64_t inner = extents.empty() ? 1 : extents.back();
  bool isAllHeld = true;
  Walk walk(accesses, first, extents);
  do {
    ArrayRef<int64_t> positions = walk.getPositions();
    if (!addsProducts || extents.empty())
      runInnermost(program, operands, SmallVector<int64_t>(positions),
                   walk.getIndices(), inner, isAllHeld);
    else if (isInteger)
      addIntegers(operands, accesses, positions, inner);
    else
      addRun(operands, accesses, positions, inner);
  } while (walk.advance());
  return isAllHeld;
}

bool LinalgLoops::addsIntegers() {
  return addsProducts &&
         isa<IntegerType>(op.getBlock()->getArgument(2).getType());
}

/// The magnitudes of an operand's elements.
static MutableArrayRef<double> getMagnitudesOf(OpOperand &operand,
                                               LinalgLoops::Elements elements) {
  auto tensor = cast<ShapedType>(operand.get().getType());
  return {elements.magnitudes, static_cast<size_t>(tensor.getNumElements())};
}

/// Sums that were not rounded on the way.
void LinalgLoops::roundResults(ArrayRef<Elements> operands) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto tensor = cast<ShapedType>(init.get().getType());
    auto type = getElementType(tensor.getElementType());
    for (double &value : MutableArrayRef(
             operands[init.getOperandNumber()].values, tensor.getNumElements()))
      value = roundTo(type, value);
  }
}

/// Whether it is over before threads have begun.
static bool isShort(linalg::LinalgOp op) {
  constexpr int64_t iterations = 100'000;
  int64_t product = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    if ((product *= extent) >= iterations)
      return false;
  return true;
}

Status LinalgLoops::run(ArrayRef<Elements> operands) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0))
    return {};
  std::optional<unsigned> loop = findParallelLoop();
  int64_t parts = loop ? extents[*loop] : 1;
  if (loop)
    extents[*loop] = 1;
  bool hasSquares = addsProducts && !extents.empty() && !addsIntegers();
  if (hasSquares)
    for (double &size :
         getMagnitudesOf(*op.getDpsInitOperand(0), operands.back()))
      size *= size;
  std::atomic<bool> isAllHeld = true;
  convmlir::ReferenceOptions options;
  options.threads = isShort(op) ? 1 : 0;
  convmlir::parallelFor(parts, options, [&](int64_t part) {
    SmallVector<int64_t> first(extents.size(), 0);
    if (loop)
      first[*loop] = part;
    if (!runPart(operands, first, extents))
      isAllHeld = false;
  });
  if (hasSquares)
    for (double &size :
         getMagnitudesOf(*op.getDpsInitOperand(0), operands.back()))
      size = std::sqrt(size);
  if (!isAllHeld)
    return errorAt(op.getLoc(),
                   "'" + op->getName().getStringRef() +
                       "': a result has integers of 64 bits beyond 2^53, which "
                       "the reference does not keep in tensors");
  if (!roundsSums)
    roundResults(operands);
  return {};
}
