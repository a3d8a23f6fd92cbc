//===- ScatterChain.cpp - scatters into different elements ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScatterChain.h"

#include "conv/Geometry/CellViews.h"

#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Coordinates that a view names along one dimension, where it has several rows
/// or several taps but not both: every `distance` from `first` on.
struct Positions {
  int64_t first, count, distance;
};
} // namespace

static std::optional<Positions> getPositions(ViewAttr view, int64_t dim) {
  int64_t rows = view.getRows()[dim], taps = view.getTaps()[dim];
  int64_t first = view.getOffset()[dim];
  if (dim + 1 == view.getSpatialRank())
    rows *= view.getStrips();
  if (taps == 1)
    return Positions{first, rows, view.getStride()[dim]};
  if (rows == 1)
    return Positions{first, taps, view.getStep()[dim]};
  return std::nullopt;
}

/// The coordinate behind the last one.
static int64_t getEnd(Positions p) {
  return p.first + (p.count - 1) * p.distance + 1;
}

/// Whether no coordinate of one is a coordinate of the other, as far as their
/// ends or equal distances show it.
static bool areDisjoint(Positions a, Positions b) {
  if (a.distance >= 0 && b.distance >= 0 &&
      (getEnd(a) <= b.first || getEnd(b) <= a.first))
    return true;
  if (a.distance != b.distance || a.distance == 0)
    return false;
  return (a.first - b.first) % a.distance != 0;
}

static bool areDisjoint(ViewAttr a, ViewAttr b) {
  for (int64_t dim = 0, rank = a.getSpatialRank(); dim < rank; ++dim) {
    std::optional<Positions> ofA = getPositions(a, dim);
    std::optional<Positions> ofB = getPositions(b, dim);
    if (ofA && ofB && areDisjoint(*ofA, *ofB))
      return true;
  }
  return false;
}

namespace {
/// Views that name, along every dimension, every so many coordinates, all of
/// them as many: two are disjoint where their first coordinates differ by no
/// multiple of that. So are the thousands of phases of a large stride, whose
/// pairs would be millions. With `hasPoints` one coordinate is not the first of
/// a row of them: so are the taps of a filter, which may be neighbours.
class RegularViews {
public:
  explicit RegularViews(bool hasPoints) : hasPoints(hasPoints) {}

  /// Adds a view. True only if it is disjoint from all before it.
  bool insert(ViewAttr view);

private:
  bool hasPoints;
  SmallVector<int64_t> distances;
  std::set<SmallVector<int64_t>> remainders;
  bool areRegular = true;
};
} // namespace

bool RegularViews::insert(ViewAttr view) {
  SmallVector<int64_t> each, first;
  for (int64_t dim = 0, rank = view.getSpatialRank(); dim < rank; ++dim) {
    std::optional<Positions> named = getPositions(view, dim);
    areRegular &= named && named->distance > 0;
    if (!areRegular)
      return false;
    bool isPoint = hasPoints && named->count == 1;
    each.push_back(isPoint ? 0 : named->distance);
    int64_t remainder = isPoint ? named->first : named->first % named->distance;
    first.push_back(remainder < 0 && !isPoint ? remainder + named->distance
                                              : remainder);
  }
  if (distances.empty())
    distances = each;
  areRegular &= distances == each;
  return remainders.insert(first).second && areRegular;
}

static bool isWholeOnTensors(ScatterOp scatter) {
  return scatter.getResult() && scatter.getOffsets().empty() &&
         isa<RankedTensorType>(scatter.getValue().getType());
}

SmallVector<ScatterOp> conv::getScatterChain(ScatterOp last) {
  SmallVector<ScatterOp> chain = {last};
  RegularViews rows(/*hasPoints=*/false), points(/*hasPoints=*/true);
  auto areKnownDisjoint = [&](ViewAttr view) {
    bool ofRows = rows.insert(view), ofPoints = points.insert(view);
    return ofRows || ofPoints;
  };
  areKnownDisjoint(last.getView());
  if (!isWholeOnTensors(last) || last.getZeroFill())
    return chain;
  auto isDisjointFrom = [](ScatterOp candidate) {
    return [candidate](ScatterOp other) mutable {
      return areDisjoint(candidate.getView(), other.getView());
    };
  };
  while (true) {
    auto before = chain.back().getDest().getDefiningOp<ScatterOp>();
    if (!before || !isWholeOnTensors(before) || !before->hasOneUse() ||
        before.getZeroFill())
      break;
    if (!areKnownDisjoint(before.getView()) &&
        !llvm::all_of(chain, isDisjointFrom(before)))
      break;
    chain.push_back(before);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Elements per batch and channel that a view names, each once; nothing where
/// it names one twice or begins outside of the tensor. Rows past it name none.
static std::optional<int64_t> countElements(ViewAttr view,
                                            ArrayRef<int64_t> shape) {
  int64_t number = 1;
  for (int64_t dim = 0, rank = view.getSpatialRank(); dim < rank; ++dim) {
    std::optional<Positions> named = getPositions(view, dim);
    if (!named || named->first < 0 || (named->distance < 1 && named->count > 1))
      return std::nullopt;
    int64_t behind = shape[dim + 1] - named->first;
    int64_t inside =
        named->count == 1
            ? int64_t(behind > 0)
            : llvm::divideCeil(std::max<int64_t>(behind, 0), named->distance);
    number *= std::min(named->count, inside);
  }
  return number;
}

bool conv::namesCells(ViewAttr view, ArrayRef<int64_t> shape) {
  return view.getRowGroups() == 1 &&
         convmlir::namesCells(view.getMatrixView(shape));
}

bool conv::coversDestination(ArrayRef<ScatterOp> chain) {
  if (ScatterOp(chain.back()).getZeroFill())
    return true;
  int64_t named = 0;
  SmallVector<int64_t> shape = ScatterOp(chain.front()).getTensorShape();
  for (ScatterOp scatter : chain) {
    std::optional<int64_t> elements = countElements(scatter.getView(), shape);
    if (!elements)
      return false;
    named += *elements;
  }
  return named ==
         llvm::product_of(ArrayRef(shape).drop_front().drop_back(), int64_t(1));
}
