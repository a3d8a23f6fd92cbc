//===- LinalgConvolution.cpp - linalg ops read as convolutions ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a linalg operation. Output: its LinalgConvolution.
//
// A sum of products over windows can be read in several ways, which all mean
// the same sums and differ in the kernel that runs. So the likely one comes
// first, and the next one where that breaks a rule of the conv dialect.
//
//   the wide tensor is   the result is   read as
//   the result           x               conv.dgrad
//   an input             y               conv.forward
//   an input             w               conv.wgrad
//   an input, dy         x               conv.dgrad, its filter backwards
//
//===----------------------------------------------------------------------===//

#include "LinalgConvolution.h"
#include "ConvolutionRoles.h"
#include "MultiplyAddBody.h"
#include "OperandSources.h"
#include "SumOfProducts.h"

#include "conv/Dialect/Conv/IR/ConvTypes.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::Error;
using convmlir::Precision;
using convmlir::Result;
using convmlir::Status;

bool conv::isConvolution(linalg::LinalgOp op) {
  return op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         isMultiplyAdd(op) && hasWindows(op);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// What is read: the operands behind what a convolution absorbs.
struct Operands {
  /// The inputs and the init.
  std::array<Value, 3> values;
  /// The wide operand has zeros around and between its elements.
  SmallVector<int64_t> low, high, spread;
  /// The other input as the second source of an operation with a filter:
  /// behind a reversal of these dimensions.
  Value filter;
  SmallVector<bool> reversed;

  std::array<ArrayRef<int64_t>, 3> shapes() const {
    std::array<ArrayRef<int64_t>, 3> result;
    for (auto [shape, value] : llvm::zip(result, values))
      shape = cast<ShapedType>(value.getType()).getShape();
    return result;
  }
};
} // namespace

/// Dimensions that a window indexes, of the wide operand or of another.
static SmallVector<bool> getWindowDims(const SumOfProducts &sum,
                                       unsigned operand) {
  SmallVector<bool> dims;
  for (std::optional<unsigned> loop : sum.loops[operand])
    dims.push_back(!loop ||
                   llvm::any_of(sum.windows, [&](const SlidingDim &window) {
                     return window.loops[operand] == loop;
                   }));
  return dims;
}

static Operands findOperands(linalg::LinalgOp op, const SumOfProducts &sum,
                             bool skipsCasts) {
  Operands operands;
  for (unsigned i : {0u, 1u, 2u}) {
    Value value = operands.values[i] = op->getOperand(i);
    SmallVector<bool> none(sum.loops[i].size(), false);
    SpreadSource source = findSpreadSource(
        value, i == sum.wide && i < 2 ? getWindowDims(sum, i) : none,
        skipsCasts && i < 2);
    if (i < 2)
      operands.values[i] = source.value;
    if (i != sum.wide)
      continue;
    operands.low = source.low;
    operands.high = source.high;
    operands.spread = source.spread;
  }
  if (sum.wide == 2)
    return operands;
  unsigned other = 1 - sum.wide;
  ReversedSource filter = findReversedSource(
      op->getOperand(other), getWindowDims(sum, other), skipsCasts);
  operands.filter = filter.value;
  operands.reversed = filter.reversed;
  return operands;
}

/// Conversions are looked behind where both inputs have types there that are
/// multiplied with each other.
static Operands readOperands(linalg::LinalgOp op, const SumOfProducts &sum) {
  auto fit = [](Value a, Value b) {
    return areFactors(getElementTypeOrSelf(a), getElementTypeOrSelf(b));
  };
  Operands operands = findOperands(op, sum, /*skipsCasts=*/true);
  bool fits =
      fit(operands.values[0], operands.values[1]) &&
      (!operands.filter || fit(operands.filter, operands.values[sum.wide]));
  return fits ? operands : findOperands(op, sum, /*skipsCasts=*/false);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// How a window moves along the wide tensor: from -low on, `step` for each
/// position of the other tensor with positions, `tapStep` for each tap.
struct Slide {
  int64_t positions = 1, taps = 1, step = 1, tapStep = 1;
  int64_t low = 0, high = 0, spread = 1;
  bool isBackwards = false; ///< Taps run against positions.
};
} // namespace

/// The operand beside the filter whose positions move the window.
static unsigned getPositionOperand(const SumOfProducts &sum,
                                   const ConvolutionRoles &roles) {
  return sum.wide == roles.x ? roles.y : roles.x;
}

