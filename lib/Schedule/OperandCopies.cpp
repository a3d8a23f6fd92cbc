//===- OperandCopies.cpp - how operands come into shared memory -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/OperandCopies.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/RawWindow.h"
#include "conv/Schedule/Forms/ImageSlots.h"
#include "conv/Schedule/Forms/RawRowSlots.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Shape/Accesses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Limits of each way
//===----------------------------------------------------------------------===//

/// What the window of a tile is made of where it comes as it lies.
static Result<convmlir::RawWindow>
getBoxes(Im2colOp copy, ScheduleAttr schedule, KernelForm form) {
  convmlir::MatrixView view =
      copy.getView().getMatrixView(copy.getTensorShape());
  if (form != KernelForm::WgradWindow) {
    auto tile = getPaddedWindowTile(view, schedule);
    return tile ? convmlir::getRawWindow(view, *tile) : tile.takeError();
  }
  ArrayRef<int64_t> shape = copy.getMatrixType().getShape();
  Result<convmlir::Spatial> taps = convmlir::Spatial{1, 1, 1};
  if (shape.size() == 3)
    taps = convmlir::getTapBox(view.taps, view.spatialRank, shape[1]);
  if (!taps)
    return taps.takeError();
  auto block = convmlir::getWindowBlock(view, *taps, shape.front());
  return block ? convmlir::getRawWindow(view, *taps, *block)
               : block.takeError();
}

static std::string whyNoBoxes(ArrayRef<Im2colOp> copies, ScheduleAttr schedule,
                              KernelForm form) {
  for (Im2colOp copy : copies)
    if (auto boxes = getBoxes(copy, schedule, form); !boxes)
      return boxes.error();
  return "";
}

/// Threads copy pairs.
static std::string whyNoPieces(ArrayRef<Im2colOp> copies) {
  for (Im2colOp copy : copies) {
    if (!copy.readsNeighbours())
      return "pieces are of positions that are read in their order, by layers "
             "of one tap, without stride and padding";
    if (int64_t rows = copy.getView().getRowsPerImage(); rows % 2 != 0)
      return formatv("pieces are of images with an even number of positions, "
                     "but one has {0}",
                     rows);
  }
  return "";
}

static std::string whyNoImages(ArrayRef<Im2colOp> copies,
                               ScheduleAttr schedule) {
  auto slots = getImageSlots(schedule, copies);
  return slots ? "" : slots.error();
}

static std::string whyNoSkewedBoxes(ArrayRef<Im2colOp> copies,
                                    ScheduleAttr schedule) {
  if (getRawRowSlots(schedule, copies))
    return "";
  return "skewed boxes are of the left operand of forward or dgrad, of layers "
         "of one tap, in lines that TMA can copy, with room for two slots "
         "beside the ring";
}

static std::string whyNoRegisters(ArrayRef<Im2colOp> copies) {
  if (llvm::any_of(copies, [](Im2colOp copy) { return copy.getTransposed(); }))
    return "the tile is in the order of memory already, and threads would "
           "transpose it";
  return "";
}

static std::string whyNoCpAsync(ArrayRef<KernelOperand> operands) {
  for (const KernelOperand &operand : operands)
    if (operand.alignedBytes < kLeastAsyncBytes)
      return formatv("cp.async copies {0} bytes or more, but rows are aligned "
                     "to {1}",
                     +kLeastAsyncBytes, operand.alignedBytes);
  return "";
}

/// Why operands that are copied alike cannot come so; empty if they can.
static std::string whyNot(OperandCopy way, ScheduleAttr schedule,
                          KernelForm form, ArrayRef<KernelOperand> operands) {
  auto copies = llvm::map_to_vector(
      operands, [](const KernelOperand &operand) { return operand.copy; });
  switch (way) {
  case OperandCopy::CpAsync:
    return whyNoCpAsync(operands);
  case OperandCopy::Registers:
    return whyNoRegisters(copies);
  case OperandCopy::Tma:
    return "";
  case OperandCopy::Boxes:
    return whyNoBoxes(copies, schedule, form);
  case OperandCopy::SkewedBoxes:
    return whyNoSkewedBoxes(copies, schedule);
  case OperandCopy::Images:
    return whyNoImages(copies, schedule);
  case OperandCopy::Pieces:
    return whyNoPieces(copies);
  }
  llvm_unreachable("not a way to copy");
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static std::string getNames(ArrayRef<OperandCopy> ways) {
  return llvm::join(llvm::map_range(ways, stringifyOperandCopy), ", ");
}

/// Of operands that are copied alike: as given, or else the first way of the
/// form that they can come.
static Result<OperandCopy> chooseCopy(ScheduleAttr schedule, KernelForm form,
                                      ArrayRef<KernelOperand> operands,
                                      std::optional<OperandCopy> given) {
  Im2colOp first = operands.front().copy;
  bool isGathered = first.getChannelsFirst();
  ArrayRef<OperandCopy> ways = getKernelRules(form).getCopies(isGathered);
  if (given && !llvm::is_contained(ways, *given))
    return Error{
        formatv("kernels of the form '{0}' copy {1} by {2}, not by {3}",
                getInfo(form).name,
                isGathered ? "tensors with channels first" : "tiles",
                ways.empty() ? "nothing" : getNames(ways),
                stringifyOperandCopy(*given))};
  if (given)
    ways = *given;
  std::string why = "no way to copy tensors with channels first";
  for (OperandCopy way : ways) {
    why = whyNot(way, schedule, form, operands);
    if (why.empty())
      return way;
  }
  return Error{why};
}

/// Of operands with channels first, and of one tile that is both.
static bool areCopiedAlike(KernelOperand &left, KernelOperand &right) {
  return left.copy == right.copy ||
         (left.copy.getChannelsFirst() && right.copy.getChannelsFirst());
}

static Result<KernelPlan> planAlike(ScheduleAttr schedule, KernelForm form,
                                    ArrayRef<KernelOperand> operands,
                                    KernelPlan plan) {
  if (plan.left && plan.right && *plan.left != *plan.right)
    return Error{formatv("left = {0}, right = {1}: both operands are copied "
                         "alike here",
                         stringifyOperandCopy(*plan.left),
                         stringifyOperandCopy(*plan.right))};
  auto both =
      chooseCopy(schedule, form, operands, plan.left ? plan.left : plan.right);
  if (!both)
    return Error{"left and right: " + both.error()};
  plan.left = plan.right = *both;
  return plan;
}

Result<KernelPlan> conv::planCopies(ScheduleAttr schedule, KernelForm form,
                                    KernelOperand left, KernelOperand right,
                                    const KernelPlan &given) {
  KernelPlan plan = given;
  if (areCopiedAlike(left, right))
    return planAlike(schedule, form, {left, right}, plan);
  auto ofLeft = chooseCopy(schedule, form, left, given.left);
  if (!ofLeft)
    return Error{"left: " + ofLeft.error()};
  auto ofRight = chooseCopy(schedule, form, right, given.right);
  if (!ofRight)
    return Error{"right: " + ofRight.error()};
  plan.left = *ofLeft;
  plan.right = *ofRight;
  return plan;
}
