//===- ImplicitGemm.cpp - the shape of an operation's GEMMs -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a GemmShape (getGemmShape() of Schedule.h): its extents, then each part
// by a function of its own, from what the operation is computed as.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/FiltersLast.h"
#include "conv/Dialect/Conv/IR/Kn2row.h"
#include "conv/Dialect/Conv/IR/TransposedFilter.h"
#include "conv/Geometry/AccessBytes.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/FoldedResult.h"
#include "conv/Schedule/Shape/TensorBytes.h"
#include "conv/Schedule/Shape/TransposedWgradShape.h"
#include "conv/Schedule/Shape/Transpositions.h"
#include "conv/Schedule/Shape/WrittenResult.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <utility>

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

namespace {
/// What an operation is computed as.
struct Computation {
  ConvOpInterface op;
  Algorithm algorithm;
  MmaKind mma;
  bool isKMajor;
  bool hasFoldedTaps;
  ConvGeometry folded; ///< With merged groups and folded taps.
  bool isChannelsFirst;
  bool hasFiltersLast;
  bool hasTransposedCopies; ///< Wgrad, which is a forward of them.
  ConvKind kind;            ///< Of the GEMMs, and what they have:
  ConvGeometry geometry;

  bool isWgrad() const { return kind == ConvKind::Wgrad; }
  bool isImplicit() const { return algorithm == Algorithm::ImplicitGemm; }
  /// Whether operands are read through views of tensors with channels last.
  bool hasViews() const { return isImplicit() && !isChannelsFirst; }
};
} // namespace