static bool isReversed(const SumOfProducts &sum, const Operands &operands,
                       const ConvolutionRoles &roles,
                       const SlidingDim &window) {
  if (roles.w == 2 || operands.reversed.empty() || !window.loops[roles.w])
    return false;
  const auto &loops = sum.loops[roles.w];
  return operands.reversed[llvm::find(loops, window.loops[roles.w]) -
                           loops.begin()];
}

static Result<Slide> readSlide(const SumOfProducts &sum,
                               const Operands &operands,
                               const ConvolutionRoles &roles,
                               const SlidingDim &window) {
  unsigned positions = getPositionOperand(sum, roles);
  auto extentOf = [&](unsigned operand) {
    return window.loops[operand] ? sum.extents[*window.loops[operand]] : 1;
  };
  Slide slide;
  slide.positions = extentOf(positions);
  slide.taps = extentOf(roles.w);
  int64_t step = window.steps[positions], tapStep = window.steps[roles.w];
  if (step < 0 && slide.positions > 1)
    return Error{"a window moves backwards along its tensor while positions "
                 "move forwards"};
  slide.step = std::abs(step);
  slide.tapStep = std::abs(tapStep);
  slide.isBackwards = slide.taps > 1 && tapStep < 0;
  int64_t first = window.constant +
                  (slide.isBackwards ? tapStep * (slide.taps - 1) : 0);
  if (slide.taps > 1)
    slide.isBackwards ^= isReversed(sum, operands, roles, window);
  slide.low = operands.low[window.dim] - first;
  slide.high = operands.high[window.dim];
  slide.spread = operands.spread[window.dim];
  return slide;
}

static Result<SmallVector<Slide>> readSlides(const SumOfProducts &sum,
                                             const Operands &operands,
                                             const ConvolutionRoles &roles,
                                             ArrayRef<SlidingDim> windows) {
  SmallVector<Slide> slides;
  for (const SlidingDim &window : windows) {
    Result<Slide> slide = readSlide(sum, operands, roles, window);
    if (!slide)
      return slide.takeError();
    slides.push_back(*slide);
  }
  return slides;
}

