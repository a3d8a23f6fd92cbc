//===- ScheduleLegality.cpp - which schedules a chip can run --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Kn2row.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Dialect/Conv/IR/TransposedFilter.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Forms/PhasePairs.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/FoldedResult.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/Shape/TensorBytes.h"
#include "conv/Schedule/Shape/TransposedWgradShape.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>
#include <utility>

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using llvm::formatv;

/// See GemmShape::windowView. Windows of wgrad take taps in ascending order,
/// and all positions of dy: input dilation leaves some out, also in one phase.
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

convmlir::Result<ConvGeometry> conv::getFoldedGeometry(ConvOpInterface op,
                                                       ArrayRef<int64_t> fold) {
  // A step of gemm-k of every instruction, and what TMA and copies want.
  constexpr int64_t unitBits = 32 * 8;
  if (isComputedChannelsFirst(op))
    return convmlir::Error{"an operation that is computed with its channels "
                           "first has no folded taps"};
  return convmlir::foldTaps(
      *op.getGeometry(), op.getConvKind(), fold.vec(),
      unitBits / op.getSourceElementType().getIntOrFloatBitWidth());
}

ConvGeometry conv::getComputedGeometry(ConvOpInterface op, int64_t merge,
                                       ArrayRef<int64_t> fold) {
  ConvGeometry geometry =
      fold.empty() ? *op.getGeometry() : *getFoldedGeometry(op, fold);
  geometry.groups /= merge;
  return geometry;
}

static GemmShape getImplicitGemmShape(ConvOpInterface op, ConvKind kind,
                                      const ConvGeometry &geometry) {
  int64_t c = geometry.c / geometry.groups, k = geometry.k / geometry.groups;
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  bool isWgrad = kind == ConvKind::Wgrad;
  SmallVector<GemmShape::Phase, 1> phases;
  int64_t resultTaps = 1, pixels = 0;
  for (const convmlir::GemmPhase &phase : geometry.phases(kind)) {
    if (!isWgrad) {
      phases.push_back({phase.result.numRows(), phase.b.numTaps()});
      continue;
    }
    phases.push_back({k, 1});
    resultTaps = phase.b.numTaps();
    pixels = phase.b.numRows();
  }
  llvm::stable_sort(phases, [](auto a, auto b) { return a.taps > b.taps; });
  switch (kind) {
  case ConvKind::Forward:
    return {phases, k, 1, c, geometry.groups, bytes};
  case ConvKind::Dgrad:
    return {phases, c, 1, k, geometry.groups, bytes};
  case ConvKind::Wgrad:
    return {phases, c, resultTaps, pixels, geometry.groups, bytes};
  }
  llvm_unreachable("unknown kind of convolution");
}

/// Of an operation that is computed with its channels first.
static GemmShape getChannelsFirstShape(ConvOpInterface op,
                                       const ConvGeometry &geometry) {
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  int64_t positions = 1;
  for (int d = 0; d < geometry.spatialRank; ++d)
    positions *= geometry.input[d] / geometry.stride[d];
  switch (op.getConvKind()) {
  case ConvKind::Forward:
    return {{{geometry.k, 1}}, positions, 1, geometry.c, geometry.n, bytes};
  case ConvKind::Dgrad:
    return {{{geometry.c, 1}}, positions, 1, geometry.k, geometry.n, bytes};
  case ConvKind::Wgrad:
    return {{{geometry.k, geometry.n}}, geometry.c, 1, positions, 1, bytes};
  }
  llvm_unreachable("unknown kind of convolution");
}

/// Bytes of all operands, or of the result only, with folded taps.
static int64_t countFoldedBytes(ConvOpInterface op, const ConvGeometry &g,
                                bool isResult) {
  int64_t elements[] = {g.outputElements(), g.inputElements(),
                        g.filterElements()}; // As ConvKind is ordered.
  int64_t result = elements[int(op.getConvKind())];
  if (isResult)
    return result * getFoldedResultType(op).getIntOrFloatBitWidth() / 8;
  return (elements[0] + elements[1] + elements[2] - result) *
         op.getSourceElementType().getIntOrFloatBitWidth() / 8;
}

