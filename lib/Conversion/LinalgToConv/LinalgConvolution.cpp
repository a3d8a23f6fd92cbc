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
// Every loop of the operation plays one part: batch, group, input channel,
// output channel, or one of the two loops of a window (output position and
// filter tap). What the dimensions of an operand are follows from its indexing
// map, so that one path serves all named operations and the generic ones.
//
//===----------------------------------------------------------------------===//

#include "LinalgConvolution.h"
#include "MultiplyAddBody.h"

#include "conv/Dialect/Conv/IR/ConvTypes.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Precision;
using convmlir::Result;
using convmlir::Status;

namespace {

/// The loops of one spatial dimension, and the dimension's step along each.
struct Window {
  unsigned output, filter;
  int64_t stride, dilation;
};

/// The part that each loop plays; a part may have no loop.
struct Parts {
  std::optional<unsigned> batch, group, inputChannel, outputChannel;
  SmallVector<Window, 3> windows;
};

/// The loops that a dimension of a conv operand stands for, outermost first.
using Target = SmallVector<unsigned, 2>;

} // namespace

//===----------------------------------------------------------------------===//
// Is it a convolution?
//===----------------------------------------------------------------------===//

bool conv::isConvolution(linalg::LinalgOp op) {
  return op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         succeeded(linalg::inferConvolutionDims(op)) && isMultiplyAdd(op);
}

//===----------------------------------------------------------------------===//
// The part of each loop
//===----------------------------------------------------------------------===//

static Status assignPart(ArrayRef<unsigned> loops, const char *name,
                         std::optional<unsigned> &part) {
  if (loops.size() > 1)
    return Error{"it has " + std::to_string(loops.size()) + " " + name +
                 " dimensions; one can be imported"};
  if (loops.size() == 1)
    part = loops.front();
  return {};
}

/// `d` or `d * step`.
static std::optional<std::pair<unsigned, int64_t>> matchStep(AffineExpr expr) {
  int64_t step = 1;
  if (auto product = dyn_cast<AffineBinaryOpExpr>(expr)) {
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (product.getKind() != AffineExprKind::Mul || !factor)
      return std::nullopt;
    step = factor.getValue();
    expr = product.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim)
    return std::nullopt;
  return std::make_pair(dim.getPosition(), step);
}

/// `output*stride + filter*dilation`, in either order.
static std::optional<Window>
matchWindow(AffineExpr expr, const linalg::ConvolutionDimensions &dims) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto first = matchStep(sum.getLHS()), second = matchStep(sum.getRHS());
  if (!first || !second)
    return std::nullopt;
  if (llvm::is_contained(dims.filterLoop, first->first))
    std::swap(first, second);
  if (!llvm::is_contained(dims.outputImage, first->first) ||
      !llvm::is_contained(dims.filterLoop, second->first))
    return std::nullopt;
  return Window{first->first, second->first, first->second, second->second};
}

static Result<Parts> readParts(linalg::LinalgOp op, AffineMap xMap) {
  linalg::ConvolutionDimensions dims = *linalg::inferConvolutionDims(op);
  Parts parts;
  struct {
    ArrayRef<unsigned> loops;
    const char *name;
    std::optional<unsigned> &part;
  } single[] = {{dims.batch, "batch", parts.batch},
                {dims.depth, "group", parts.group},
                {dims.inputChannel, "input channel", parts.inputChannel},
                {dims.outputChannel, "output channel", parts.outputChannel}};
  for (auto &[loops, name, part] : single)
    if (Status status = assignPart(loops, name, part); !status)
      return status.takeError();
  for (AffineExpr expr : xMap.getResults())
    if (auto window = matchWindow(expr, dims))
      parts.windows.push_back(*window);
    else if (!isa<AffineDimExpr>(expr))
      return Error{"an index of its input is neither a loop nor a window"};
  if (parts.windows.size() != dims.outputImage.size() ||
      parts.windows.size() > size_t(convmlir::kMaxSpatialRank))
    return Error{"it has " + std::to_string(dims.outputImage.size()) +
                 " window dimensions, of which " +
                 std::to_string(parts.windows.size()) + " can be imported"};
  return parts;
}

