//===- KernelNames.cpp - kernels by what they do --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: convolutions with schedules (F1), tiles (F3), kernels (F6). Output:
// the same; kernels have names that say what they do, for profilers.
//
// What a kernel was made for is known long before there is one. It is debug
// information, and travels as that does: in locations, which every pass hands
// on.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVNOTEOPERATIONS
#define GEN_PASS_DEF_CONVNAMEKERNELS
#include "conv/Transforms/Kernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// Names of users' locations do not begin so.
static constexpr StringLiteral kOperationNote = "conv.operation.";
static constexpr StringLiteral kRoleNote = "conv.role.";

static void note(Operation *op, const Twine &text) {
  MLIRContext *context = op->getContext();
  op->setLoc(NameLoc::get(StringAttr::get(context, text), op->getLoc()));
}

/// The first note of that kind in a location; empty: there is none.
static StringRef findNote(Location location, StringRef kind) {
  StringRef found;
  location->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name || !name.getName().getValue().starts_with(kind))
      return WalkResult::advance();
    found = name.getName().getValue().drop_front(kind.size());
    return WalkResult::interrupt();
  });
  return found;
}

/// What an operation that becomes a plain kernel is for.
static StringRef getRole(Operation *op) {
  if (isa<linalg::TransposeOp>(op))
    return "transpose";
  if (isa<linalg::FillOp>(op))
    return "fill";
  if (isa<Im2colOp>(op))
    return "im2col";
  if (isa<ScatterOp>(op))
    return "scatter";
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return "";
  if (generic.getNumReductionLoops() > 0)
    return "sum";
  // Of a slice, say, with another indexing map.
  if (llvm::hasSingleElement(*generic.getBody()))
    return "copy";
  // Where an element comes from depends on its place: padding, folding,
  // merging.
  auto dependsOnPlace = [](Operation *inner) {
    return isa<tensor::ExtractOp, linalg::IndexOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return generic.walk(dependsOnPlace).wasInterrupted() ? "copy" : "elementwise";
}

/// "bf16", or "e5m2_e4m3" of operands of two types.
static std::string getFactorNames(ConvOpInterface op) {
  std::string name = getTypeName(op.getFactorType());
  if (Type second = op.getSecondElementType();
      second != op.getSourceElementType())
    name += "_" + getTypeName(second);
  return name;
}

namespace {
struct ConvNoteOperations
    : public conv::impl::ConvNoteOperationsBase<ConvNoteOperations> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto convolution = dyn_cast<ConvOpInterface>(op)) {
        StringRef operation = op->getName().stripDialect();
        note(op,
             kOperationNote + operation + "_" + getFactorNames(convolution));
        return;
      }
      StringRef role = getRole(op);
      if (!role.empty() && !op->hasAttr(ScheduleAttr::attributeName()) &&
          findNote(op->getLoc(), kRoleNote).empty())
        note(op, kRoleNote + role);
    });
  }
};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

struct ConvNameKernels
    : public conv::impl::ConvNameKernelsBase<ConvNameKernels> {
  void runOnOperation() override;
};
} // namespace

/// "128x256x64_tma_wgmma".
static std::string describe(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(schedule.getTile(), stream, "x");
  stream << '_' << stringifyCopyKind(schedule.getCopy()) << '_'
         << stringifyMmaKind(schedule.getMma());
  return text;
}

/// The note of a kernel; where it begins with what has none, such as a
/// residual, that of what it contains.
static StringRef findNote(gpu::GPUFuncOp kernel, StringRef kind) {
  StringRef found = findNote(kernel.getLoc(), kind);
  if (found.empty())
    kernel.walk([&](Operation *op) {
      found = findNote(op->getLoc(), kind);
      return found.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
  return found;
}

/// Whether a sum is among what a plain kernel computes, unrolled or not.
static bool containsSum(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return findNote(op->getLoc(), kRoleNote) == "sum"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What a kernel does, behind its operation.
static std::string describe(gpu::GPUFuncOp kernel) {
  if (auto schedule =
          kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName()))
    return describe(schedule);
  if (kernel->hasAttr(kLoopsAttrName))
    return "depthwise";
  if (kernel->hasAttr(kSumLanesAttrName) || containsSum(kernel))
    return "sum";
  StringRef role = findNote(kernel, kRoleNote);
  return role.empty() ? "copy" : role.str();
}

/// "conv_forward_bf16_128x256x64_tma_wgmma".
static std::string nameOf(gpu::GPUFuncOp kernel) {
  std::string name = "conv_";
  StringRef operation = findNote(kernel, kOperationNote);
  if (!operation.empty())
    name += (operation + "_").str();
  return name += describe(kernel);
}

void ConvNameKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTableCollection symbols;
  llvm::StringSet<> taken;
  // Functions are not renamed: their launches say whose a kernel is.
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
    if (!kernel)
      return;
    auto host = launch->getParentOfType<func::FuncOp>();
    std::string name = nameOf(kernel);
    if (host && host.getName() != "main")
      name = (host.getName() + "_" + name).str();
    std::string unique = name;
    for (int number = 2; !taken.insert(unique).second; ++number)
      unique = name + "_" + std::to_string(number);
    kernel.setName(unique);
    launch.setKernelAttr(
        SymbolRefAttr::get(launch.getKernelModuleName(),
                           {FlatSymbolRefAttr::get(&getContext(), unique)}));
  });
}