/// How the kernel stores a result that is transposed, if it does.
static void addStoredPositions(GemmShape &shape, ConvOpInterface op) {
  if (op.getConvKind() == ConvKind::Wgrad)
    return;
  double rows = 0, products = 0, reached = 0;
  for (GemmShape::Phase phase : shape.phases) {
    rows += phase.m;
    products += double(phase.m) * phase.taps * shape.channels;
    reached += phase.taps > 0;
  }
  if (rows == 0)
    return;
  double cycles = getProductCycles(products / rows, shape.elementBytes);
  int64_t least = std::numeric_limits<int64_t>::max();
  auto phases = op.getGeometry()->phases(op.getConvKind());
  shape.pairedLine = getPairedLine(shape, phases, cycles);
  for (const convmlir::GemmPhase &phase : phases) {
    const convmlir::MatrixView &view = phase.result;
    ArrayRef<int64_t> strides(view.stride.data(), view.spatialRank);
    int64_t distance = strides.back(), cell = llvm::product_of(strides);
    // One phase among zeros is stored with them.
    int64_t neighbours = getNeighbouringRows(view);
    if (reached == 1 && cell > 1 && cell <= kMostOfCell)
      neighbours = std::exchange(distance, 1);
    if (!isWorthStoring({neighbours, distance, shape.resultBytes, cycles}))
      return;
    least = std::min(least, neighbours);
    shape.storedDistance = distance;
  }
  shape.storedPositions = least;
  const convmlir::MatrixView &result = phases.front().result;
  if (phases.size() == 1 && namesAllPositions(result))
    shape.imagePositions =
        result.numRows() / std::max<int64_t>(result.batch, 1);
}

/// What follows a convolution in its kernel (Epilogue.h): what the kernel
/// stores, and reads besides. Returns the last result.
static Value addWritten(GemmShape &shape, ConvOpInterface op) {
  Value result = op->getResult(0);
  SmallVector<int64_t> dims = getEpilogueDims(op);
  while (linalg::GenericOp next = getEpilogue(result, dims)) {
    for (OpOperand *input : next.getDpsInputOperands()) {
      if (input->get() == result || !isa<ShapedType>(input->get().getType()))
        continue;
      if (next.getMatchingIndexingMap(input).isIdentity())
        ++shape.readResults;
      else
        shape.readsVectors = true;
    }
    result = next->getResult(0);
  }
  auto type = cast<ShapedType>(result.getType());
  shape.resultBytes = type.getElementTypeBitWidth() / 8;
  shape.writtenBytes = type.getNumElements() * shape.resultBytes;
  return result;
}

/// The same, and a transposition behind it.
static void addEpilogue(GemmShape &shape, ConvOpInterface op) {
  Value result = addWritten(shape, op);
  if (result.hasOneUse())
    if (auto next = dyn_cast<linalg::TransposeOp>(*result.user_begin()))
      shape.transposesResult = makesChannelsFirst(next);
  if (shape.transposesResult)
    addStoredPositions(shape, op);
}

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

GemmShape conv::getGemmShape(ConvOpInterface op, ScheduleAttr schedule) {
  return getGemmShape(op, schedule.getAlgorithm(), schedule.getMerge(),
                      schedule.getMma(), schedule.getFold(),
                      schedule.getKMajor(), schedule.getKn2row());
}

/// Of taps along a line that have sums of their own.
static GemmShape getKn2rowShape(ConvOpInterface op) {
  Kn2row form = *getKn2row(op);
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  GemmShape shape = {
      {{form.filters, form.taps}}, form.positions, 1, form.channels,
      op.getGeometry()->n,         bytes};
  shape.isChannelsFirst = shape.isMnMajorB = true;
  shape.isMnMajorA = op.getConvKind() == ConvKind::Dgrad;
  shape.tapSums = form.shifts.size();
  shape.line = form.line;
  shape.factorType = op.getFactorType();
  shape.chip = getChip(op);
  shape.readBytes = countBytes(op->getOperands().drop_back());
  addWritten(shape, op);
  return shape;
}

/// `channels` of a tensor in so many groups lie next to each other.
static int64_t getAccessBytes(int64_t channels, int64_t groups,
                              int64_t elementBytes) {
  return std::gcd(convmlir::kChunkBytes, channels / groups * elementBytes);
}

