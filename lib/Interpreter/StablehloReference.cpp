//===- StablehloReference.cpp - what operations of StableHLO mean -===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StablehloReference.h"
#include "Magnitudes.h"
#include "ScalarProgram.h"
#include "StablehloScalars.h"
#include "conv/Reference/Parallel.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::ReferenceTensor;

using Shape = ArrayRef<int64_t>;
/// Of values, or of magnitudes.
using Numbers = std::vector<double>;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// As an element of the type: floats rounded, integers wrapped.
static double toElement(Type type, Scalar value) {
  if (type.isInteger(1))
    return value != 0;
  if (isa<IntegerType>(type))
    return static_cast<double>(wrapTo(type.getIntOrFloatBitWidth(), value));
  return static_cast<double>(roundResult(type, value, /*rounds=*/true));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The indices of an element in row-major order.
static SmallVector<int64_t> getIndices(int64_t position, Shape shape) {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t dim = shape.size(); dim-- > 0;) {
    indices[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return indices;
}

static int64_t getPosition(ArrayRef<int64_t> indices, Shape shape) {
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip(indices, shape))
    position = position * extent + index;
  return position;
}

/// Each element of the result is the one of the operand at `source` of its
/// indices.
static Numbers
move(Operation &op, const Numbers &operand,
     function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  RankedTensorType from = typeOf(op.getOperand(0)),
                   to = typeOf(op.getResult(0));
  Numbers result(to.getNumElements());
  for (auto [position, value] : llvm::enumerate(result)) {
    SmallVector<int64_t> indices = getIndices(position, to.getShape());
    value = operand[getPosition(source(indices), from.getShape())];
  }
  return result;
}

/// Each element is its index along a dimension.
static Numbers count(IotaOp op) {
  Numbers result(op.getType().getNumElements());
  for (auto [position, value] : llvm::enumerate(result))
    value = toElement(
        op.getType().getElementType(),
        getIndices(position, op.getType().getShape())[op.getIotaDimension()]);
  return result;
}

static Numbers transpose(TransposeOp op, const Numbers &x) {
  return move(*op, x, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> source(indices.size());
    for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
      source[dim] = indices[i];
    return source;
  });
}

static Numbers reverse(ReverseOp op, const Numbers &x) {
  return move(*op, x, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> source(indices);
    for (int64_t dim : op.getDimensions())
      source[dim] = op.getType().getDimSize(dim) - 1 - indices[dim];
    return source;
  });
}

static Numbers slice(SliceOp op, const Numbers &x) {
  return move(*op, x, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> source(op.getStartIndices());
    for (auto [dim, index] : llvm::enumerate(indices))
      source[dim] += index * op.getStrides()[dim];
    return source;
  });
}

static Numbers broadcast(BroadcastInDimOp op, const Numbers &x) {
  RankedTensorType from = op.getOperand().getType();
  return move(*op, x, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> source;
    for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions()))
      source.push_back(from.getDimSize(i) == 1 ? 0 : indices[dim]);
    return source;
  });
}

/// Of the operands the values, or the magnitudes.
static Numbers concatenate(ConcatenateOp op,
                           ArrayRef<const ReferenceTensor *> operands,
                           Numbers ReferenceTensor::*numbers) {
  Shape shape = op.getType().getShape();
  uint64_t dim = op.getDimension();
  Numbers result(op.getType().getNumElements());
  int64_t begin = 0;
  for (auto [input, operand] : llvm::zip(op.getInputs(), operands)) {
    Shape extents = typeOf(input).getShape();
    for (auto [position, number] : llvm::enumerate(operand->*numbers)) {
      SmallVector<int64_t> indices = getIndices(position, extents);
      indices[dim] += begin;
      result[getPosition(indices, shape)] = number;
    }
    begin += extents[dim];
  }
  return result;
}

/// The element of the operand that a place of the result has; nothing where
/// that is padding.
static std::optional<SmallVector<int64_t>>
findPadded(PadOp op, ArrayRef<int64_t> indices) {
  SmallVector<int64_t> source;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t at = index - op.getEdgePaddingLow()[dim];
    int64_t step = op.getInteriorPadding()[dim] + 1;
    if (at < 0 || at % step != 0 ||
        at / step >= op.getOperand().getType().getDimSize(dim))
      return std::nullopt;
    source.push_back(at / step);
  }
  return source;
}

