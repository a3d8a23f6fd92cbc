//===- ConvToGemm.cpp - F1 to F2 ------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop names follow the contraction: g groups, m rows (pixels), n columns, then
// the reductions. The views come from convmlir::ConvGeometry and nothing else.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseSums.h"
#include "TransposeFilter.h"

#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvertElements.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/FiltersLast.h"
#include "conv/Dialect/Conv/IR/Kn2row.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Conv/IR/TransposedFilter.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Geometry/ConvGeometry.h"
#include "conv/Geometry/FiltersLast.h"
#include "conv/Geometry/WindowBlock.h"
#include "conv/Geometry/WindowTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTCONVTOGEMM
#include "conv/Conversion/ConvToGemm/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::GemmPhase;
using convmlir::MatrixView;

namespace {

/// Loops of a contraction, each a letter, and those that index each matrix. The
/// letter "g", the groups, counts only where there are several.
struct Indexing {
  StringRef loops, a, b, result;
};

/// Builds the F2 form of one operation.
class GemmBuilder {
public:
  GemmBuilder(OpBuilder &builder, ConvOpInterface op, ConvGeometry geometry)
      : builder(builder), op(op), loc(op->getLoc()), geometry(geometry),
        groups(geometry.groups), schedule(op->getAttrOfType<ScheduleAttr>(
                                     ScheduleAttr::attributeName())) {}

  Value build();

private:
  Value buildPhase(GemmPhase phase, Value dest);
  Value buildRows(Value source, const GemmPhase &phase, Value dest,
                  const Indexing &indexing);
  void chooseFilter(std::vector<GemmPhase> &phases);
  bool readsSource();
  void readFiltersLast(std::vector<GemmPhase> &phases);
  bool isTransposed() const {
    return schedule && transposesFilter(op, schedule.getMma());
  }
  Value buildWgrad(const GemmPhase &phase, Value dest);
  Value buildKMajorWgrad(const GemmPhase &phase, Value dest);
  Value buildChannelsFirst();
  Value buildKn2row();
  Value collapsePositions(Value tensor);
  ViewAttr imageViewOf(Value tensor);
  Value buildEmptyBatch();
  SmallVector<int64_t> getMatrixShape(const GemmPhase &phase);
  void padToWindows(GemmPhase &phase);

  Value im2col(Value source, ViewAttr view, bool dropTap = false);
  Value scatter(Value matrix, ViewAttr view, Value dest);
  /// Groups divide the channels of x and y, and the rows of w.
  ViewAttr viewOf(const MatrixView &view);
  ViewAttr filterViewOf(const MatrixView &view);
  Value fillWithZeros(Value dest);
  Value zeros(ArrayRef<int64_t> shape, Type type);
  Value contract(Value a, Value b, ArrayRef<int64_t> shape,
                 const Indexing &indexing);
  AffineMap map(StringRef loops, StringRef indices);
  /// `shape` with the groups at a position, if there are any.
  SmallVector<int64_t> withGroups(SmallVector<int64_t> shape, size_t position);

  OpBuilder &builder;
  ConvOpInterface op;
  Location loc;
  ConvGeometry geometry;
  int64_t groups;
  ScheduleAttr schedule;
  Value filter; ///< Of forward and dgrad, as its contractions read it.
  bool hasFiltersLast = false; ///< Whether it is [extent..., channels, K].
};

} // namespace

ViewAttr GemmBuilder::viewOf(const MatrixView &view) {
  return ViewAttr::get(builder.getContext(), view, groups);
}

ViewAttr GemmBuilder::filterViewOf(const MatrixView &view) {
  return ViewAttr::get(builder.getContext(), view, /*groups=*/1,
                       /*rowGroups=*/groups);
}

Value GemmBuilder::im2col(Value source, ViewAttr view, bool dropTap) {
  return Im2colOp::create(builder, loc, source, view, dropTap).getResult();
}

Value GemmBuilder::scatter(Value matrix, ViewAttr view, Value dest) {
  Type type = cast<ShapedType>(dest.getType()).getElementType();
  return ScatterOp::create(builder, loc, TypeRange{dest.getType()},
                           convertElements(builder, loc, matrix, type), dest,
                           ValueRange(), view)
      .getResult();
}

