//===- TransposedWgrad.cpp - wgrad as forward of transposed copies --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-transpose-wgrad. Input and output: F1. See TransposedWgrad.h.
//
//===----------------------------------------------------------------------===//

#include "TransposedWgrad.h"

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvertElements.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTRANSPOSEWGRAD
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::MatrixView;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

bool conv::transposesWgrad(ConvOpInterface op, const ConvGeometry &wgrad,
                           MmaKind mma) {
  if (mma != MmaKind::Wgmma || op.getConvKind() != convmlir::ConvKind::Wgrad ||
      op.getSourceElementType().getIntOrFloatBitWidth() == 16 ||
      isComputedChannelsFirst(op))
    return false;
  // Copies of groups and of inserted zeros would be much larger than tensors.
  convmlir::Spatial outputs = wgrad.outputs();
  return op.getGroups() == 1 && !wgrad.hasInputDilation() && !wgrad.flip &&
         wgrad.n > 0 && llvm::all_of(outputs, [](int64_t p) { return p > 0; });
}

/// Output positions of a patch along a dimension, and patches. One patch that
/// is the image takes its padding with it; those of others lie in the copy.
static void cutDimension(TransposedWgrad &result, const ConvGeometry &wgrad,
                         int d, int64_t patches) {
  int64_t outputs = wgrad.output(d);
  result.patches[d] = patches;
  result.outputs[d] = llvm::divideCeil(outputs, patches);
  result.isCut[d] = patches > 1;
}

/// The forward convolution of patches. A dimension with one output position
/// has the taps of the filter in the place of input positions.
static void setForward(TransposedWgrad &result, const ConvGeometry &wgrad) {
  ConvGeometry &forward = result.forward;
  int last = wgrad.spatialRank - 1;
  result.dropsLast = result.outputs[last] == 1;
  int rank = result.dropsLast ? last : last + 1;
  forward.spatialRank = std::max(rank, 1);
  forward.n = wgrad.c * (result.dropsLast ? wgrad.filter[last] : 1);
  forward.c = wgrad.n;
  forward.k = wgrad.k;
  for (int d = 0; d <= last; ++d)
    forward.c *= result.patches[d];
  for (int d = 0; d < rank; ++d) {
    int64_t reach = (wgrad.filter[d] - 1) * wgrad.dilation[d] +
                    (result.outputs[d] - 1) * wgrad.stride[d] + 1;
    forward.filter[d] = result.outputs[d];
    if (result.hasTapsOnly(d)) {
      forward.input[d] = wgrad.filter[d];
      continue;
    }
    forward.stride[d] = wgrad.dilation[d];
    forward.dilation[d] = wgrad.stride[d];
    forward.input[d] = result.isCut[d] ? reach : wgrad.input[d];
    forward.padLow[d] = result.isCut[d] ? 0 : wgrad.padLow[d];
    // What strides leave over of the input is cropped.
    forward.padHigh[d] = reach - forward.input[d] - forward.padLow[d];
  }
}

/// Whether patches are what a tensor with these extents is in another shape:
/// equal parts of its outermost spatial dimension, without a border.
static bool isReshape(const TransposedWgrad &wgrad,
                      const convmlir::Spatial &extents,
                      const convmlir::Spatial &patch, int rank) {
  for (int d = 0; d < rank; ++d) {
    int64_t patches = wgrad.patches[d];
    if (patches * patch[d] != extents[d] || (d > 0 && patches != 1))
      return false;
  }
  return true;
}

static void setGathers(TransposedWgrad &result, const ConvGeometry &wgrad) {
  int rank = wgrad.spatialRank;
  convmlir::Spatial patch{1, 1, 1};
  bool hasBorder = false;
  for (int d = 0; d < rank; ++d) {
    bool isSame = !result.isCut[d] && !result.hasTapsOnly(d);
    patch[d] = isSame ? wgrad.input[d] : result.outputs[d];
    hasBorder |= !isSame && (wgrad.filter[d] != 1 || wgrad.stride[d] != 1 ||
                             wgrad.padLow[d] != 0);
  }
  result.gathersInput =
      hasBorder || !isReshape(result, wgrad.input, patch, rank);
  result.gathersOutput =
      !isReshape(result, wgrad.outputs(), result.outputs, rank);
}

/// Numbers of patches that are worth a try: whole images, halves of halves, and
/// positions by themselves, of which there are more where that makes channels
/// whole units.
static SmallVector<int64_t> getCuts(int64_t outputs, int64_t n, int64_t unit) {
  SmallVector<int64_t> cuts;
  for (int64_t patches = 1; patches < outputs; patches *= 2)
    cuts.push_back(patches);
  cuts.push_back(n * outputs % unit == 0 ? outputs
                                         : llvm::alignTo(outputs, unit));
  return cuts;
}