GemmShape conv::getGemmShape(ConvOpInterface op, Algorithm algorithm,
                             int64_t merge, MmaKind mma, ArrayRef<int64_t> fold,
                             bool kMajor, bool kn2row) {
  if (kn2row)
    return getKn2rowShape(op);
  ConvGeometry geometry = getComputedGeometry(op, merge, fold);
  ConvKind kind = op.getConvKind();
  bool isChannelsFirst = isComputedChannelsFirst(op);
  bool isTransposed = algorithm == Algorithm::ImplicitGemm &&
                      transposesWgrad(op, geometry, mma);
  ConvGeometry folded = geometry;
  if (isTransposed) {
    kind = ConvKind::Forward;
    geometry = getTransposedWgrad(op, geometry).forward;
  }
  bool isWgrad = kind == ConvKind::Wgrad;
  GemmShape shape = isChannelsFirst ? getChannelsFirstShape(op, geometry)
                                    : getImplicitGemmShape(op, kind, geometry);
  shape.chip = getChip(op);
  shape.isChannelsFirst = isChannelsFirst;
  if (kMajor) {
    shape.isKMajor = true;
    shape.phases.front().taps = geometry.n;
    shape.channels /= std::max<int64_t>(geometry.n, 1);
  }
  shape.reducesRows = isWgrad;
  shape.hasPartsOfTaps = isTransposed;
  shape.merge = merge;
  shape.fold.assign(fold.begin(), fold.end());
  shape.factorType = op.getFactorType();
  shape.readBytes = countBytes(op->getOperands().drop_back());
  shape.writtenBytes = countBytes(op->getOperands().take_back());
  if (!fold.empty()) {
    shape.readBytes = countFoldedBytes(op, folded, /*isResult=*/false);
    shape.writtenBytes = countFoldedBytes(op, folded, /*isResult=*/true);
  }
  shape.isMnMajorA =
      isChannelsFirst ? kind == ConvKind::Dgrad : isWgrad && !kMajor;
  shape.isMnMajorB =
      isChannelsFirst ? !isWgrad
                      : kind != ConvKind::Forward && !transposesFilter(op, mma);
  if (algorithm == Algorithm::ImplicitGemm && !isChannelsFirst &&
      !isTransposed) {
    int64_t ofC =
        getAccessBytes(geometry.c, geometry.groups, shape.elementBytes);
    int64_t ofK =
        getAccessBytes(geometry.k, geometry.groups, shape.elementBytes);
    shape.accessBytesA = kind == ConvKind::Forward ? ofC : ofK;
    shape.accessBytesB = ofC;
  }
  // What transposes a result, or picks it from folded taps, is a kernel of its
  // own.
  if (isTransposed)
    shape.resultBytes = op.getAccType().getIntOrFloatBitWidth() / 8;
  else if (kind == ConvKind::Dgrad
               ? convmlir::foldsInput(*op.getGeometry(), folded)
               : isWgrad && !fold.empty())
    shape.resultBytes = getFoldedResultType(op).getIntOrFloatBitWidth() / 8;
  else
    addEpilogue(shape, op);
  bool hasViews = algorithm == Algorithm::ImplicitGemm && !isChannelsFirst;
  auto among = hasViews && !isWgrad && fold.empty()
                   ? getPhaseAmongZeros(op, geometry)
                   : std::nullopt;
  if (among && !shape.transposesResult)
    shape.cellView = among->result;
  if (hasViews)
    shape.windowView = getWindowView(kind, geometry, among);
  if (hasViews && !isTransposed)
    addTranspositions(shape, op, geometry);
  shape.gathersVolumes =
      geometry.spatialRank == 3 &&
      (shape.phases.front().taps > 1 || shape.resultTaps > 1);
  Type factor = shape.factorType;
  shape.sumsRows = isWgrad && algorithm == Algorithm::ImplicitGemm &&
                   (factor.isF16() || factor.isBF16()) &&
                   isSummed(op->getOperand(1)) &&
                   !convmlir::foldsOutput(*op.getGeometry(), folded);
  if (algorithm != Algorithm::Im2col)
    return shape;
  // Taps and channels are one dimension. The phase with the fewest taps says
  // how much there is to reduce in all.
  shape.n *= std::exchange(shape.resultTaps, 1);
  int64_t least = std::max<int64_t>(shape.phases.front().taps, 1);
  for (GemmShape::Phase &phase : shape.phases)
    if (phase.taps > 0)
      least = std::min(least, std::exchange(phase.taps, 1));
  shape.channels *= least;
  return shape;
}