Value GemmBuilder::fillWithZeros(Value dest) {
  Type type = getElementTypeOrSelf(dest.getType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return linalg::FillOp::create(builder, loc, zero, dest).getResult(0);
}

Value GemmBuilder::zeros(ArrayRef<int64_t> shape, Type type) {
  return fillWithZeros(tensor::EmptyOp::create(builder, loc, shape, type));
}

AffineMap GemmBuilder::map(StringRef loops, StringRef indices) {
  SmallVector<AffineExpr> exprs;
  for (char letter : indices)
    if (letter != 'g' || groups > 1)
      exprs.push_back(
          builder.getAffineDimExpr(loops.find(letter) - (groups == 1)));
  return AffineMap::get(loops.size() - (groups == 1), 0, exprs,
                        builder.getContext());
}

/// acc += a * b in the accumulation type, over the loops that do not index the
/// result.
Value GemmBuilder::contract(Value a, Value b, ArrayRef<int64_t> shape,
                            const Indexing &indexing) {
  Type accType = op.getAccType();
  SmallVector<AffineMap> maps;
  for (StringRef indices : {indexing.a, indexing.b, indexing.result})
    maps.push_back(map(indexing.loops, indices));
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < maps[0].getNumDims(); ++loop)
    iterators.push_back(maps[2].isFunctionOfDim(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  Value init = zeros(shape, accType);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{a, b}, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        // Where the factors are narrower than the tensors, they are rounded.
        auto factor = [&](Value source) {
          if (op.getPrecisionType())
            source = arith::TruncFOp::create(b, loc, op.getFactorType(), source)
                         .getResult();
          return convertScalarToDtype(b, loc, source, accType, false);
        };
        Value lhs = factor(args[0]), rhs = factor(args[1]);
        bool isFloat = isa<FloatType>(accType);
        Value product = isFloat
                            ? Value(arith::MulFOp::create(b, loc, lhs, rhs))
                            : Value(arith::MulIOp::create(b, loc, lhs, rhs));
        Value sum =
            isFloat ? Value(arith::AddFOp::create(b, loc, args[2], product))
                    : Value(arith::AddIOp::create(b, loc, args[2], product));
        linalg::YieldOp::create(b, loc, sum);
      });
  if (schedule)
    generic->setAttr(ScheduleAttr::attributeName(), schedule);
  return generic.getResult(0);
}

SmallVector<int64_t> GemmBuilder::withGroups(SmallVector<int64_t> shape,
                                             size_t position) {
  if (groups > 1)
    shape.insert(shape.begin() + position, groups);
  return shape;
}

//===----------------------------------------------------------------------===//
// The three operations
//===----------------------------------------------------------------------===//

/// The input's view of wgrad, its rows padded to blocks that have windows.
static convmlir::Result<MatrixView>
getWgradInputView(const ConvGeometry &geometry, const MatrixView &view,
                  ScheduleAttr schedule) {
  int64_t line = convmlir::getLineChannels(geometry.c / geometry.groups);
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank,
                                  schedule.getTile()[1] / line);
  if (!taps)
    return taps.takeError();
  return convmlir::padToBlocks(view, *taps, schedule.getTile()[2],
                               {schedule.getGather(), schedule.getKMajor()});
}

/// Lets tiles of the result, or blocks of gemm-k, end where images end, if
/// their taps share windows.
void GemmBuilder::padToWindows(GemmPhase &phase) {
  if (!schedule || !schedule.getWindow() || phase.isZero() ||
      readsImageTaps(schedule))
    return;
  if (op.getConvKind() == ConvKind::Wgrad) {
    phase.b = *getWgradInputView(geometry, phase.b, schedule);
    phase.a.rows = phase.b.rows;
    phase.a.strips = phase.b.strips;
    return;
  }
  auto tile = getWindowTile(phase.a, schedule);
  phase.a = convmlir::padToTiles(phase.a, *tile);
  phase.result = convmlir::padToTiles(phase.result, *tile);
}

/// y or dx: the tensor that is read through `phase.a`, times the filter.
Value GemmBuilder::buildRows(Value source, const GemmPhase &phase, Value dest,
                             const Indexing &indexing) {
  Value matrix = im2col(source, viewOf(phase.a));
  Value matrixW = im2col(filter, hasFiltersLast ? viewOf(phase.b)
                                                : filterViewOf(phase.b));
  Value acc = contract(matrix, matrixW, getMatrixShape(phase), indexing);
  return scatter(acc, viewOf(phase.result), dest);
}

/// dW[n, t, c] += DY[m, n] * X[m, t, c]
Value GemmBuilder::buildWgrad(const GemmPhase &phase, Value dest) {
  Value matrixX = im2col(op.getInput(), viewOf(phase.b));
  Value matrixDY = im2col(op.getOutput(), viewOf(phase.a), /*dropTap=*/true);
  Value acc = contract(
      matrixDY, matrixX,
      withGroups({geometry.k / groups, phase.b.numTaps(), geometry.c / groups},
                 0),
      {"gntcm", "mgn", "mtgc", "gntc"});
  return scatter(acc, filterViewOf(phase.result), dest);
}