//===----------------------------------------------------------------------===//
// The form of each operand
//===----------------------------------------------------------------------===//

/// The loops of an operand's dimensions; of a window, the output's.
static SmallVector<unsigned> readLoops(AffineMap map, const Parts &parts) {
  SmallVector<unsigned> loops;
  unsigned window = 0;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops.push_back(dim.getPosition());
    else
      loops.push_back(parts.windows[window++].output);
  return loops;
}

/// The loops of each dimension of x, w or y in conv.forward.
static SmallVector<Target> getTargets(const Parts &parts, Layout layout,
                                      TensorRole role) {
  bool isFilter = role == TensorRole::Filter;
  Target outer, channels;
  auto append = [](Target &target, std::optional<unsigned> loop) {
    if (loop)
      target.push_back(*loop);
  };
  append(isFilter ? outer : channels, parts.group);
  append(outer, isFilter ? parts.outputChannel : parts.batch);
  append(channels,
         role == TensorRole::Output ? parts.outputChannel : parts.inputChannel);
  int rank = parts.windows.size();
  SmallVector<Target> targets(rank + 2);
  targets[kOuterDim] = outer;
  targets[getChannelDim(layout, rank)] = channels;
  for (auto [d, window] : llvm::enumerate(parts.windows))
    targets[getSpatialDim(layout, d)] = {isFilter ? window.filter
                                                  : window.output};
  return targets;
}

/// How a tensor whose dimensions run over `loops` gets those of `targets`.
static OperandForm getForm(ArrayRef<int64_t> shape, ArrayRef<unsigned> loops,
                           ArrayRef<Target> targets) {
  OperandForm form;
  for (const Target &target : targets) {
    int64_t extent = 1;
    for (unsigned loop : target) {
      int64_t dim = llvm::find(loops, loop) - loops.begin();
      form.permutation.push_back(dim);
      extent *= shape[dim];
    }
    form.shape.push_back(extent);
    if (!target.empty())
      form.collapsed.push_back(extent);
  }
  return form;
}

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(permutation.size()));
}

/// The channels of x come last, or before the windows; where there are none,
/// it is all the same.
static Layout readLayout(const Parts &parts, ArrayRef<unsigned> xLoops) {
  auto positionOf = [&](unsigned loop) {
    return llvm::find(xLoops, loop) - xLoops.begin();
  };
  for (std::optional<unsigned> channel : {parts.group, parts.inputChannel})
    if (channel &&
        positionOf(*channel) < positionOf(parts.windows.front().output))
      return Layout::NCHW;
  return Layout::NHWC;
}

/// Whether x has its images innermost and they are summed over, as in a sum
/// over positions of dy.
static bool isFilterGradient(const Parts &parts, ArrayRef<unsigned> xLoops) {
  return parts.batch && parts.inputChannel &&
         parts.inputChannel == xLoops.front() && parts.batch != xLoops.front();
}

static std::string describeOrder(const Parts &parts, ArrayRef<unsigned> loops,
                                 TensorRole role) {
  bool isInput = role == TensorRole::Input;
  return std::string("the dimensions of its ") +
         (isInput ? "input" : "result") +
         " are in the order of neither nhwc nor nchw" +
         (isInput && isFilterGradient(parts, loops)
              ? "; it sums over images and positions, as the gradient of a "
                "filter does: write that as conv.wgrad"
              : "");
}

