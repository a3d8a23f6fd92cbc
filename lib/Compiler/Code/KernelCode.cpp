//===- KernelCode.cpp - the code of lowered kernels -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/KernelCode.h"
#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;

/// Whether kernels convert or multiply 8-bit floats.
static bool usesFloat8(gpu::GPUModuleOp kernels) {
  WalkResult result = kernels.walk([](Operation *op) {
    bool isUse = isa<LLVM::CallIntrinsicOp, NVVM::ConvertF32x2ToF8x2Op,
                     NVVM::ConvertF8x2ToF16x2Op>(op);
    return isUse ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The lowest PTX version that knows the target and has every instruction of
/// the kernels: of those for targets up to 9.0, CUDA 12.0 and later load it,
/// 12.4 and later where there are 8-bit floats.
static std::string getPtxFeature(gpu::GPUModuleOp kernels,
                                 const convmlir::ChipInfo &chip) {
  constexpr int withFloat8 = 84;
  int version = usesFloat8(kernels) ? std::max(chip.ptxVersion, withFloat8)
                                    : chip.ptxVersion;
  return "+ptx" + std::to_string(version);
}

/// A copy of the kernels in a module of their own.
static std::pair<OwningOpRef<ModuleOp>, gpu::GPUModuleOp>
copyKernels(gpu::GPUModuleOp kernels) {
  OpBuilder builder(kernels.getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, kernels.getLoc()));
  builder.setInsertionPointToStart(module->getBody());
  auto copy = cast<gpu::GPUModuleOp>(builder.clone(*kernels));
  return {std::move(module), copy};
}

std::string conv::printKernels(gpu::GPUModuleOp kernels) {
  auto [module, copy] = copyKernels(kernels);
  // Whoever reads the text need not know the conv dialect.
  copy.walk([](LLVM::LLVMFuncOp function) {
    for (NamedAttribute attribute :
         llvm::to_vector(function->getDiscardableAttrs()))
      if (attribute.getName().strref().starts_with("conv."))
        function->removeDiscardableAttr(attribute.getName());
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  stream << '\n';
  return text;
}

/// The first function that the code calls but does not have. Math functions
/// without an instruction come from libdevice.
static std::string missingFunction(StringRef ptx) {
  auto [before, after] = ptx.split(".extern .func");
  size_t name = after.find("__nv_");
  return name == StringRef::npos ? ""
                                 : after.drop_front(name)
                                       .take_while([](char c) {
                                         return llvm::isAlnum(c) || c == '_';
                                       })
                                       .str();
}

static constexpr StringRef kJoinWords = "mov.b64 $0, {$1, $2};";

/// Whether a loop carries `value` and adds a constant to it each time.
static bool stepsInLoop(BlockArgument value) {
  Block *header = value.getOwner();
  for (auto it = header->pred_begin(); it != header->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value next = branch ? branch.getSuccessorOperands(
                              it.getSuccessorIndex())[value.getArgNumber()]
                        : Value();
    auto sum = next ? next.getDefiningOp<LLVM::AddOp>() : LLVM::AddOp();
    if (sum && sum.getLhs() == value &&
        matchPattern(sum.getRhs(), m_Constant()))
      return true;
  }
  return false;
}

/// The same of what integer arithmetic makes `value` of.
static bool followsStepsOfLoop(Value value,
                               llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return stepsInLoop(argument);
  Operation *op = value.getDefiningOp();
  if (!isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::OrOp, LLVM::AndOp,
           LLVM::ShlOp, LLVM::LShrOp, LLVM::TruncOp, LLVM::ZExtOp, LLVM::SExtOp,
           LLVM::PtrToIntOp, LLVM::GEPOp>(op) ||
      !seen.insert(op).second)
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return followsStepsOfLoop(operand, seen);
  });
}

/// The matrix descriptors that a product has; other operations have none.
static SmallVector<Value> getDescriptors(Operation *op) {
  if (auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op))
    return {product.getDescriptorA(), product.getDescriptorB()};
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || !assembly.getAsmString().contains("wgmma.mma_async"))
    return {};
  return llvm::filter_to_vector(assembly.getOperands(), [](Value operand) {
    return operand.getType().isInteger(64);
  });
}