/// A tensor with its channels first as images [channel, position].
Value GemmBuilder::collapsePositions(Value tensor) {
  int64_t rank = cast<ShapedType>(tensor.getType()).getRank();
  return rank == 3 ? tensor
                   : tensor::CollapseShapeOp::create(builder, loc, tensor,
                                                     getImageDims(rank))
                         .getResult();
}

/// Over all images: dW[n, t, c] += dy[n, m] * X[m, t, c], where dy has its
/// channels first.
Value GemmBuilder::buildKMajorWgrad(const GemmPhase &phase, Value dest) {
  groups = geometry.n; // An image is a group.
  Value images = collapsePositions(getChannelsFirstSource(op.getOutput()));
  auto viewX = ViewAttr::get(builder.getContext(), phase.b, /*groups=*/1,
                             /*rowGroups=*/groups);
  Value matrixX = im2col(op.getInput(), viewX);
  Value matrixDY = im2col(images, imageViewOf(images), /*dropTap=*/true);
  Value acc =
      contract(matrixDY, matrixX, {geometry.k, phase.b.numTaps(), geometry.c},
               {"gntcm", "gnm", "gmtc", "ntc"});
  return scatter(acc, ViewAttr::get(builder.getContext(), phase.result), dest);
}

/// Rows and columns of the part of y or dx that a phase makes.
SmallVector<int64_t> GemmBuilder::getMatrixShape(const GemmPhase &phase) {
  return withGroups({phase.result.numRows(), phase.result.channels / groups},
                    1);
}

Value GemmBuilder::buildPhase(GemmPhase phase, Value dest) {
  padToWindows(phase);
  if (phase.isZero())
    return scatter(zeros(getMatrixShape(phase), op.getAccType()),
                   viewOf(phase.result), dest);
  switch (op.getConvKind()) {
  case ConvKind::Forward:
    // y[m, n] += X[m, t, c] * W[n, t, c], or times W[c, t, n]
    return buildRows(
        op.getInput(), phase, dest,
        {"gmntc", "mtgc", hasFiltersLast ? "ctgn" : "gntc", "mgn"});
  case ConvKind::Dgrad:
    // dx[m, n] += DY[m, t, k] * W[k, t, n], or times W[n, t, k]
    return buildRows(op.getOutput(), phase, dest,
                     {"gmntk", "mtgk",
                      hasFiltersLast   ? "ntgk"
                      : isTransposed() ? "gntk"
                                       : "gktn",
                      "mgn"});
  case ConvKind::Wgrad:
    return schedule && schedule.getKMajor() ? buildKMajorWgrad(phase, dest)
                                            : buildWgrad(phase, dest);
  }
  llvm_unreachable("unknown kind of convolution");
}

//===----------------------------------------------------------------------===//
// Channels first
//===----------------------------------------------------------------------===//

/// A tensor [a, b, c] in the shape [a, c, b], of which b or c is 1.
static Value swapUnitDims(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rows = type.getDimSize(0), b = type.getDimSize(1),
          c = type.getDimSize(2);
  SmallVector<ReassociationIndices> merged = {{0}, {1, 2}};
  Value matrix = tensor::CollapseShapeOp::create(builder, loc, tensor, merged);
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get({rows, c, b}, type.getElementType()),
      matrix, merged);
}

/// Images [channels, positions]: each is a group of rows.
ViewAttr GemmBuilder::imageViewOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MatrixView view;
  view.spatialRank = 1;
  view.batch = type.getDimSize(0);
  view.extent[0] = view.rows[0] = type.getDimSize(1);
  view.channels = type.getDimSize(2);
  return ViewAttr::get(builder.getContext(), view, /*groups=*/1,
                       /*rowGroups=*/view.batch);
}