/// Copied elements, more where channels are no whole lines of 128 bytes; none
/// where TMA cannot load the copies.
static std::optional<double> getCost(const TransposedWgrad &wgrad,
                                     int64_t elementBytes) {
  constexpr int64_t lineBytes = 128, rows = 64;
  const ConvGeometry &forward = wgrad.forward;
  int64_t bytes = forward.c * elementBytes;
  MatrixView view = forward.phases(convmlir::ConvKind::Forward).front().a;
  int64_t columns = std::max<int64_t>(32, std::min(bytes, lineBytes));
  if (!convmlir::whyNoTensorMap({view}, 1, elementBytes, rows,
                                columns / 32 * 32 / elementBytes)
           .empty())
    return std::nullopt;
  return double(countCopiedElements(wgrad)) * llvm::alignTo(bytes, lineBytes) /
         bytes;
}

TransposedWgrad conv::getTransposedWgrad(ConvOpInterface op,
                                         const ConvGeometry &wgrad) {
  int rank = wgrad.spatialRank, last = rank - 1;
  constexpr int64_t unitBytes = 16;
  int64_t elementBytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  int64_t unit = unitBytes / elementBytes;
  auto get = [&](int64_t first, int64_t second) {
    TransposedWgrad result;
    for (int d = 0; d < rank; ++d)
      cutDimension(result, wgrad, d,
                   d == last       ? second
                   : d == last - 1 ? first
                                   : 1);
    setForward(result, wgrad);
    setGathers(result, wgrad);
    return result;
  };
  SmallVector<int64_t> cuts = getCuts(wgrad.output(last), wgrad.n, unit);
  // There is one for all lengths of rows and numbers of images.
  TransposedWgrad best = get(1, cuts.back());
  std::optional<double> least = getCost(best, elementBytes);
  SmallVector<int64_t> others = {1};
  if (rank > 1)
    others = getCuts(wgrad.output(last - 1), wgrad.n, unit);
  for (int64_t first : others)
    for (int64_t second : cuts) {
      TransposedWgrad candidate = get(first, second);
      std::optional<double> cost = getCost(candidate, elementBytes);
      if (cost && (!least || *cost < *least)) {
        best = candidate;
        least = cost;
      }
    }
  return best;
}

int64_t conv::countCopiedElements(const TransposedWgrad &wgrad) {
  int64_t input = wgrad.forward.inputElements();
  int64_t output = wgrad.forward.filterElements();
  return input * (wgrad.gathersInput ? 4 : 2) +
         output * (wgrad.gathersOutput ? 4 : 2);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class WgradTransposer {
public:
  explicit WgradTransposer(ConvOpInterface op)
      : builder(op), op(op), loc(op.getLoc()), wgrad(*op.getGeometry()),
        plan(getTransposedWgrad(op, wgrad)), last(wgrad.spatialRank - 1) {}

  void rewrite();

private:
  Value gather(Value source, MatrixView view, ArrayRef<int64_t> shape);
  Value gatherInput();
  Value gatherOutput();
  Value reshape(Value source, ArrayRef<int64_t> shape);
  Value transposeResult(Value result);

  OpBuilder builder;
  ConvOpInterface op;
  Location loc;
  ConvGeometry wgrad;
  TransposedWgrad plan;
  int last; ///< Spatial dimension.
};
} // namespace

/// The virtual matrix in memory, in the shape `shape`.
Value WgradTransposer::gather(Value source, MatrixView view,
                              ArrayRef<int64_t> shape) {
  auto attr = ViewAttr::get(builder.getContext(), view, /*groups=*/1);
  Type element = getElementTypeOrSelf(source);
  auto type = RankedTensorType::get(
      {view.numRows(), view.numTaps(), view.channels}, element);
  Value workspace =
      tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  Value matrix = Im2colOp::create(builder, loc, TypeRange{type}, source,
                                  /*offsets=*/ValueRange(), workspace,
                                  /*phase=*/Value(), builder.getArrayAttr(attr),
                                  /*async=*/UnitAttr())
                     .getResult();
  return reshape(matrix, shape);
}

/// Positions of an image, or those that a patch reads, for each patch.
static void setPatches(MatrixView &view, const TransposedWgrad &plan,
                       const ConvGeometry &wgrad, int d) {
  view.extent[d] = wgrad.input[d];
  if (!plan.isCut[d] && !plan.hasTapsOnly(d)) {
    view.taps[d] = wgrad.input[d];
    return;
  }
  bool hasTapsOnly = plan.hasTapsOnly(d);
  view.rows[d] = plan.patches[d];
  view.stride[d] = plan.outputs[d] * wgrad.stride[d];
  view.offset[d] = -wgrad.padLow[d];
  view.taps[d] = wgrad.filter[d];
  view.step[d] = wgrad.dilation[d];
  if (!hasTapsOnly) {
    view.taps[d] = plan.forward.input[d];
    view.step[d] = 1;
  }
}