/// Each stride phase has operations and views of its own until there is one
/// kernel of all. That takes half a millisecond for one that taps reach, and a
/// third of it for one of zeros: as many take two seconds.
static constexpr int64_t kMostPhases = int64_t(1) << 12;
static constexpr int64_t kMostReachedPhases = int64_t(1) << 11;

/// At most so many phases are reached: a tap reaches one along each dimension.
static int64_t countReachedPhases(const ConvGeometry &geometry, ConvKind kind) {
  convmlir::Spatial counts = geometry.countPhases(kind);
  int64_t reached = 1;
  for (int d = 0; d < geometry.spatialRank; ++d)
    reached = llvm::SaturatingMultiply<uint64_t>(
        reached, std::min(counts[d], geometry.filter[d]));
  return reached;
}

static std::string whyTooManyPhases(ConvOpInterface op) {
  ConvGeometry geometry = *op.getGeometry();
  int64_t phases = convmlir::countAllPhases(geometry, op.getConvKind());
  if (phases > kMostPhases)
    return formatv("operations of at most {0} stride phases have kernels, but "
                   "this one has {1}",
                   kMostPhases, phases);
  int64_t reached = countReachedPhases(geometry, op.getConvKind());
  if (reached > kMostReachedPhases)
    return formatv("operations of at most {0} stride phases that taps reach "
                   "have kernels, but this one has {1}",
                   kMostReachedPhases, reached);
  return "";
}

/// A buffer of a plan has at most so many bytes (Plan.cpp).
static constexpr int kMostBytesLog2 = 48;

/// What no kernel has room for.
static std::string whyTooLarge(ConvOpInterface op) {
  for (Type operand : op->getOperandTypes()) {
    auto type = cast<ShapedType>(operand);
    uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
        type.getNumElements(), type.getElementTypeBitWidth() / 8);
    if (bytes > uint64_t(1) << kMostBytesLog2)
      return formatv("tensors of at most 2^{0} bytes have kernels, but {1} has "
                     "{2}",
                     kMostBytesLog2, operand, bytes);
  }
  return whyTooManyPhases(op);
}

std::string conv::whyUnsupported(ConvOpInterface op, const ChipInfo &chip) {
  if (op->getNumResults() == 0)
    return "schedules are for operations on tensors, but this one is on "
           "buffers";
  Type type = op.getFactorType();
  if (!type.isF32() && !MmaShape::lookup(type))
    return formatv("element type {0} has no kernel, only f16, bf16, tf32, f32, "
                   "f64, s8, e4m3 and e5m2 have",
                   getTypeName(type));
  if (std::string why = whyNoFloat8(type, chip); !why.empty())
    return why;
  if (op.getAccType() != getSumType(type))
    return formatv("products of {0} have kernels that accumulate in {1} only, "
                   "not in {2}",
                   getTypeName(type), getTypeName(getSumType(type)),
                   getTypeName(op.getAccType()));
  return whyTooLarge(op);
}

int64_t conv::getRingBytes(ScheduleAttr schedule, int64_t elementBytes) {
  ArrayRef<int64_t> tile = schedule.getTile();
  return schedule.getStages() * (tile[0] + tile[1]) * tile[2] * elementBytes;
}

/// f32 has no matrix instruction, and everything else no other.
static std::string whyWrongInstruction(ScheduleAttr schedule, Type factor) {
  bool isFma = schedule.getMma() == MmaKind::Fma;
  if (isFma == factor.isF32())
    return "";
  if (isFma)
    return formatv("mma=fma is for f32, and {0} has tensor cores",
                   getTypeName(factor));
  return formatv("mma={0} multiplies no f32, which is exact with mma=fma only; "
                 "tf32 is what tensor cores round f32 to",
                 stringifyMmaKind(schedule.getMma()));
}

std::string conv::whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                             const ChipInfo &chip) {
  if (schedule.getAlgorithm() == Algorithm::Loops)
    return "algorithm loops multiplies no matrices";
  if (std::string why = whyWrongInstruction(schedule, gemm.factorType);
      !why.empty())
    return why;
  if (schedule.getMma() == MmaKind::Wgmma ||
      schedule.getCopy() != CopyKind::CpAsync)
    return whyIllegalOnHopper(schedule, gemm, chip);
  if (std::string why = whyNotOfForm(schedule.getFields(), KernelForm::Tiles);
      !why.empty())
    return why;
  return getKernelRules(KernelForm::Tiles).whyIllegal(schedule, gemm, chip);
}
