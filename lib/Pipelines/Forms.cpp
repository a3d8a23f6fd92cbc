//===- Forms.cpp - which form a module has --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: by what an operation tells of which forms it may be. The forms of
// a module are those that all of its operations allow.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Forms.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::conv;

std::string FormRange::text() const {
  return first == last
             ? toString(first)
             : toString(first) +
                   (static_cast<int>(last) == int(first) + 1 ? " or "
                                                             : " to ") +
                   toString(last);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

static bool hasSchedule(Operation *op) {
  return op->hasAttr(ScheduleAttr::attributeName());
}

static bool isUnscheduled(Operation *op) {
  return isa<ConvOpInterface>(op) && !hasSchedule(op);
}

static bool isScheduled(Operation *op) {
  return isa<ConvOpInterface>(op) && hasSchedule(op);
}

/// Whether a function with a body has a value of the type in its signature.
template <typename Type> static bool hasInSignature(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function && !function.isDeclaration() &&
         (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<Type>) ||
          llvm::any_of(function.getResultTypes(), llvm::IsaPred<Type>));
}

/// Neither within a loop over workgroups nor within a kernel.
static bool isOfHost(Operation *op) {
  return op->getParentOfType<func::FuncOp>() &&
         !op->getParentOfType<scf::ForallOp>();
}

static bool isMatrix(Operation *op) {
  bool isContraction = isa<linalg::LinalgOp>(op) && hasSchedule(op);
  return (isa<Im2colOp, ScatterOp>(op) || isContraction) && isOfHost(op);
}

static bool isWorkgroupLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  return loop && (hasSchedule(op) || loop.getMapping());
}

static bool isLoopOverTiles(Operation *op) {
  return isWorkgroupLoop(op) && op->getNumResults() > 0;
}

static bool isBlockProgram(Operation *op) {
  return isWorkgroupLoop(op) && op->getNumResults() == 0;
}

static bool isLaunch(Operation *op) { return isa<gpu::LaunchFuncOp>(op); }

static bool isTensorMap(Operation *op) { return isa<TensorMapOp>(op); }

static bool isKernel(Operation *op) {
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  return kernel && kernel.isKernel();
}

template <typename... Ops> static bool contains(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<Ops...>(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Its buffers have their place in shared memory.
static bool isOfThreads(Operation *op) {
  return isKernel(op) && (op->hasAttr(ConvDialect::getSharedBytesAttrName()) ||
                          contains<gpu::DynamicSharedMemoryOp>(op));
}

/// It waits for tiles that were copied ahead.
static bool hasRing(Operation *op) {
  return isKernel(op) && !isOfThreads(op) &&
         contains<gpu::BarrierOp, nvgpu::MBarrierCreateOp>(op);
}

static bool isPlainKernel(Operation *op) {
  return isKernel(op) && !isOfThreads(op) &&
         (op->hasAttr(kPlainKernelAttrName) || op->hasAttr(kLoopsAttrName));
}

static bool lacksRing(Operation *op) {
  return isKernel(op) && hasSchedule(op) && !isOfThreads(op) && !hasRing(op);
}

static bool isTargetKernel(Operation *op) {
  return isa<LLVM::LLVMFuncOp>(op) && op->getParentOfType<gpu::GPUModuleOp>() &&
         op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

namespace {
struct Mark {
  StringRef what;
  FormRange forms;
  bool (*isAt)(Operation *);
};
} // namespace

static constexpr Mark marks[] = {
    {"a convolution without a schedule", {Form::F0, Form::F0}, isUnscheduled},
    {"a convolution with a schedule", {Form::F0, Form::F1}, isScheduled},
    {"a function of tensors",
     {Form::F0, Form::F3},
     hasInSignature<RankedTensorType>},
    {"a function of buffers",
     {Form::F4, Form::F8},
     hasInSignature<BaseMemRefType>},
    {"a matrix", {Form::F2, Form::F2}, isMatrix},
    {"a loop over tiles", {Form::F3, Form::F3}, isLoopOverTiles},
    {"a block program", {Form::F4, Form::F4}, isBlockProgram},
    {"a launch", {Form::F5, Form::F8}, isLaunch},
    {"a plain kernel", {Form::F5, Form::F6}, isPlainKernel},
    {"a kernel without a ring", {Form::F5, Form::F5}, lacksRing},
    {"a kernel with a ring", {Form::F6, Form::F6}, hasRing},
    {"a kernel of threads", {Form::F7, Form::F7}, isOfThreads},
    {"a tensor map", {Form::F7, Form::F8}, isTensorMap},
    {"a kernel of the target", {Form::F8, Form::F8}, isTargetKernel},
};

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// A mark, and the operation that has it.
struct Evidence {
  Operation *op;
  const Mark *mark;
};
} // namespace

/// Which mark that was found before excludes the forms of another.
static const Evidence *findContradiction(ArrayRef<Evidence> found,
                                         FormRange forms) {
  return llvm::find_if(found, [&](const Evidence &other) {
    return !other.mark->forms.overlaps(forms);
  });
}

/// The first of each mark.
static SmallVector<Evidence> collectEvidence(Operation *root) {
  SmallVector<Evidence> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const Mark &mark : marks)
      if (mark.isAt(op) && llvm::none_of(found, [&](const Evidence &old) {
            return old.mark == &mark;
          }))
        found.push_back({op, &mark});
  });
  return found;
}

static FormRange intersect(FormRange a, FormRange b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

std::optional<FormRange> conv::guessForms(Operation *root) {
  FormRange forms;
  for (const Evidence &evidence : collectEvidence(root)) {
    if (!forms.overlaps(evidence.mark->forms))
      return std::nullopt;
    forms = intersect(forms, evidence.mark->forms);
  }
  return forms;
}

FailureOr<FormRange> conv::findForms(ModuleOp module) {
  FormRange forms;
  SmallVector<Evidence> found = collectEvidence(module);
  for (auto [i, evidence] : llvm::enumerate(found)) {
    FormRange own = evidence.mark->forms;
    ArrayRef<Evidence> before = ArrayRef(found).take_front(i);
    if (const Evidence *other = findContradiction(before, own);
        other != before.end()) {
      InFlightDiagnostic error = emitError(evidence.op->getLoc())
                                 << "expected a module of one form, but "
                                 << evidence.mark->what << " is of form "
                                 << own.text();
      error.attachNote(other->op->getLoc())
          << other->mark->what << " is of form " << other->mark->forms.text();
      return failure();
    }
    forms = intersect(forms, own);
  }
  return forms;
}