/// Joins the two words of a matrix descriptor by an instruction that LLVM does
/// not see through, where a loop steps through its address. LLVM would make of
/// it a sum of 64 bits, whose constant high word `ptxas` 13.0 loses
/// (docs/Upstream.md). Elsewhere such an instruction costs some percent.
static void joinDescriptors(gpu::GPUModuleOp kernels) {
  llvm::SetVector<LLVM::OrOp> descriptors;
  kernels.walk([&](Operation *op) {
    for (Value operand : getDescriptors(op))
      if (auto join = operand.getDefiningOp<LLVM::OrOp>())
        descriptors.insert(join);
  });
  constexpr int wordBits = 32;
  for (LLVM::OrOp join : descriptors) {
    auto low = join.getLhs().getDefiningOp<LLVM::ZExtOp>();
    llvm::APInt high;
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (!low || !matchPattern(join.getRhs(), m_ConstantInt(&high)) ||
        !low.getArg().getType().isInteger(wordBits) ||
        !followsStepsOfLoop(low.getArg(), seen))
      continue;
    OpBuilder builder(join);
    Location loc = join.getLoc();
    Value word = LLVM::ConstantOp::create(
        builder, loc, builder.getI32Type(),
        builder.getI32IntegerAttr(int32_t(high.lshr(wordBits).getZExtValue())));
    auto joined = LLVM::InlineAsmOp::create(
        builder, loc, builder.getI64Type(), ValueRange{low.getArg(), word},
        kJoinWords, "=l,r,r", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
    join.replaceAllUsesWith(joined.getRes());
    join.erase();
  }
}

static bool joinsWords(const llvm::CallBase &call) {
  return llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString() ==
         kJoinWords;
}

/// Marks inline PTX as convergent: some of it (`bar.arrive`, `wgmma`) is for
/// all threads of a warp at once. Nothing but this keeps LLVM from copying it
/// into both branches of a condition on the lane, where each branch executes
/// it.
static void makeInlinePtxConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call && call->isInlineAsm() && !joinsWords(*call))
        call->setConvergent();
}

/// Adds constants to short integers one by one. `ptxas` 13.0 adds zero in their
/// place where one half alone of `add.s16x2` is used (docs/Upstream.md).
static void scalarizeShortSums(llvm::Module &module) {
  constexpr unsigned mostBits = 16;
  SmallVector<llvm::BinaryOperator *> sums;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (sum && llvm::isa<llvm::FixedVectorType>(sum->getType()) &&
          sum->getType()->getScalarSizeInBits() <= mostBits &&
          (sum->getOpcode() == llvm::Instruction::Add ||
           sum->getOpcode() == llvm::Instruction::Sub) &&
          llvm::any_of(sum->operands(), llvm::IsaPred<llvm::Constant>))
        sums.push_back(sum);
    }
  for (llvm::BinaryOperator *sum : sums) {
    llvm::IRBuilder<> builder(sum);
    auto *type = llvm::cast<llvm::FixedVectorType>(sum->getType());
    llvm::Value *result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Value *a = builder.CreateExtractElement(sum->getOperand(0), i);
      llvm::Value *b = builder.CreateExtractElement(sum->getOperand(1), i);
      result = builder.CreateInsertElement(
          result, builder.CreateBinOp(sum->getOpcode(), a, b), i);
    }
    sum->replaceAllUsesWith(result);
    sum->eraseFromParent();
  }
}

Result<TargetCode> conv::generateTargetCode(gpu::GPUModuleOp kernels,
                                            const std::string &target) {
  using convmlir::Engine;
  std::optional<convmlir::ChipInfo> chip = convmlir::lookupChip(target);
  if (!chip)
    return Error{"unknown target '" + target + "', expected one of " +
                 convmlir::supportedChips()};
  // LLVM would abort.
  if (usesFloat8(kernels) && !chip->has(Engine::MmaFloat8))
    return Error{"8-bit floats have instructions from " +
                 std::string(convmlir::getFirstChipWith(Engine::MmaFloat8)) +
                 " on, not on " + target};
  MLIRContext *context = kernels.getContext();
  DiagnosticCollector diagnostics(context);
  auto [module, copy] = copyKernels(kernels);

  // Operations without an LLVM intrinsic become inline PTX; the emulator takes
  // the kernels before that.
  joinDescriptors(copy);
  PassManager pm(context, ModuleOp::getOperationName());
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertNVVMToLLVMPass());
  if (failed(pm.run(*module)))
    return diagnostics.take("the kernels have no form in LLVM IR");

  TargetCode code;
  auto finishOptimized = [&](llvm::Module &optimized) {
    scalarizeShortSums(optimized);
    llvm::raw_string_ostream stream(code.llvm);
    optimized.print(stream, nullptr);
  };
  auto attribute =
      NVVM::NVVMTargetAttr::get(context, /*optLevel=*/3, "nvptx64-nvidia-cuda",
                                target, getPtxFeature(kernels, *chip));
  gpu::TargetOptions options({}, {}, {}, {}, gpu::CompilationTarget::Assembly,
                             {}, makeInlinePtxConvergent, {}, finishOptimized);
  auto interface = dyn_cast<gpu::TargetAttrInterface>(Attribute(attribute));
  std::optional<SmallVector<char, 0>> ptx;
  if (interface)
    ptx = interface.serializeToObject(copy, options);
  if (!ptx)
    return diagnostics.take("LLVM made no PTX for " + target);
  code.ptx.assign(ptx->begin(), ptx->end());
  // The text ends with a terminator for the driver.
  while (!code.ptx.empty() && code.ptx.back() == '\0')
    code.ptx.pop_back();
  if (std::string missing = missingFunction(code.ptx); !missing.empty())
    return Error{"the kernels call " + missing +
                 " of CUDA's libdevice, which was not found: expected a CUDA "
                 "toolkit in CUDA_HOME"};
  return code;
}