static Computation getComputation(ConvOpInterface op, Algorithm algorithm,
                                  int64_t merge, MmaKind mma,
                                  ArrayRef<int64_t> fold, bool kMajor) {
  ConvGeometry folded = getComputedGeometry(op, merge, fold);
  bool hasCopies =
      algorithm == Algorithm::ImplicitGemm && transposesWgrad(op, folded, mma);
  return {.op = op,
          .algorithm = algorithm,
          .mma = mma,
          .isKMajor = kMajor,
          .hasFoldedTaps = !fold.empty(),
          .folded = folded,
          .isChannelsFirst = isComputedChannelsFirst(op),
          .hasFiltersLast =
              readsFiltersLast(op, {algorithm, mma, merge, !fold.empty()}),
          .hasTransposedCopies = hasCopies,
          .kind = hasCopies ? ConvKind::Forward : op.getConvKind(),
          .geometry =
              hasCopies ? getTransposedWgrad(op, folded).forward : folded};
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static GemmShape getWgradExtents(const ConvGeometry &geometry) {
  // Each tap of a dilated input has a phase of its own; they are alike.
  std::vector<convmlir::GemmPhase> found = geometry.phases(ConvKind::Wgrad);
  const convmlir::GemmPhase &phase = found.back();
  GemmShape::Phase filters = {geometry.k / geometry.groups, 1};
  return {.phases = SmallVector<GemmShape::Phase, 1>(found.size(), filters),
          .n = geometry.c / geometry.groups,
          .channels = phase.b.numRows(),
          .groups = geometry.groups,
          .wgrad = {.resultTaps = phase.b.numTaps()}};
}

static GemmShape getImageExtents(ConvKind kind, const ConvGeometry &geometry) {
  int64_t c = geometry.c / geometry.groups, k = geometry.k / geometry.groups;
  SmallVector<GemmShape::Phase, 1> phases;
  for (const convmlir::GemmPhase &phase : geometry.phases(kind))
    phases.push_back({phase.result.numRows(), phase.b.numTaps()});
  llvm::stable_sort(phases, [](auto a, auto b) { return a.taps > b.taps; });
  bool isForward = kind == ConvKind::Forward;
  return {.phases = phases,
          .n = isForward ? k : c,
          .channels = isForward ? c : k,
          .groups = geometry.groups};
}

/// Of an operation that is computed with its channels first.
static GemmShape getChannelsFirstExtents(ConvKind kind,
                                         const ConvGeometry &geometry) {
  int64_t positions = 1;
  for (int d = 0; d < geometry.spatialRank; ++d)
    positions *= geometry.input[d] / geometry.stride[d];
  if (kind == ConvKind::Wgrad)
    return {.phases = {{geometry.k, geometry.n}},
            .n = geometry.c,
            .channels = positions};
  bool isForward = kind == ConvKind::Forward;
  return {.phases = {{isForward ? geometry.k : geometry.c, 1}},
          .n = positions,
          .channels = isForward ? geometry.c : geometry.k,
          .groups = geometry.n};
}

static GemmShape getExtents(const Computation &computed) {
  ConvOpInterface op = computed.op;
  if (computed.isChannelsFirst)
    return getChannelsFirstExtents(op.getConvKind(), computed.geometry);
  if (computed.isWgrad())
    return getWgradExtents(computed.geometry);
  return getImageExtents(computed.kind, computed.geometry);
}

/// The pixels of an image, and images in the place of taps.
static void divideByImages(GemmShape &shape, int64_t images) {
  shape.phases.front().taps = images;
  shape.channels /= std::max<int64_t>(images, 1);
}

/// With explicit im2col taps and channels are one dimension. The phase with the
/// fewest taps says how much there is to reduce in all.
static void joinTaps(GemmShape &shape) {
  shape.n *= std::exchange(shape.wgrad.resultTaps, 1);
  int64_t least = std::max<int64_t>(shape.phases.front().taps, 1);
  for (GemmShape::Phase &phase : shape.phases)
    if (phase.taps > 0)
      least = std::min(least, std::exchange(phase.taps, 1));
  shape.channels *= least;
}

/// Of the operation, whatever it is computed as.
static void addOperation(GemmShape &shape, ConvOpInterface op) {
  shape.elementBytes = getElementBytes(op.getSourceElementType());
  shape.factorType = op.getFactorType();
  shape.chip = getChip(op);
  shape.memory.readBytes = countBytes(op->getOperands().drop_back());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static void addMajors(GemmShape &shape, const Computation &computed) {
  bool isWgrad = computed.isWgrad();
  if (computed.isChannelsFirst) {
    shape.a.isMnMajor = computed.kind == ConvKind::Dgrad;
    shape.b.isMnMajor = !isWgrad;
    return;
  }
  shape.a.isMnMajor = isWgrad && !computed.isKMajor;
  bool hasFiltersAlongN = computed.kind == ConvKind::Forward;
  if (computed.hasFiltersLast)
    shape.b.isMnMajor = hasFiltersAlongN;
  else
    shape.b.isMnMajor =
        !hasFiltersAlongN && !transposesFilter(computed.op, computed.mma);
}

static void addOperands(GemmShape &shape, const Computation &computed) {
  addMajors(shape, computed);
  if (!computed.hasViews() || computed.hasTransposedCopies)
    return;
  const ConvGeometry &geometry = computed.geometry;
  // Channels of a group lie next to each other.
  int64_t ofC = convmlir::getAccessBytes(geometry.c / geometry.groups,
                                         shape.elementBytes);
  int64_t ofK = convmlir::getAccessBytes(geometry.k / geometry.groups,
                                         shape.elementBytes);
  shape.a.accessBytes = computed.kind == ConvKind::Forward ? ofC : ofK;
  shape.b.accessBytes = computed.hasFiltersLast ? ofK : ofC;
}

static void addGathered(GemmShape &shape, const Computation &computed) {
  if (computed.hasViews() && !computed.hasTransposedCopies)
    addTranspositions(shape, computed.op, computed.geometry);
  shape.gathered.hasVolumes =
      computed.geometry.spatialRank == 3 &&
      (shape.phases.front().taps > 1 || shape.wgrad.resultTaps > 1);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// See GemmShape::Views. Windows of wgrad take taps in ascending order, and all
/// positions of dy: input dilation leaves some out, also in one phase.
static std::optional<convmlir::MatrixView>
getWindowView(ConvKind kind, const ConvGeometry &geometry,
              const std::optional<convmlir::GemmPhase> &amongZeros) {
  if (amongZeros && countImagePositions(amongZeros->a) > 0)
    return amongZeros->a;
  bool isWgrad = kind == ConvKind::Wgrad;
  if (isWgrad && (geometry.flip || geometry.hasInputDilation()))
    return std::nullopt;
  if (convmlir::countAllPhases(geometry, kind) != 1)
    return std::nullopt;
  const convmlir::GemmPhase phase = geometry.phases(kind).front();
  return isWgrad ? phase.b : phase.a;
}

static void addViews(GemmShape &shape, const Computation &computed) {
  if (!computed.hasViews())
    return;
  auto among = !computed.isWgrad() && !computed.hasFoldedTaps
                   ? getPhaseAmongZeros(computed.op, computed.geometry)
                   : std::nullopt;
  if (among && !shape.stored.isTransposed)
    shape.views.cells = among->result;
  shape.views.window = getWindowView(computed.kind, computed.geometry, among);
}

//===----------------------------------------------------------------------===//
// Wgrad
//===----------------------------------------------------------------------===//

/// Whether a sum over all dimensions but one reads `tensor`, or what it is a
/// transposition of.
static bool isSummed(Value tensor) {
  if (auto transposed = tensor.getDefiningOp<linalg::TransposeOp>())
    return isSummed(transposed.getInput());
  if (auto collapsed = tensor.getDefiningOp<tensor::CollapseShapeOp>();
      collapsed && isSummed(collapsed.getSrc()))
    return true;
  return llvm::any_of(tensor.getUsers(), [](Operation *user) {
    auto sum = dyn_cast<linalg::GenericOp>(user);
    return sum && sum.getNumDpsInputs() == 1 &&
           sum.getNumParallelLoops() == 1 && sum.getNumReductionLoops() > 0;
  });
}

/// See GemmShape::Wgrad.
static bool sumsRows(const Computation &computed) {
  ConvOpInterface op = computed.op;
  Type factor = op.getFactorType();
  return computed.isWgrad() && computed.isImplicit() &&
         (factor.isF16() || factor.isBF16()) && isSummed(op->getOperand(1)) &&
         !convmlir::foldsOutput(*op.getGeometry(), computed.folded);
}

static void addWgrad(GemmShape &shape, const Computation &computed) {
  shape.wgrad.reducesRows = computed.isWgrad();
  shape.wgrad.isKMajor = computed.isKMajor;
  shape.wgrad.sumsRows = sumsRows(computed);
  shape.wgrad.hasPartsOfTaps = computed.hasTransposedCopies;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Bytes of all operands, or of the result only, with folded taps.
static int64_t countFoldedBytes(ConvOpInterface op, const ConvGeometry &g,
                                bool isResult) {
  int64_t elements[] = {g.outputElements(), g.inputElements(),
                        g.filterElements()}; // As ConvKind is ordered.
  int64_t result = elements[int(op.getConvKind())];
  if (isResult)
    return result * getElementBytes(getFoldedResultType(op));
  return (elements[0] + elements[1] + elements[2] - result) *
         getElementBytes(op.getSourceElementType());
}

/// Whether what is stored has folded taps, from which another kernel picks the
/// result.
static bool storesFoldedTaps(const Computation &computed) {
  ConvOpInterface op = computed.op;
  if (computed.kind == ConvKind::Dgrad)
    return convmlir::foldsInput(*op.getGeometry(), computed.folded);
  return computed.isWgrad() && computed.hasFoldedTaps;
}

/// What transposes a result, or picks it from folded taps, is a kernel of its
/// own.
static void addResult(GemmShape &shape, const Computation &computed) {
  ConvOpInterface op = computed.op;
  shape.memory.writtenBytes = countBytes(op->getOperands().take_back());
  if (computed.hasFoldedTaps)
    shape.memory = {countFoldedBytes(op, computed.folded, /*isResult=*/false),
                    countFoldedBytes(op, computed.folded, /*isResult=*/true)};
  if (computed.hasTransposedCopies)
    shape.epilogue.resultBytes = getElementBytes(op.getAccType());
  else if (storesFoldedTaps(computed))
    shape.epilogue.resultBytes = getElementBytes(getFoldedResultType(op));
  else
    addEpilogue(shape, op);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// Of taps along a line that have sums of their own.
static GemmShape getKn2rowShape(ConvOpInterface op) {
  Kn2row form = *getKn2row(op);
  GemmShape shape = {.phases = {{form.filters, form.taps}},
                     .n = form.positions,
                     .channels = form.channels,
                     .groups = op.getGeometry()->n,
                     .isChannelsFirst = true,
                     .a = {.isMnMajor = op.getConvKind() == ConvKind::Dgrad},
                     .b = {.isMnMajor = true},
                     .kn2row = {int64_t(form.shifts.size()), form.line}};
  addOperation(shape, op);
  addWritten(shape, op);
  return shape;
}

GemmShape conv::getGemmShape(ConvOpInterface op, ScheduleAttr schedule) {
  return getGemmShape(op, schedule.getAlgorithm(), schedule.getMerge(),
                      schedule.getMma(), schedule.getFold(),
                      schedule.getKMajor(), schedule.getKn2row());
}

GemmShape conv::getGemmShape(ConvOpInterface op, Algorithm algorithm,
                             int64_t merge, MmaKind mma, ArrayRef<int64_t> fold,
                             bool kMajor, bool kn2row) {
  if (kn2row)
    return getKn2rowShape(op);
  Computation computed =
      getComputation(op, algorithm, merge, mma, fold, kMajor);
  GemmShape shape = getExtents(computed);
  if (kMajor)
    divideByImages(shape, computed.geometry.n);
  shape.isChannelsFirst = computed.isChannelsFirst;
  shape.variant = {merge, SmallVector<int64_t, 3>(fold)};
  addOperation(shape, op);
  addWgrad(shape, computed);
  addOperands(shape, computed);
  // Each reads what those in front have filled.
  addResult(shape, computed);
  addViews(shape, computed);
  addGathered(shape, computed);
  if (algorithm == Algorithm::Im2col)
    joinTaps(shape);
  return shape;
}