/// For each image: y[k, p] += W[k, c] * x[c, p], dx[c, p] += W[k, c] * dy[k,
/// p]. Over all images: dW[k, c] += dy[k, p] * x[c, p].
Value GemmBuilder::buildChannelsFirst() {
  groups = geometry.n; // An image is a group.
  MatrixView filter = geometry.filterView();
  auto filterViewAttr = ViewAttr::get(builder.getContext(), filter);
  auto imageOf = [&](Value tensor, bool dropTap = true) {
    return im2col(tensor, imageViewOf(tensor), dropTap);
  };
  if (op.getConvKind() == ConvKind::Wgrad) {
    Value acc = contract(
        imageOf(op.getOutput()), imageOf(op.getInput(), /*dropTap=*/false),
        {geometry.k, 1, geometry.c}, {"gmtnp", "gmp", "gntp", "mtn"});
    Value dest = swapUnitDims(builder, loc, op.getDest());
    return swapUnitDims(builder, loc, scatter(acc, filterViewAttr, dest));
  }
  bool isForward = op.getConvKind() == ConvKind::Forward;
  Value source = isForward ? op.getInput() : op.getOutput();
  Value matrixW = im2col(swapUnitDims(builder, loc, op.getFilter()),
                         filterViewAttr, /*dropTap=*/true);
  int64_t rows = isForward ? geometry.k : geometry.c;
  Value acc = contract(matrixW, imageOf(source),
                       withGroups({rows, geometry.input[0]}, 0),
                       {"gmnc", isForward ? "mc" : "cm", "gcn", "gmn"});
  return scatter(acc, imageViewOf(op.getDest()), op.getDest());
}

/// For each image: Y[s, m, p] += W[s, m, t, c] * x[c, p + shift of t], and the
/// sum over s of Y[s, m, p + shift of s] (Kn2row.h). The rows of Y are those of
/// a block of filters for each s.
Value GemmBuilder::buildKn2row() {
  Kn2row form = *getKn2row(op);
  bool isForward = op.getConvKind() == ConvKind::Forward;
  groups = geometry.n; // An image is a group.
  Value x = collapsePositions(isForward ? op.getInput() : op.getOutput());
  Value matrixX = Im2colOp::create(builder, loc, x, imageViewOf(x), form.taps,
                                   form.positions, form.step, form.offset)
                      .getResult();
  Value taps = blockFilter(builder, loc, op.getFilter(), isForward);
  MatrixView view;
  view.spatialRank = 1;
  int64_t rows = form.filters * int64_t(form.shifts.size());
  view.batch = isForward ? rows : form.channels;
  view.channels = isForward ? form.channels : rows;
  view.extent[0] = view.taps[0] = form.taps;
  Value matrixW = im2col(taps, ViewAttr::get(builder.getContext(), view));
  Value sums = contract(matrixW, matrixX, withGroups({rows, form.positions}, 0),
                        {"gmntc", isForward ? "mtc" : "ctm", "gctn", "gmn"});
  auto type = cast<RankedTensorType>(sums.getType());
  Value acc = AddTapsOp::create(
      builder, loc, type.clone(withGroups({form.filters, form.positions}, 0)),
      sums, form.line, form.shifts);
  Value dest = collapsePositions(op.getDest());
  Value result = scatter(acc, imageViewOf(dest), dest);
  auto destType = cast<RankedTensorType>(op.getDest().getType());
  if (destType == result.getType())
    return result;
  return tensor::ExpandShapeOp::create(builder, loc, destType, result,
                                       getImageDims(destType.getRank()));
}

/// Nothing to sum: y and dx have no elements, dW is all zeros.
Value GemmBuilder::buildEmptyBatch() {
  return op.getConvKind() == ConvKind::Wgrad ? fillWithZeros(op.getDest())
                                             : op.getDest();
}

/// Whether contractions read what the filter is a transposition of. Without a
/// schedule it is open who will read it.
bool GemmBuilder::readsSource() {
  if (!schedule || !getFiltersLastSource(op.getFilter()))
    return false;
  std::string why = whyFilterTransposed(op, FilterReading::of(schedule));
  if (why.empty())
    emitNamedRemark(op, RemarkId::FilterRead, "read with its filters last");
  else
    emitNamedRemark(op, RemarkId::FilterTransposed,
                    "a kernel of its own puts the filters first: " + why);
  return why.empty();
}

/// Lets the phases read the source of the filter.
void GemmBuilder::readFiltersLast(std::vector<GemmPhase> &phases) {
  std::vector<MatrixView> views;
  for (const GemmPhase &phase : phases)
    views.push_back(phase.b);
  views = *convmlir::getFiltersLastViews(views);
  for (auto [phase, view] : llvm::zip_equal(phases, views))
    phase.b = view;
  const MatrixView &first = views.front();
  SmallVector<int64_t> shape = {first.batch};
  llvm::append_range(shape,
                     ArrayRef(first.extent).take_front(first.spatialRank));
  shape.push_back(first.channels);
  Value source = getFiltersLastSource(op.getFilter());
  filter = emitReshape(builder, loc, source, shape);
}