/// Dimensions of the filter that alone run backwards, while others run
/// forwards: a kernel turns them around. The slides are forwards then.
static Result<SmallVector<int64_t>>
separateReversal(const SumOfProducts &sum, const ConvolutionRoles &roles,
                 ArrayRef<SlidingDim> windows,
                 MutableArrayRef<Slide> slides) {
  bool hasForwards = llvm::any_of(slides, [](const Slide &slide) {
    return slide.taps > 1 && !slide.isBackwards;
  });
  bool hasBackwards = llvm::any_of(
      slides, [](const Slide &slide) { return slide.isBackwards; });
  SmallVector<int64_t> dims;
  if (!hasForwards || !hasBackwards)
    return dims;
  if (roles.w == 2)
    return Error{"the filter that it makes is backwards in some dimensions"};
  for (auto [window, slide] : llvm::zip(windows, slides)) {
    if (!slide.isBackwards)
      continue;
    const auto &loops = sum.loops[roles.w];
    dims.push_back(llvm::find(loops, window.loops[roles.w]) - loops.begin());
    slide.isBackwards = false;
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Lets the window end where the last position that is read lies.
static void trimPadding(ConvGeometry &geometry, int dim, int64_t outputs) {
  geometry.padHigh[dim] = (outputs - 1) * geometry.stride[dim] +
                          geometry.dilatedFilter(dim) -
                          geometry.dilatedInput(dim) - geometry.padLow[dim];
}

/// The wide tensor is x.
static void readInputWindow(ConvGeometry &geometry, int dim, const Slide &slide,
                            int64_t extent) {
  geometry.input[dim] = extent;
  geometry.filter[dim] = slide.taps;
  geometry.stride[dim] = slide.step;
  geometry.dilation[dim] = slide.tapStep;
  geometry.inputDilation[dim] = slide.spread;
  geometry.padLow[dim] = slide.low;
  geometry.padHigh[dim] = slide.high;
  // Linalg may compute fewer positions than fit.
  if (geometry.output(dim) != slide.positions)
    trimPadding(geometry, dim, slide.positions);
}

/// The wide tensor is dy.
static void readGradientWindow(ConvGeometry &geometry, int dim,
                               const Slide &slide, int64_t extent) {
  geometry.input[dim] = slide.positions;
  geometry.filter[dim] = slide.taps;
  geometry.stride[dim] = slide.spread;
  geometry.dilation[dim] = slide.tapStep;
  geometry.inputDilation[dim] = slide.step;
  geometry.padLow[dim] = geometry.dilatedFilter(dim) - 1 - slide.low;
  trimPadding(geometry, dim, extent);
}

static int64_t getProduct(const SumOfProducts &sum, ArrayRef<unsigned> loops) {
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= sum.extents[loop];
  return product;
}

static ConvGeometry readGeometry(const SumOfProducts &sum,
                                 const Operands &operands,
                                 const ConvolutionRoles &roles,
                                 const ConvolutionParts &parts,
                                 ArrayRef<Slide> slides) {
  ConvGeometry geometry;
  geometry.spatialRank = parts.windows.size();
  geometry.groups = getProduct(sum, parts.group);
  geometry.n = getProduct(sum, parts.batch);
  geometry.c = geometry.groups * getProduct(sum, parts.inputChannel);
  geometry.k = geometry.groups * getProduct(sum, parts.outputChannel);
  bool isBackwards = false;
  for (auto [dim, window, slide] : llvm::enumerate(parts.windows, slides)) {
    int64_t extent = operands.shapes()[sum.wide][window.dim];
    if (sum.wide == roles.x)
      readInputWindow(geometry, dim, slide, extent);
    else
      readGradientWindow(geometry, dim, slide, extent);
    isBackwards |= slide.isBackwards;
  }
  geometry.flip = sum.wide == roles.x ? isBackwards : !isBackwards;
  return geometry;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Kernels of convolutions multiply integers of 8 bits, which they add in 32,
/// and add floats in the default type.
static Status checkKernelTypes(Type source, Type made, Type accType) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isa<IntegerType>(source) && !source.isInteger(8))
    stream << "its elements are '" << source
           << "'; convolutions of integers have those of 8 bits";
  else if (isa<IntegerType>(made) && !made.isInteger(8) && !made.isInteger(32))
    stream << "its result has '" << made
           << "'; those of convolutions of integers have 8 or 32 bits";
  else if (isa<FloatType>(source) && accType != getDefaultAccType(source))
    stream << "its sums are formed in '" << accType << "', those of a "
           << "convolution of '" << source << "' in '"
           << getDefaultAccType(source) << "'";
  return text.empty() ? Status() : Status(Error{text});
}

/// The accumulation type is that of the result, and no narrower than the
/// default.
static Status readTypes(linalg::LinalgOp op, const Operands &operands,
                        Precision precision, LinalgConvolution &result) {
  Result<MultiplyAddBody> body = readMultiplyAdd(op);
  if (!body)
    return body.takeError();
  Type first = getElementTypeOrSelf(operands.values[0]);
  Type second = getElementTypeOrSelf(operands.values[1]);
  Type made = getElementTypeOrSelf(op->getOperand(2));
  result.accType = getDefaultAccType(first);
  if (made.getIntOrFloatBitWidth() > result.accType.getIntOrFloatBitWidth())
    result.accType = made;
  if (Status status = checkElementTypes(first, second, made, result.accType);
      !status)
    return status;
  if (Status status = checkKernelTypes(first, made, result.accType); !status)
    return status;
  if (precision == Precision::Text)
    return checkTextPrecision(*body, first, result.accType);
  result.morePrecise = describeMorePrecision(*body, result.accType);
  return {};
}

//===----------------------------------------------------------------------===//
// One reading
//===----------------------------------------------------------------------===//

static Status readAs(const SumOfProducts &sum, Operands operands,
                     const ConvolutionRoles &roles,
                     LinalgConvolution &result) {
  Result<ConvolutionParts> parts = readParts(sum, roles);
  if (!parts)
    return parts.takeError();
  Result<SmallVector<Slide>> slides =
      readSlides(sum, operands, roles, parts->windows);
  if (!slides)
    return slides.takeError();
  Result<SmallVector<int64_t>> dims =
      separateReversal(sum, roles, parts->windows, *slides);
  if (!dims)
    return dims.takeError();
  result.kind = roles.kind();
  result.reversedDims = *dims;
  result.geometry = readGeometry(sum, operands, roles, *parts, *slides);
  if (Status status = result.geometry.check(); !status)
    return status;
  if (roles.w != 2 && operands.filter)
    operands.values[roles.w] = operands.filter;
  result.layout = chooseLayout(sum, *parts, roles, operands.shapes());
  std::array<OperandForm, 3> forms =
      getForms(sum, *parts, roles, operands.shapes(), result.layout);
  result.sources.clear();
  result.forms.clear();
  for (unsigned i : {0u, 1u, 2u}) {
    TensorRole role = getRole(result.kind, i);
    if (i < 2)
      result.sources.push_back(operands.values[roles.operandOf(role)]);
    result.forms.push_back(forms[static_cast<unsigned>(role)]);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The likely reading
//===----------------------------------------------------------------------===//

/// Positions of an operand that the windows have.
static int64_t countPositions(const SumOfProducts &sum, unsigned operand) {
  int64_t product = 1;
  for (const SlidingDim &window : sum.windows)
    if (window.loops[operand])
      product *= sum.extents[*window.loops[operand]];
  return product;
}

/// Whether a reading leaves its first source and the result, or both sources,
/// in their order.
static bool isInOrder(const SumOfProducts &sum, const Operands &operands,
                      const ConvolutionRoles &roles, unsigned other) {
  LinalgConvolution read;
  return readAs(sum, operands, roles, read) && !read.forms[0].isMoved() &&
         !read.forms[other].isMoved();
}

/// What slides over more positions than it makes is likely the gradient of a
/// filter, unless it is a convolution as anybody writes it.
static bool isLikelyWgrad(const SumOfProducts &sum, const Operands &operands,
                          const ConvolutionRoles &forward,
                          const ConvolutionRoles &wgrad) {
  int64_t made = countPositions(sum, 2), summed = countPositions(sum, wgrad.y);
  if (summed < made || isInOrder(sum, operands, forward, /*other=*/2))
    return false;
  return summed > made || isInOrder(sum, operands, wgrad, /*other=*/1);
}

/// Whether the first sum of the filter stands in front of what it makes, as
/// the outermost dimension of a filter whose gradient of the input this is.
static bool sumsOutermost(const SumOfProducts &sum, unsigned filter) {
  for (std::optional<unsigned> loop : sum.loops[filter]) {
    bool isSummed = loop && sum.hasLoop(sum.wide, *loop);
    bool isMade = loop && sum.hasLoop(2, *loop);
    if (isSummed != isMade)
      return isSummed;
  }
  return false;
}

/// The gradient of an input reads its filter backwards along dy, which a stride
/// has spread.
static bool isLikelyDgrad(const SumOfProducts &sum, const Operands &operands,
                          const ConvolutionRoles &forward) {
  Result<SmallVector<Slide>> slides =
      readSlides(sum, operands, forward, sum.windows);
  if (!slides)
    return false;
  bool isSpread = false, hasBackwards = false;
  for (const Slide &slide : *slides) {
    if (slide.taps > 1 && !slide.isBackwards)
      return false;
    isSpread |= slide.spread > 1;
    hasBackwards |= slide.isBackwards;
  }
  return isSpread || (hasBackwards && sumsOutermost(sum, forward.w));
}

/// All readings, the likely one first.
static SmallVector<ConvolutionRoles, 3> listRoles(const SumOfProducts &sum,
                                                  const Operands &operands) {
  if (sum.wide == 2) {
    bool isSecond = countPositions(sum, 1) > countPositions(sum, 0);
    ConvolutionRoles first{2, /*w=*/1, /*y=*/0}, second{2, /*w=*/0, /*y=*/1};
    return isSecond ? SmallVector<ConvolutionRoles, 3>{second, first}
                    : SmallVector<ConvolutionRoles, 3>{first, second};
  }
  unsigned wide = sum.wide, other = 1 - wide;
  ConvolutionRoles forward{wide, /*w=*/other, /*y=*/2};
  ConvolutionRoles wgrad{wide, /*w=*/2, /*y=*/other};
  ConvolutionRoles dgrad{2, /*w=*/other, /*y=*/wide};
  if (isLikelyDgrad(sum, operands, forward))
    return {dgrad, forward, wgrad};
  if (isLikelyWgrad(sum, operands, forward, wgrad))
    return {wgrad, forward, dgrad};
  return {forward, wgrad, dgrad};
}

Result<LinalgConvolution> conv::readConvolution(linalg::LinalgOp op,
                                                Precision precision) {
  if (!op.hasPureTensorSemantics())
    return Error{"it is not on tensors"};
  if (ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return Error{"its shapes are not static"};
  Result<SumOfProducts> sum = readSumOfProducts(op);
  if (!sum)
    return sum.takeError();
  Operands operands = readOperands(op, *sum);
  LinalgConvolution result;
  if (Status status = readTypes(op, operands, precision, result); !status)
    return status.takeError();
  std::optional<Error> first;
  for (const ConvolutionRoles &roles : listRoles(*sum, operands)) {
    Status status = readAs(*sum, operands, roles, result);
    if (status)
      return result;
    if (!first)
      first = status.takeError();
  }
  return *first;
}
