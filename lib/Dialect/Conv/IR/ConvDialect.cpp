//===- ConvDialect.cpp - dialect, enums, attributes
//-----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Dialect/Conv/IR/Origin.h"
#include "conv/Dialect/Conv/IR/ScheduledOps.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
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

/// Names of engines, in brackets.
static ParseResult parseEngines(AsmParser &parser, uint32_t &engines) {
  engines = 0;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        StringRef name;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&name))
          return failure();
        std::optional<convmlir::Engine> engine = convmlir::lookupEngine(name);
        if (!engine)
          return parser.emitError(loc)
                 << "unknown engine '" << name << "', expected some of "
                 << convmlir::getEngineNames(~uint32_t(0));
        engines |= uint32_t(*engine);
        return success();
      });
}

static void printEngines(AsmPrinter &printer, uint32_t engines) {
  printer << "[" << convmlir::getEngineNames(engines) << "]";
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
  if (name == ChipAttr::attributeName()) {
    if (isa<ChipAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "'" << name << "' must be a #conv.chip, but is "
                           << attribute.getValue();
  }
  if (name == KernelPlanAttr::attributeName()) {
    if (isa<KernelPlanAttr>(attribute.getValue()))
      return success();
    return op->emitError() << "'" << name
                           << "' must be a #conv.kernel_plan, but is "
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
                         << ChipAttr::attributeName() << "', '"
                         << KernelPlanAttr::attributeName() << "', '"
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