/// x as patches, positions, C.
Value WgradTransposer::gatherInput() {
  MatrixView view;
  view.spatialRank = wgrad.spatialRank;
  view.batch = wgrad.n;
  view.channels = wgrad.c;
  for (int d = 0; d <= last; ++d)
    setPatches(view, plan, wgrad, d);
  SmallVector<int64_t> shape = {view.numRows(), view.numTaps(), wgrad.c};
  return plan.gathersInput ? gather(op.getInput(), view, shape)
                           : reshape(op.getInput(), shape);
}

/// dy as patches, positions, K.
Value WgradTransposer::gatherOutput() {
  MatrixView view = wgrad.outputView();
  for (int d = 0; d <= last; ++d) {
    view.rows[d] = plan.patches[d];
    view.stride[d] = view.taps[d] = plan.outputs[d];
  }
  SmallVector<int64_t> shape = {view.numRows(), view.numTaps(), wgrad.k};
  return plan.gathersOutput ? gather(op.getOutput(), view, shape)
                            : reshape(op.getOutput(), shape);
}

/// Through one row of all elements, where shapes share no dimensions.
Value WgradTransposer::reshape(Value source, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getShape() == shape)
    return source;
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector(llvm::seq<int64_t>(rank))};
  };
  Value row = type.getRank() == 1
                  ? source
                  : tensor::CollapseShapeOp::create(builder, loc, source,
                                                    all(type.getRank()))
                        .getResult();
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), row,
                                       all(shape.size()));
}

/// C, (T, R,) S, K to K, (T, R,) S, C; or C S, (T,) R, K.
Value WgradTransposer::transposeResult(Value result) {
  SmallVector<int64_t> shape = {wgrad.c};
  if (plan.dropsLast)
    shape.push_back(wgrad.filter[last]);
  int64_t first = shape.size(), kept = plan.dropsLast ? last : last + 1;
  shape.append(wgrad.filter.begin(), wgrad.filter.begin() + kept);
  shape.push_back(wgrad.k);
  SmallVector<int64_t> permutation = {first + kept};
  llvm::append_range(permutation, llvm::seq<int64_t>(first, first + kept));
  if (plan.dropsLast)
    permutation.push_back(1);
  permutation.push_back(0);
  return emitTransposition(builder, loc, reshape(result, shape), permutation);
}

void WgradTransposer::rewrite() {
  const ConvGeometry &forward = plan.forward;
  Value input = gatherInput();
  SmallVector<int64_t> permutation = {2, 1, 0};
  if (plan.dropsLast) {
    // Patches, positions, S, C to C, S, positions, patches.
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    int64_t taps = wgrad.filter[last];
    input = reshape(input, {shape[0], shape[1] / taps, taps, wgrad.c});
    permutation = {3, 2, 1, 0};
  }
  auto getShape = [&](int64_t images, const convmlir::Spatial &extents) {
    SmallVector<int64_t> shape = {images};
    shape.append(extents.begin(), extents.begin() + forward.spatialRank);
    shape.push_back(forward.c);
    return shape;
  };
  Value x = reshape(emitTransposition(builder, loc, input, permutation),
                    getShape(forward.n, forward.input));
  Value w = reshape(emitTransposition(builder, loc, gatherOutput(), {2, 1, 0}),
                    getShape(forward.k, forward.filter));
  SmallVector<int64_t> shape = {forward.n};
  for (int d = 0; d < forward.spatialRank; ++d)
    shape.push_back(forward.output(d));
  shape.push_back(forward.k);
  Value dest = tensor::EmptyOp::create(builder, loc, shape, op.getAccType());
  auto convolution = ForwardOp::create(builder, loc, x, w, dest, forward,
                                       Layout::NHWC, op.getAccType(),
                                       op.getPrecisionType().value_or(Type()));
  StringRef name = ScheduleAttr::attributeName();
  convolution->setAttr(name, op->getAttr(name));
  op->getResult(0).replaceAllUsesWith(
      convertElements(builder, loc, transposeResult(convolution.getResult()),
                      op.getDestType().getElementType()));
  op->erase();
}

namespace {
struct ConvTransposeWgrad
    : public conv::impl::ConvTransposeWgradBase<ConvTransposeWgrad> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops) {
      auto schedule =
          op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
      if (schedule && op.getLayout() == Layout::NHWC &&
          isa<RankedTensorType>(op.getDestType()) &&
          transposesWgrad(op, *op.getGeometry(), schedule.getMma()))
        WgradTransposer(op).rewrite();
    }
  }
};
} // namespace
