//===- ConvDialect.cpp - dialect, enums, attributes
//-----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/Origin.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Dialect/Conv/IR/ScheduledOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/ConvDialect.cpp.inc"
#include "conv/Dialect/Conv/IR/ConvEnums.cpp.inc"

/// Parts of a view that are 1 if left out, in this order, each after a comma.
static ParseResult parseViewOptions(AsmParser &parser, int64_t &rowGroups,
                                    int64_t &strips) {
  rowGroups = strips = 1;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key != "row_groups" && key != "strips")
      return parser.emitError(loc, "expected row_groups or strips");
    if (parser.parseInteger(key == "strips" ? strips : rowGroups))
      return failure();
  }
  return success();
}

static void printViewOptions(AsmPrinter &printer, int64_t rowGroups,
                             int64_t strips) {
  if (rowGroups != 1)
    printer << ", row_groups = " << rowGroups;
  if (strips != 1)
    printer << ", strips = " << strips;
}

/// Parts of a schedule that have a usual value, in this order, each after a
/// comma.
static ParseResult
parseScheduleOptions(AsmParser &parser, int64_t &split,
                     SmallVector<int64_t> &cluster, int64_t &resident,
                     int64_t &teams, bool &window, int64_t &staging,
                     int64_t &merge, int64_t &tail, SmallVector<int64_t> &fold,
                     bool &gather, bool &kMajor, bool &kn2row) {
  split = resident = teams = merge = tail = 1;
  window = gather = kMajor = kn2row = false;
  staging = 0;
  auto parseNumbers = [&](SmallVector<int64_t> &numbers) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(numbers.emplace_back());
    });
  };
  auto parseFlag = [&](bool &flag) -> ParseResult {
    flag = succeeded(parser.parseOptionalKeyword("true"));
    if (flag || succeeded(parser.parseOptionalKeyword("false")))
      return success();
    return parser.emitError(parser.getCurrentLocation(),
                            "expected true or false");
  };
  auto parseTail = [&](int64_t &parts) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(kEvenTailName)))
      return parser.parseInteger(parts);
    parts = kEvenTail;
    return success();
  };
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(loc)
             << "'" << key << "' of a schedule is given twice";
    int64_t *number = llvm::StringSwitch<int64_t *>(key)
                          .Case("split", &split)
                          .Case("resident", &resident)
                          .Case("teams", &teams)
                          .Case("staging", &staging)
                          .Case("merge", &merge)
                          .Default(nullptr);
    ParseResult value =
        number             ? parser.parseInteger(*number)
        : key == "tail"    ? parseTail(tail)
        : key == "cluster" ? parseNumbers(cluster)
        : key == "fold"    ? parseNumbers(fold)
        : key == "window"  ? parseFlag(window)
        : key == "gather"  ? parseFlag(gather)
        : key == "k_major" ? parseFlag(kMajor)
        : key == "kn2row"
            ? parseFlag(kn2row)
            : parser.emitError(
                  loc, "expected split, cluster, resident, teams, window, "
                       "staging, merge, tail, fold, gather, k_major or "
                       "kn2row");
    if (value)
      return failure();
  }
  return success();
}

static void printScheduleOptions(AsmPrinter &printer, int64_t split,
                                 ArrayRef<int64_t> cluster, int64_t resident,
                                 int64_t teams, bool window, int64_t staging,
                                 int64_t merge, int64_t tail,
                                 ArrayRef<int64_t> fold, bool gather,
                                 bool kMajor, bool kn2row) {
  if (split != 1)
    printer << ", split = " << split;
  if (!cluster.empty())
    printer << ", cluster = [" << cluster << "]";
  if (resident != 1)
    printer << ", resident = " << resident;
  if (teams != 1)
    printer << ", teams = " << teams;
  if (window)
    printer << ", window = true";
  if (staging != 0)
    printer << ", staging = " << staging;
  if (merge != 1)
    printer << ", merge = " << merge;
  if (tail == kEvenTail)
    printer << ", tail = " << kEvenTailName;
  else if (tail != 1)
    printer << ", tail = " << tail;
  if (!fold.empty())
    printer << ", fold = [" << fold << "]";
  if (gather)
    printer << ", gather = true";
  if (kMajor)
    printer << ", k_major = true";
  if (kn2row)
    printer << ", kn2row = true";
}

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvAttrs.cpp.inc"

void ConvDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "conv/Dialect/Conv/IR/ConvAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/Conv/IR/ConvMatrixOps.cpp.inc"
      >();
  registerConvOps();
  registerHopperOps();
}

/// A text for each function.
static LogicalResult verifyOrigin(Operation *op, Attribute value) {
  auto origins = dyn_cast<DictionaryAttr>(value);
  auto isText = [](NamedAttribute entry) {
    return isa<StringAttr>(entry.getValue());
  };
  if (origins && llvm::all_of(origins, isText))
    return success();
  return op->emitError() << "'" << kOriginAttrName
                         << "' must be a dictionary with the text of each "
                            "function, but is "
                         << value;
}

LogicalResult ConvDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == ScheduleAttr::attributeName() || name == kLoopsAttrName) {
    if (isa<ScheduleAttr>(attribute.getValue()))
      return name == kLoopsAttrName ? success() : verifyScheduledOp(op);
    return op->emitError() << "'" << name
                           << "' must be a #conv.schedule, but is "
                           << attribute.getValue();
  }
  if (name == getSharedBytesAttrName() || name == kProducersAttrName ||
      name == kRowSumsAttrName || name == kGroupAttrName) {
    if (isa<IntegerAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "'" << name << "' must be an integer, but is "
                           << attribute.getValue();
  }
  if (name == kOriginAttrName)
    return verifyOrigin(op, attribute.getValue());
  if (name == kSumLanesAttrName) {
    if (isa<DenseI64ArrayAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "'" << name
                           << "' must be an array of integers, but is "
                           << attribute.getValue();
  }
  if (name == kItemsAttrName) {
    auto items = dyn_cast<AffineMapAttr>(attribute.getValue());
    if (items && items.getValue().getNumDims() == 1 &&
        items.getValue().getNumSymbols() == 0 &&
        items.getValue().getNumResults() > 0)
      return success();
    return op->emitError() << "'" << name
                           << "' must be an affine map of one dimension to one "
                           << "or more, but is " << attribute.getValue();
  }
  if (name == kProducerAttrName || name == kLoaderAttrName ||
      name == kHelperAttrName || name == kPlainKernelAttrName ||
      name == kWideIndicesAttrName) {
    if (isa<UnitAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "'" << name << "' must have no value, but is "
                           << attribute.getValue();
  }
  return op->emitError() << "unknown attribute '" << name
                         << "' of the conv dialect; it has '"
                         << ScheduleAttr::attributeName() << "', '"
                         << kLoopsAttrName << "', '" << kPlainKernelAttrName
                         << "', '" << kProducerAttrName << "', '"
                         << kProducersAttrName << "', '" << kLoaderAttrName
                         << "', '" << kHelperAttrName << "', '"
                         << kRowSumsAttrName << "', '" << kSumLanesAttrName
                         << "', '" << kItemsAttrName << "', '" << kGroupAttrName
                         << "', '" << kOriginAttrName << "', '"
                         << getSharedBytesAttrName() << "' and '"
                         << kWideIndicesAttrName << "'";
}

//===----------------------------------------------------------------------===//
// ViewAttr
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> firstN(const convmlir::Spatial &values, int n) {
  return SmallVector<int64_t>(values.begin(), values.begin() + n);
}

ViewAttr ViewAttr::get(MLIRContext *context, const convmlir::MatrixView &view,
                       int64_t groups, int64_t rowGroups) {
  int rank = view.spatialRank;
  return get(context, firstN(view.rows, rank), firstN(view.taps, rank),
             firstN(view.stride, rank), firstN(view.step, rank),
             firstN(view.offset, rank), groups, rowGroups, view.strips);
}

/// Of rows, of taps and along a dimension: sums of a few fit 64 bits.
static constexpr int64_t kFarthest = int64_t(1) << 61;

static bool isFar(std::optional<int64_t> position) {
  return !position || *position > kFarthest || *position < -kFarthest;
}

/// Whether there are too many of all dimensions. None along one of them does
/// not hide how many there are along the others.
static bool areTooMany(ArrayRef<int64_t> counts, int64_t factor) {
  std::optional<int64_t> all = factor;
  for (int64_t count : counts)
    if (all && count > 0)
      all = llvm::checkedMul(*all, count);
  return isFar(all);
}

/// Whether the last of so many positions is too far from the first.
static bool reachesFar(int64_t count, int64_t distance) {
  return isFar(distance) ||
         isFar(llvm::checkedMul(std::max<int64_t>(count - 1, 0), distance));
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> rows, ArrayRef<int64_t> taps,
                               ArrayRef<int64_t> stride, ArrayRef<int64_t> step,
                               ArrayRef<int64_t> offset, int64_t groups,
                               int64_t rowGroups, int64_t strips) {
  size_t rank = rows.size();
  if (rank < 1 || rank > convmlir::kMaxSpatialRank)
    return emitError() << "a view has 1 to 3 spatial dimensions, not " << rank;
  for (size_t size : {taps.size(), stride.size(), step.size(), offset.size()})
    if (size != rank)
      return emitError() << "every list of a view must have as many entries as "
                            "'rows' ("
                         << rank << "), not " << size;
  for (int64_t value : taps)
    if (value < 0)
      return emitError() << "taps of a view must not be negative, but got "
                         << value;
  for (int64_t value : rows)
    if (value < 0)
      return emitError() << "rows of a view must not be negative, but got "
                         << value;
  if (groups < 1)
    return emitError() << "groups of a view must be positive, but got "
                       << groups;
  if (rowGroups < 1)
    return emitError() << "row groups of a view must be positive, but got "
                       << rowGroups;
  if (strips < 1)
    return emitError() << "strips of a view must be positive, but got "
                       << strips;
  if (areTooMany(taps, 1) || areTooMany(rows, strips))
    return emitError() << "rows and taps of a view must each number at most "
                       << kFarthest << ", but there are [" << rows
                       << "] rows in " << strips << " strips and [" << taps
                       << "] taps";
  for (size_t i = 0; i < rank; ++i)
    if (isFar(offset[i]) || reachesFar(taps[i], step[i]) ||
        reachesFar(rows[i] * (i + 1 == rank ? strips : 1), stride[i]))
      return emitError() << "rows and taps of a view must reach at most "
                         << kFarthest << " positions, but " << rows[i]
                         << " rows are at a distance of " << stride[i] << ", "
                         << taps[i] << " taps at one of " << step[i]
                         << ", and the offset is " << offset[i];
  return success();
}

int64_t ViewAttr::getNumTaps() const {
  return llvm::product_of(getTaps(), int64_t(1));
}

int64_t ViewAttr::getRowsPerImage() const {
  return llvm::product_of(getRows(), getStrips());
}

convmlir::MatrixView ViewAttr::getMatrixView(ArrayRef<int64_t> shape) const {
  convmlir::MatrixView view;
  view.spatialRank = getSpatialRank();
  view.batch = shape.front();
  view.channels = shape.back();
  view.strips = getStrips();
  for (int i = 0; i < view.spatialRank; ++i) {
    view.extent[i] = shape[1 + i];
    view.rows[i] = getRows()[i];
    view.taps[i] = getTaps()[i];
    view.stride[i] = getStride()[i];
    view.step[i] = getStep()[i];
    view.offset[i] = getOffset()[i];
  }
  return view;
}

SmallVector<int64_t> ViewAttr::getMatrixShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> result;
  if (getRowGroups() > 1)
    result.push_back(getRowGroups());
  result.push_back(shape.front() * getRowsPerImage() / getRowGroups());
  result.push_back(getNumTaps());
  if (getGroups() > 1)
    result.push_back(getGroups());
  result.push_back(shape.back() / getGroups());
  return result;
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Algorithm algorithm, ArrayRef<int64_t> tile,
                                   ArrayRef<int64_t> warps, int64_t stages,
                                   CopyKind copy, MmaKind mma, int64_t split,
                                   ArrayRef<int64_t> cluster, int64_t resident,
                                   int64_t teams, bool window, int64_t staging,
                                   int64_t merge, int64_t tail,
                                   ArrayRef<int64_t> fold, bool gather,
                                   bool kMajor, bool kn2row) {
  if (tile.size() != 3)
    return emitError() << "'tile' of a schedule has 3 entries (gemm-m, gemm-n, "
                          "gemm-k), not "
                       << tile.size();
  if (warps.size() != 2)
    return emitError() << "'warps' of a schedule has 2 entries (along gemm-m "
                          "and gemm-n), not "
                       << warps.size();
  for (int64_t value : llvm::concat<const int64_t>(tile, warps))
    if (value < 1)
      return emitError() << "'tile' and 'warps' of a schedule must be "
                            "positive, but got "
                         << value;
  if (stages < 1)
    return emitError() << "'stages' of a schedule must be positive, but got "
                       << stages;
  if (split < 1)
    return emitError() << "'split' of a schedule must be positive, but got "
                       << split;
  if (!cluster.empty() && cluster.size() != 2)
    return emitError() << "'cluster' of a schedule has 2 entries (along gemm-m "
                          "and gemm-n), not "
                       << cluster.size();
  for (int64_t value : cluster)
    if (value < 1)
      return emitError() << "'cluster' of a schedule must be positive, but got "
                         << value;
  if (resident < 1)
    return emitError() << "'resident' of a schedule must be positive, but got "
                       << resident;
  if (teams < 1)
    return emitError() << "'teams' of a schedule must be positive, but got "
                       << teams;
  if (staging < 0)
    return emitError() << "'staging' of a schedule must not be negative, but "
                          "got "
                       << staging;
  if (merge < 1)
    return emitError() << "'merge' of a schedule must be positive, but got "
                       << merge;
  if (tail < 1 && tail != kEvenTail)
    return emitError() << "'tail' of a schedule must be positive or '"
                       << kEvenTailName << "', but got " << tail;
  for (int64_t value : fold)
    if (value < 1)
      return emitError() << "'fold' of a schedule must be positive, but got "
                         << value;
  int64_t others[] = {stages, split, resident, teams, staging, merge, tail};
  for (int64_t value :
       llvm::concat<const int64_t>(tile, warps, cluster, fold, others))
    if (value > kLargestScheduleNumber)
      return emitError() << "numbers of a schedule must be at most "
                         << kLargestScheduleNumber << ", but got " << value;
  return success();
}

ScheduleAttr ScheduleAttr::withMerge(int64_t merge) const {
  return get(getContext(), getAlgorithm(), getTile(), getWarps(), getStages(),
             getCopy(), getMma(), getSplit(), getCluster(), getResident(),
             getTeams(), getWindow(), getStaging(), merge, getTail(), getFold(),
             getGather(), getKMajor(), getKn2row());
}

ScheduleAttr ScheduleAttr::withTail(int64_t tail) const {
  return get(getContext(), getAlgorithm(), getTile(), getWarps(), getStages(),
             getCopy(), getMma(), getSplit(), getCluster(), getResident(),
             getTeams(), getWindow(), getStaging(), getMerge(), tail, getFold(),
             getGather(), getKMajor(), getKn2row());
}

ScheduleAttr ScheduleAttr::withFold(ArrayRef<int64_t> fold) const {
  return get(getContext(), getAlgorithm(), getTile(), getWarps(), getStages(),
             getCopy(), getMma(), getSplit(), getCluster(), getResident(),
             getTeams(), getWindow(), getStaging(), getMerge(), getTail(), fold,
             getGather(), getKMajor(), getKn2row());
}

ScheduleAttr ScheduleAttr::withGather(bool gather) const {
  return get(getContext(), getAlgorithm(), getTile(), getWarps(), getStages(),
             getCopy(), getMma(), getSplit(), getCluster(), getResident(),
             getTeams(), getWindow(), getStaging(), getMerge(), getTail(),
             getFold(), gather, getKMajor(), getKn2row());
}

ScheduleAttr ScheduleAttr::withKMajor(bool kMajor) const {
  return get(getContext(), getAlgorithm(), getTile(), getWarps(), getStages(),
             getCopy(), getMma(), getSplit(), getCluster(), getResident(),
             getTeams(), getWindow(), getStaging(), getMerge(), getTail(),
             getFold(), getGather(), kMajor, getKn2row());
}