static Status readForms(linalg::LinalgOp op, const Parts &parts,
                        LinalgConvolution &result) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  result.layout = readLayout(parts, readLoops(maps[0], parts));
  OperandForm *forms[] = {&result.xForm, &result.wForm, &result.yForm};
  TensorRole roles[] = {TensorRole::Input, TensorRole::Filter,
                        TensorRole::Output};
  for (auto [index, form] : llvm::enumerate(forms)) {
    if (index > 0 && !maps[index].isProjectedPermutation())
      return Error{"its filter or result is not indexed by loops alone"};
    SmallVector<unsigned> loops = readLoops(maps[index], parts);
    SmallVector<Target> targets =
        getTargets(parts, result.layout, roles[index]);
    SmallVector<unsigned> wanted;
    for (const Target &target : targets)
      wanted.append(target.begin(), target.end());
    if (!std::is_permutation(loops.begin(), loops.end(), wanted.begin(),
                             wanted.end()))
      return Error{"operand " + std::to_string(index) +
                   " lacks a dimension that a convolution has"};
    Value operand = index == 0 ? result.x : op->getOperand(index);
    auto type = cast<ShapedType>(operand.getType());
    *form = getForm(type.getShape(), loops, targets);
    if (roles[index] != TensorRole::Filter && !isIdentity(form->permutation))
      return Error{describeOrder(parts, loops, roles[index])};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Geometry and types
//===----------------------------------------------------------------------===//

/// Takes the zeros around x into the window, if only windows are padded.
static void absorbPadding(AffineMap xMap, LinalgConvolution &result) {
  Result<ZeroPadding> pad = matchZeroPadding(result.x);
  if (!pad)
    return;
  convmlir::ConvGeometry geometry = result.geometry;
  int window = 0;
  for (auto [dim, expr] : llvm::enumerate(xMap.getResults())) {
    if (!isa<AffineDimExpr>(expr)) {
      geometry.padLow[window] = pad->low[dim];
      geometry.padHigh[window++] = pad->high[dim];
    } else if (pad->low[dim] != 0 || pad->high[dim] != 0) {
      return;
    }
  }
  result.geometry = geometry;
  result.x = pad->source;
}

static void readGeometry(const Parts &parts, ArrayRef<int64_t> extents,
                         LinalgConvolution &result) {
  convmlir::ConvGeometry &geometry = result.geometry;
  int rank = geometry.spatialRank = parts.windows.size();
  geometry.n = result.xForm.shape[kOuterDim];
  geometry.c = result.xForm.shape[getChannelDim(result.layout, rank)];
  geometry.k = result.wForm.shape[kOuterDim];
  geometry.groups = parts.group ? extents[*parts.group] : 1;
  for (auto [d, window] : llvm::enumerate(parts.windows)) {
    geometry.input[d] = result.xForm.shape[getSpatialDim(result.layout, d)];
    geometry.filter[d] = extents[window.filter];
    geometry.stride[d] = window.stride;
    geometry.dilation[d] = window.dilation;
  }
}

/// Linalg may compute fewer positions than fit; the rest of x is cropped.
static void cropToOutput(const Parts &parts, ArrayRef<int64_t> extents,
                         convmlir::ConvGeometry &geometry) {
  for (auto [d, window] : llvm::enumerate(parts.windows)) {
    int64_t output = extents[window.output];
    if (geometry.output(d) == output)
      continue;
    int64_t read =
        (output - 1) * geometry.stride[d] + geometry.dilatedFilter(d);
    geometry.padHigh[d] = read - geometry.input[d] - geometry.padLow[d];
  }
}

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
static Status readTypes(linalg::LinalgOp op, Precision precision,
                        LinalgConvolution &result) {
  Result<MultiplyAddBody> body = readMultiplyAdd(op);
  if (!body)
    return body.takeError();
  Type first = getElementTypeOrSelf(op->getOperand(0));
  Type second = getElementTypeOrSelf(op->getOperand(1));
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

Result<LinalgConvolution> conv::readConvolution(linalg::LinalgOp op,
                                                Precision precision) {
  if (!op.hasPureTensorSemantics())
    return Error{"it is not on tensors"};
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (ShapedType::isDynamicShape(extents))
    return Error{"its shapes are not static"};
  AffineMap xMap = op.getIndexingMapsArray().front();
  Result<Parts> parts = readParts(op, xMap);
  if (!parts)
    return parts.takeError();
  LinalgConvolution result;
  result.x = op->getOperand(0);
  absorbPadding(xMap, result);
  if (Status status = readForms(op, *parts, result); !status)
    return status.takeError();
  if (Status status = readTypes(op, precision, result); !status)
    return status.takeError();
  readGeometry(*parts, extents, result);
  cropToOutput(*parts, extents, result.geometry);
  if (Status status = result.geometry.check(); !status)
    return status.takeError();
  return result;
}