static Numbers pad(PadOp op, const Numbers &x, double value) {
  Numbers result(op.getType().getNumElements(), value);
  for (auto [position, number] : llvm::enumerate(result))
    if (auto source =
            findPadded(op, getIndices(position, op.getType().getShape())))
      number = x[getPosition(*source, op.getOperand().getType().getShape())];
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isElementwise(Operation &op) {
  Scalar ones[] = {1, 1, 1};
  return computeScalar(op, ones).has_value();
}

static ReferenceTensor
computeElements(Operation &op, ArrayRef<const ReferenceTensor *> operands) {
  RankedTensorType type = typeOf(op.getResult(0));
  Growth growth = getGrowth(op);
  auto function = [&](const Scalar *x) { return *computeScalar(op, x); };
  ReferenceTensor result;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    SmallVector<Scalar, 3> x;
    SmallVector<double, 3> sizes;
    for (auto [operand, tensor] : llvm::enumerate(operands)) {
      bool isOne = typeOf(op.getOperand(operand)).getRank() == 0;
      x.push_back(tensor->values[isOne ? 0 : i]);
      sizes.push_back(tensor->magnitudes[isOne ? 0 : i]);
    }
    double value = toElement(type.getElementType(), function(x.data()));
    result.values.push_back(value);
    result.magnitudes.push_back(
        getMagnitude(growth, function, x, sizes, value));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The index of the element that a tap of a window meets; nothing where that is
/// padding or between two elements.
static std::optional<int64_t> findMet(const WindowDimension &window,
                                      int64_t output, int64_t tap,
                                      int64_t extent) {
  int64_t at = output * window.stride + tap * window.rhsDilation - window.low;
  if (at < 0 || at >= getSpread(extent, window.lhsDilation) ||
      at % window.lhsDilation != 0)
    return std::nullopt;
  return at / window.lhsDilation;
}

namespace {
/// The definition: an element of the result is the sum of the products of a
/// window of the left operand with the right one.
class Convolution {
public:
  Convolution(ConvolutionOp op, const Numbers &lhs, const Numbers &rhs)
      : numbers(op.getDimensionNumbers()), lhs(lhs), rhs(rhs),
        featureGroups(op.getFeatureGroupCount()),
        batchGroups(op.getBatchGroupCount()),
        lhsShape(op.getLhsType().getShape()),
        rhsShape(op.getRhsType().getShape()) {
    for (int64_t dim = 0; dim < op.getSpatialRank(); ++dim) {
      windows.push_back(op.getWindowDimension(dim));
      taps.push_back(rhsShape[findDim(numbers.getRhs(), dim)]);
    }
    int64_t lhsDim = findDim(numbers.getLhs(), kFeature);
    int64_t rhsDim = findDim(numbers.getRhs(), kFeature);
    features = rhsShape[rhsDim];
    lhsStep = llvm::product_of(lhsShape.drop_front(lhsDim + 1), int64_t(1));
    rhsStep = llvm::product_of(rhsShape.drop_front(rhsDim + 1), int64_t(1));
  }

  /// At these indices of the result.
  double sumAt(ArrayRef<int64_t> indices) const;

private:
  static constexpr int64_t kBatch = ConvDimensionNumbersAttr::kBatch;
  static constexpr int64_t kFeature = ConvDimensionNumbersAttr::kFeature;

  static int64_t findDim(ArrayRef<int64_t> entries, int64_t entry) {
    return llvm::find(entries, entry) - entries.begin();
  }

  /// Sets the spatial indices of what a tap reads; false where that is padding
  /// or between two elements.
  bool setWindow(ArrayRef<int64_t> output, ArrayRef<int64_t> tap,
                 MutableArrayRef<int64_t> left,
                 MutableArrayRef<int64_t> right) const;

  /// The products of all features, of which the first lie at these positions.
  double sumFeatures(int64_t left, int64_t right) const {
    double sum = 0;
    for (int64_t feature = 0; feature < features; ++feature)
      sum += lhs[left + feature * lhsStep] * rhs[right + feature * rhsStep];
    return sum;
  }

  ConvDimensionNumbersAttr numbers;
  const Numbers &lhs, &rhs;
  int64_t featureGroups, batchGroups;
  Shape lhsShape, rhsShape;
  SmallVector<WindowDimension> windows;
  SmallVector<int64_t> taps;
  int64_t features, lhsStep, rhsStep;
};
} // namespace

bool Convolution::setWindow(ArrayRef<int64_t> output, ArrayRef<int64_t> tap,
                            MutableArrayRef<int64_t> left,
                            MutableArrayRef<int64_t> right) const {
  for (auto [dim, window] : llvm::enumerate(windows)) {
    int64_t p = output[findDim(numbers.getOutput(), dim)], r = tap[dim];
    int64_t lhsDim = findDim(numbers.getLhs(), dim);
    std::optional<int64_t> met = findMet(window, p, r, lhsShape[lhsDim]);
    if (!met)
      return false;
    left[lhsDim] = *met;
    right[findDim(numbers.getRhs(), dim)] =
        window.reversed ? taps[dim] - 1 - r : r;
  }
  return true;
}

double Convolution::sumAt(ArrayRef<int64_t> output) const {
  int64_t batch = output[findDim(numbers.getOutput(), kBatch)];
  int64_t made = output[findDim(numbers.getOutput(), kFeature)];
  int64_t outputs = rhsShape[findDim(numbers.getRhs(), kBatch)];
  int64_t lhsBatches = lhsShape[findDim(numbers.getLhs(), kBatch)];
  int64_t featureGroup = made / (outputs / featureGroups);
  int64_t batchGroup = made / (outputs / batchGroups);
  SmallVector<int64_t> left(lhsShape.size()), right(rhsShape.size());
  left[findDim(numbers.getLhs(), kBatch)] =
      batchGroup * (lhsBatches / batchGroups) + batch;
  right[findDim(numbers.getRhs(), kBatch)] = made;
  left[findDim(numbers.getLhs(), kFeature)] = featureGroup * features;
  double sum = 0;
  int64_t numTaps = llvm::product_of(taps, int64_t(1));
  for (int64_t tap = 0; tap < numTaps; ++tap)
    if (setWindow(output, getIndices(tap, taps), left, right))
      sum += sumFeatures(getPosition(left, lhsShape),
                         getPosition(right, rhsShape));
  return sum;
}

/// The sums of the products, not rounded.
static Numbers convolve(ConvolutionOp op, const Numbers &lhs,
                        const Numbers &rhs) {
  Convolution convolution(op, lhs, rhs);
  Shape shape = op.getType().getShape();
  Numbers result(op.getType().getNumElements());
  convmlir::parallelFor(result.size(), {}, [&](int64_t position) {
    result[position] = convolution.sumAt(getIndices(position, shape));
  });
  return result;
}

/// The sums of the products of a dot_general, not rounded.
static Numbers multiply(DotGeneralOp op, const Numbers &lhs,
                        const Numbers &rhs) {
  DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  Shape lhsShape = op.getLhs().getType().getShape(),
        rhsShape = op.getRhs().getType().getShape();
  SmallVector<int64_t> summed;
  for (int64_t dim : dims.getLhsContracting())
    summed.push_back(lhsShape[dim]);
  int64_t count = llvm::product_of(summed, int64_t(1));
  SmallVector<int64_t> lhsFree = op.getLhsFree(), rhsFree = op.getRhsFree();
  Numbers result(op.getType().getNumElements());
  auto sumAt = [&](int64_t position) {
    SmallVector<int64_t> indices =
        getIndices(position, op.getType().getShape());
    SmallVector<int64_t> left(lhsShape.size()), right(rhsShape.size());
    size_t place = 0;
    for (auto [l, r] : llvm::zip(dims.getLhsBatching(), dims.getRhsBatching()))
      left[l] = right[r] = indices[place++];
    for (int64_t dim : lhsFree)
      left[dim] = indices[place++];
    for (int64_t dim : rhsFree)
      right[dim] = indices[place++];
    double sum = 0;
    for (int64_t term = 0; term < count; ++term) {
      for (auto [i, index] : llvm::enumerate(getIndices(term, summed))) {
        left[dims.getLhsContracting()[i]] = index;
        right[dims.getRhsContracting()[i]] = index;
      }
      sum +=
          lhs[getPosition(left, lhsShape)] * rhs[getPosition(right, rhsShape)];
    }
    result[position] = sum;
  };
  convmlir::parallelFor(result.size(), {}, sumAt);
  return result;
}

static Numbers square(Numbers numbers) {
  for (double &number : numbers)
    number *= number;
  return numbers;
}

/// What sum() makes of the elements of two operands. The magnitude of a sum is
/// the root of that of the products' squares.
static ReferenceTensor
sumProducts(Type element, const ReferenceTensor &lhs,
            const ReferenceTensor &rhs,
            function_ref<Numbers(const Numbers &, const Numbers &)> sum) {
  Numbers values = sum(lhs.values, rhs.values);
  for (double &value : values)
    value = toElement(element, value);
  if (isa<IntegerType>(element))
    return {values, getMagnitudes(values)};
  Numbers left = sum(square(lhs.magnitudes), square(rhs.values));
  Numbers right = sum(square(lhs.values), square(rhs.magnitudes));
  for (auto [value, size, other] : llvm::zip(values, left, right))
    size = std::fmax(std::abs(value), std::sqrt(std::max(size, other)));
  return {std::move(values), std::move(left)};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The position in the result of an element at these indices.
static int64_t getReducedPosition(ReduceOp op, ArrayRef<int64_t> indices) {
  SmallVector<int64_t> kept;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (!llvm::is_contained(op.getDimensions(), int64_t(dim)))
      kept.push_back(index);
  return getPosition(kept, op.getType().getShape());
}

/// How large the elements of a sum are together, or the chosen one is.
static double combineMagnitudes(Operation &combiner, double a, double b,
                                bool isSecond) {
  if (isa<AddOp>(combiner))
    return addMagnitudes(a, b);
  return isSecond ? b : a;
}

namespace {
/// The result of a reduction, while elements are combined. Sums are rounded
/// once, at the end.
class Combined {
public:
  Combined(Operation &combiner, RankedTensorType type,
           const ReferenceTensor &init)
      : combiner(combiner), element(type.getElementType()),
        result{Numbers(type.getNumElements(), init.values.front()),
               Numbers(type.getNumElements(), init.magnitudes.front())} {}

  void add(int64_t at, double value, double magnitude) {
    Scalar both[] = {result.values[at], value};
    auto made = static_cast<double>(*computeScalar(combiner, both));
    result.magnitudes[at] = combineMagnitudes(combiner, result.magnitudes[at],
                                              magnitude, made == value);
    result.values[at] = made;
  }

  ReferenceTensor finish() {
    for (auto [value, size] : llvm::zip(result.values, result.magnitudes)) {
      value = toElement(element, value);
      size = isa<IntegerType>(element) ? std::abs(value)
                                       : std::fmax(std::abs(value), size);
    }
    return std::move(result);
  }

private:
  Operation &combiner;
  Type element;
  ReferenceTensor result;
};
} // namespace

static ReferenceTensor reduce(ReduceOp op, const ReferenceTensor &input,
                              const ReferenceTensor &init) {
  Shape shape = op.getInput().getType().getShape();
  Combined result(op.getCombiner(), op.getType(), init);
  for (auto [i, value] : llvm::enumerate(input.values))
    result.add(getReducedPosition(op, getIndices(i, shape)), value,
               input.magnitudes[i]);
  return result.finish();
}

/// The position of the first operand's element that a window meets; nothing
/// where that is padding.
template <typename OpTy>
static std::optional<int64_t> findMet(OpTy op, ArrayRef<int64_t> output,
                                      ArrayRef<int64_t> tap) {
  Shape shape = typeOf(op->getOperand(0)).getShape();
  SmallVector<int64_t> source;
  for (auto [dim, index] : llvm::enumerate(output)) {
    std::optional<int64_t> met =
        findMet(op.getWindowDimension(dim), index, tap[dim], shape[dim]);
    if (!met)
      return std::nullopt;
    source.push_back(*met);
  }
  return getPosition(source, shape);
}

/// Padding is combined as elements of the first value.
static ReferenceTensor reduceWindows(ReduceWindowOp op,
                                     const ReferenceTensor &input,
                                     const ReferenceTensor &init) {
  Shape made = op.getType().getShape(), window = op.getWindowDimensions();
  int64_t taps = llvm::product_of(window, int64_t(1));
  Combined result(op.getCombiner(), op.getType(), init);
  for (int64_t at = 0, e = op.getType().getNumElements(); at < e; ++at) {
    SmallVector<int64_t> output = getIndices(at, made);
    for (int64_t tap = 0; tap < taps; ++tap) {
      auto source = findMet(op, output, getIndices(tap, window));
      const ReferenceTensor &from = source ? input : init;
      int64_t place = source.value_or(0);
      result.add(at, from.values[place], from.magnitudes[place]);
    }
  }
  return result.finish();
}

/// The position of the element that a window selects; nothing where it meets
/// only padding.
static std::optional<int64_t> findSelected(SelectAndScatterOp op,
                                           ArrayRef<int64_t> output,
                                           const Numbers &x) {
  SmallVector<int64_t> window = op.getWindowExtents();
  std::optional<int64_t> selected;
  for (int64_t tap = 0, e = llvm::product_of(window, int64_t(1)); tap < e;
       ++tap) {
    std::optional<int64_t> met = findMet(op, output, getIndices(tap, window));
    if (met && (!selected ||
                !compareScalars(op.getComparison(), x[*selected], x[*met])))
      selected = met;
  }
  return selected;
}

static ReferenceTensor selectAndScatter(SelectAndScatterOp op,
                                        const ReferenceTensor &operand,
                                        const ReferenceTensor &source,
                                        const ReferenceTensor &init) {
  Shape windows = op.getSource().getType().getShape();
  Combined result(op.getCombiner(), op.getType(), init);
  for (auto [i, value] : llvm::enumerate(source.values))
    if (auto at = findSelected(op, getIndices(i, windows), operand.values))
      result.add(*at, value, source.magnitudes[i]);
  return result.finish();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool conv::knowsStablehlo(Operation &op) {
  return isElementwise(op) ||
         isa<ConvolutionOp, DotGeneralOp, IotaOp, ReduceOp, ReduceWindowOp,
             SelectAndScatterOp, TransposeOp, ReverseOp, BroadcastInDimOp,
             ReshapeOp, PadOp, SliceOp, ConcatenateOp>(op);
}

ReferenceTensor
conv::evaluateStablehlo(Operation &op,
                        ArrayRef<const ReferenceTensor *> operands) {
  Type element = typeOf(op.getResult(0)).getElementType();
  auto moveBoth = [&](auto move) {
    const ReferenceTensor &x = *operands[0];
    return ReferenceTensor{move(x.values), move(x.magnitudes)};
  };
  return TypeSwitch<Operation *, ReferenceTensor>(&op)
      .Case([&](ConvolutionOp convolution) {
        return sumProducts(element, *operands[0], *operands[1],
                           [&](const Numbers &lhs, const Numbers &rhs) {
                             return convolve(convolution, lhs, rhs);
                           });
      })
      .Case([&](DotGeneralOp dot) {
        return sumProducts(element, *operands[0], *operands[1],
                           [&](const Numbers &lhs, const Numbers &rhs) {
                             return multiply(dot, lhs, rhs);
                           });
      })
      .Case([&](ReduceWindowOp op) {
        return reduceWindows(op, *operands[0], *operands[1]);
      })
      .Case([&](SelectAndScatterOp op) {
        return selectAndScatter(op, *operands[0], *operands[1], *operands[2]);
      })
      .Case([&](ReduceOp op) { return reduce(op, *operands[0], *operands[1]); })
      .Case([&](IotaOp op) {
        Numbers values = count(op);
        return ReferenceTensor{values, getMagnitudes(values)};
      })
      .Case([&](TransposeOp op) {
        return moveBoth([&](const Numbers &x) { return transpose(op, x); });
      })
      .Case([&](ReverseOp op) {
        return moveBoth([&](const Numbers &x) { return reverse(op, x); });
      })
      .Case([&](BroadcastInDimOp op) {
        return moveBoth([&](const Numbers &x) { return broadcast(op, x); });
      })
      .Case([&](PadOp op) {
        const ReferenceTensor &x = *operands[0], &value = *operands[1];
        return ReferenceTensor{pad(op, x.values, value.values[0]),
                               pad(op, x.magnitudes, value.magnitudes[0])};
      })
      .Case([&](ConcatenateOp op) {
        return ReferenceTensor{
            concatenate(op, operands, &ReferenceTensor::values),
            concatenate(op, operands, &ReferenceTensor::magnitudes)};
      })
      .Case([&](SliceOp op) {
        return moveBoth([&](const Numbers &x) { return slice(op, x); });
      })
      .Case([&](ReshapeOp) { return *operands[0]; })
      .Default([&](Operation *) { return computeElements(op, operands); });
}
