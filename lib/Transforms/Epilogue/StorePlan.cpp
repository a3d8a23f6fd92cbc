//===- StorePlan.cpp - how a kernel reads and stores tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads come first, then zeros, then results: each takes from shared memory
// what the later ones do not have.
//
//===----------------------------------------------------------------------===//

#include "StorePlan.h"

#include "Copies/EpilogueReads.h"
#include "LoadsAhead.h"
#include "SharedRoom.h"
#include "StoreForms.h"
#include "ZeroStores.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using llvm::formatv;

namespace {

/// Each step says what of the plan as given cannot be; nothing where all can.
class StorePlanner {
public:
  explicit StorePlanner(const KernelTiles &tiles)
      : tiles(tiles), room(tiles), plan(getKernelPlan(tiles.func)),
        scatters(tiles.getScatters()) {}

  std::string checkMemory();
  std::string planReads();
  std::string planZeros();
  std::string planForms();
  const KernelPlan &getPlan() const { return plan; }

private:
  std::string whyNotStaged(Im2colOp read);
  std::string whyNotAheadOf(Im2colOp read, ScatterOp &place);
  std::string takeRead(Im2colOp read, EpilogueRead way);
  EpilogueRead chooseRead(Im2colOp read);
  bool leavesInPanels(ScatterOp place);
  StoreForms getForms(ScatterOp op);

  const KernelTiles &tiles;
  SharedRoom room;
  KernelPlan plan;
  SmallVector<ScatterOp> scatters;
  ScatterOp ahead; ///< To whose place an operand is loaded ahead.
};

} // namespace

/// What is asked below is of whole bytes at places that are known.
static bool isInWholeBytes(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() &&
         memref.getElementType().isIntOrFloat() &&
         memref.getElementTypeBitWidth() % 8 == 0;
}

std::string StorePlanner::checkMemory() {
  SmallVector<Type> types;
  gpu::GPUFuncOp func = tiles.func;
  func.walk([&](ScatterOp op) { types.push_back(op.getDest().getType()); });
  for (Im2colOp read : getEpilogueReads(func))
    types.push_back(read.getSource().getType());
  auto *other = llvm::find_if_not(types, isInWholeBytes);
  if (other == types.end())
    return "";
  return formatv("tiles are read and stored in memory of a static shape, with "
                 "elements of whole bytes, but here in {0}",
                 *other);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

std::string StorePlanner::whyNotStaged(Im2colOp read) {
  std::string why = whyNotStagedRead(read);
  return why.empty() ? room.whyNotOverOperands(getStagedRead(read).getBytes())
                     : why;
}

/// As the plan says, or as it may still say.
bool StorePlanner::leavesInPanels(ScatterOp place) {
  size_t number = llvm::find(scatters, place) - scatters.begin();
  return !plan.stores || number >= plan.stores->size() ||
         (*plan.stores)[number] == StoreForm::Panels;
}

std::string StorePlanner::whyNotAheadOf(Im2colOp read, ScatterOp &place) {
  if (ahead)
    return "another tile is loaded ahead to where the result is staged";
  std::string why = whyNotAhead(read, tiles, place);
  if (!why.empty())
    return why;
  if (!leavesInPanels(place))
    return "the result is not staged in panels";
  return room.whyNoRoom(getAheadBytes(place, tiles));
}

/// Takes the room of a read that is possible so.
std::string StorePlanner::takeRead(Im2colOp read, EpilogueRead way) {
  ScatterOp place;
  std::string why = way == EpilogueRead::Ahead    ? whyNotAheadOf(read, place)
                    : way == EpilogueRead::Staged ? whyNotStaged(read)
                                                  : "";
  if (!why.empty())
    return why;
  // What is staged where the operands were takes nothing.
  if (way == EpilogueRead::Ahead) {
    ahead = place;
    room.take(getAheadBytes(place, tiles));
  }
  return "";
}

EpilogueRead StorePlanner::chooseRead(Im2colOp read) {
  for (EpilogueRead way : {EpilogueRead::Ahead, EpilogueRead::Staged})
    if (takeRead(read, way).empty())
      return way;
  return EpilogueRead::Fragments;
}

std::string StorePlanner::planReads() {
  SmallVector<Im2colOp> all = getEpilogueReads(tiles.func);
  if (plan.reads && plan.reads->size() != all.size())
    return formatv("reads: the epilogue reads {0} tiles, but {1} are given",
                   all.size(), plan.reads->size());
  if (plan.reads) {
    for (auto [read, way] : llvm::zip_equal(all, *plan.reads))
      if (std::string why = takeRead(read, way); !why.empty())
        return formatv("reads: {0}: {1}", stringifyEpilogueRead(way), why);
    return "";
  }
  if (!all.empty())
    plan.reads.emplace();
  for (Im2colOp read : all)
    plan.reads->push_back(chooseRead(read));
  return "";
}

//===----------------------------------------------------------------------===//
// Zeros and results
//===----------------------------------------------------------------------===//

std::string StorePlanner::planZeros() {
  auto *found =
      llvm::find_if(scatters, [](ScatterOp op) { return op.getZeroFill(); });
  if (found == scatters.end())
    return plan.zeroRows ? "zero_rows: there are no zeros between the rows of "
                           "the result"
                         : "";
  if (!plan.zeroRows)
    plan.zeroRows = countZeroRows(*found, tiles, room);
  std::string why = whyNoZeroRows(*found, *plan.zeroRows, tiles, room);
  if (!why.empty())
    return "zero_rows: " + why;
  if (*plan.zeroRows > 0)
    room.take(getZeroBytes(*found, *plan.zeroRows, tiles));
  return "";
}

StoreForms StorePlanner::getForms(ScatterOp op) {
  bool hasZeros = op.getZeroFill() && *plan.zeroRows == 0;
  return StoreForms(op, tiles, {/*isAhead=*/op == ahead, hasZeros});
}

/// The matrices of `wmma` pass through memory before the epilogue.
static int64_t getMatrixBytes(const KernelTiles &tiles) {
  constexpr int64_t sumBytes = 4;
  return tiles.usesMatrices()
             ? tiles.layout.getTileM() * tiles.layout.getTileN() * sumBytes
             : 0;
}

std::string StorePlanner::planForms() {
  if (plan.stores && plan.stores->size() != scatters.size())
    return formatv("stores: the kernel stores {0} tiles, but {1} are given",
                   scatters.size(), plan.stores->size());
  SmallVector<StoreForm, 2> chosen;
  room.take(getMatrixBytes(tiles));
  for (auto [number, op] : llvm::enumerate(scatters)) {
    StoreForms forms = getForms(op);
    ArrayRef<StoreForm> ways = StoreForms::getInOrder();
    if (plan.stores)
      ways = ArrayRef(*plan.stores).slice(number, 1);
    std::string why;
    const auto *way = llvm::find_if(ways, [&](StoreForm form) {
      why = forms.whyNot(form, room);
      return why.empty();
    });
    if (way == ways.end())
      return formatv("stores: {0}: {1}", stringifyStoreForm(ways.back()), why);
    chosen.push_back(*way);
    forms.takeRoom(*way, room);
  }
  if (!scatters.empty())
    plan.stores = chosen;
  return "";
}

Result<KernelPlan> conv::planStores(const KernelTiles &tiles) {
  StorePlanner planner(tiles);
  for (auto step : {&StorePlanner::checkMemory, &StorePlanner::planReads,
                    &StorePlanner::planZeros, &StorePlanner::planForms})
    if (std::string why = (planner.*step)(); !why.empty())
      return Error{why};
  return planner.getPlan();
}