void GemmBuilder::chooseFilter(std::vector<GemmPhase> &phases) {
  hasFiltersLast = readsSource();
  if (hasFiltersLast)
    readFiltersLast(phases);
  else
    filter = isTransposed()
                 ? transposeFilter(builder, loc, op.getFilter(), groups)
                 : op.getFilter();
}

Value GemmBuilder::build() {
  if (geometry.n == 0)
    return buildEmptyBatch();
  if (schedule && schedule.getAlgorithm() == Algorithm::Loops)
    return buildDepthwise(builder, op, schedule);
  if (op.getLayout() == Layout::NCHW)
    return schedule && schedule.getKn2row() ? buildKn2row()
                                            : buildChannelsFirst();
  std::vector<GemmPhase> phases = geometry.phases(op.getConvKind());
  if (llvm::all_of(phases, [](const auto &phase) { return phase.isZero(); }))
    return fillWithZeros(op.getDest());
  if (op.getConvKind() != ConvKind::Wgrad)
    chooseFilter(phases);
  Value dest = op.getDest();
  for (const GemmPhase &phase : phases)
    dest = buildPhase(phase, dest);
  return dest;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Why the taps of `op` cannot share windows as its schedule says.
static std::string whyNoWindow(ConvOpInterface op,
                               const ConvGeometry &geometry) {
  auto schedule =
      op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule || !schedule.getWindow() || geometry.n == 0)
    return "";
  std::vector<GemmPhase> phases = geometry.phases(op.getConvKind());
  bool isWgrad = op.getConvKind() == ConvKind::Wgrad;
  if (isWgrad && (geometry.hasInputDilation() || geometry.flip))
    return "has no window with input dilation or a flipped filter";
  for (const GemmPhase &phase : phases) {
    if (isWgrad && readsImageTaps(schedule))
      continue;
    if (isWgrad) {
      if (auto view = getWgradInputView(geometry, phase.b, schedule); !view)
        return "has no window: " + view.error();
    } else if (auto tile = getWindowTile(phase.a, schedule); !tile) {
      return "has no window: " + tile.error();
    }
  }
  return "";
}

/// Why implicit GEMM cannot take `op`; empty if it can.
static std::string whyNot(ConvOpInterface op, const ConvGeometry &geometry) {
  if (!isa<RankedTensorType>(op.getDestType()))
    return "works on tensors, but the operation is on buffers";
  auto schedule =
      op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (schedule && schedule.getAlgorithm() == Algorithm::Loops)
    if (auto sum = getDepthwiseSum(op); !sum)
      return "cannot be left out: " + sum.error();
  bool isKn2row = schedule && schedule.getKn2row();
  if (isKn2row)
    if (auto form = getKn2row(op); !form)
      return "cannot be computed so: " + form.error();
  if (isKn2row && op.getLayout() != Layout::NCHW)
    return "reads images with their channels first where taps have sums of "
           "their own (conv-restore-layout)";
  bool isGathered = gathersLoops(schedule);
  if (isGathered && op.getLayout() != Layout::NCHW)
    return "reads images with their channels first where algorithm loops "
           "gathers (conv-restore-layout)";
  if (op.getLayout() != Layout::NHWC && !isKn2row && !isGathered &&
      (!isComputedChannelsFirst(op) || op.getSpatialRank() != 1 ||
       geometry.stride[0] != 1))
    return "needs the layout nhwc, or nchw with 1x1 filters of 1-D images "
           "(conv-convert-layout)";
  if (op.getAccumulate())
    return "needs conv-expand-accumulation first";
  if (schedule && schedule.getKMajor() &&
      (op.getConvKind() != ConvKind::Wgrad || geometry.groups > 1 ||
       !getChannelsFirstSource(op.getOutput())))
    return "reads dy of a wgrad without groups K-major, where it is a "
           "transposition of a tensor with its channels first (k_major)";
  return whyNoWindow(op, geometry);
}

namespace {
struct ConvertConvToGemm
    : public conv::impl::ConvertConvToGemmBase<ConvertConvToGemm> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops) {
      FailureOr<ConvGeometry> geometry = op.getGeometry();
      if (failed(geometry))
        return signalPassFailure();
      if (std::string reason = whyNot(op, *geometry); !reason.empty()) {
        op->emitOpError("implicit GEMM ") << reason;
        return signalPassFailure();
      }
      OpBuilder builder(op);
      Value result = GemmBuilder(builder, op, *geometry).build();
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};
} // namespace
