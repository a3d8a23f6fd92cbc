//===- KernelToNVVM.cpp - kernels to the nvvm and llvm dialects -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-conv-kernel-to-nvvm: F7 without regions and compound views in, F8
// out. See Passes.td for why this is one pass.
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/Passes.h"

#include "Bf16MmaSync.h"
#include "ExpandMath.h"
#include "Float8Conversions.h"
#include "HopperToNVVM.h"
#include "WmmaFactors.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTCONVKERNELTONVVM
#include "conv/Conversion/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;

/// Bits that the index of any element needs, also of those that rows past a
/// matrix and taps outside of a tensor would have: hence a bit to spare. A
/// buffer that only TMA reads is no argument, and its size does not matter.
static unsigned takeIndexBitwidth(Operation *module) {
  unsigned bits = module->removeAttr(conv::kWideIndicesAttrName) ? 64 : 32;
  module->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes()) {
          auto memref = dyn_cast<MemRefType>(type);
          if (memref && memref.hasStaticShape() &&
              memref.getNumElements() >= conv::kWideIndices)
            bits = 64;
        }
  });
  return bits;
}

/// Vector operations in terms of those that have a counterpart in LLVM.
static LogicalResult simplifyVectors(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  conv::populateAccumulatorSelectPatterns(patterns);
  conv::populateFloat8ConversionPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// The name of the function that a target has no instruction for, in f64; empty
/// for other operations. LLVM would end the process for want of a library.
static StringRef getFunctionOfF64(Operation *op) {
  bool isFunction =
      isa<LLVM::ACosOp, LLVM::ASinOp, LLVM::ATanOp, LLVM::ATan2Op, LLVM::CosOp,
          LLVM::CoshOp, LLVM::Exp10Op, LLVM::Exp2Op, LLVM::ExpOp, LLVM::Log10Op,
          LLVM::Log2Op, LLVM::LogOp, LLVM::PowIOp, LLVM::PowOp, LLVM::SinOp,
          LLVM::SinhOp, LLVM::TanOp, LLVM::TanhOp>(op);
  if (!isFunction || !getElementTypeOrSelf(op->getResult(0).getType()).isF64())
    return "";
  StringRef name = op->getName().getStringRef();
  name.consume_front("llvm.intr.");
  return name;
}

/// Whether it is an operation on numbers that the conversion has no pattern
/// for.
static bool isUnconverted(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

/// Functions that are left have become calls into libdevice, or of what an
/// allocation became: of a tensor that is read, but that nothing wrote.
static LogicalResult refuseCalls(Operation *module) {
  WalkResult result = module->walk([](Operation *op) -> WalkResult {
    if (StringRef name = getFunctionOfF64(op); !name.empty())
      return op->emitError() << "a kernel has no code for '" << name
                             << "' of f64: CUDA's libdevice is not linked";
    if (isUnconverted(op))
      return op->emitError()
             << "a kernel has no code for '" << op->getName() << "'";
    auto call = dyn_cast<LLVM::CallOp>(op);
    std::optional<StringRef> callee =
        call ? call.getCallee() : std::optional<StringRef>();
    if (callee && callee->starts_with("__nv_"))
      return call.emitError() << "a kernel has no code for '" << *callee
                              << "': CUDA's libdevice is not linked";
    if (callee && *callee == "malloc")
      return call.emitError() << "a kernel cannot allocate memory: expected "
                                 "tensors that are written before they are "
                                 "read";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The conversion of gpu.func knows only an upper bound of the block size.
static void requireBlockSize(Operation *module) {
  StringRef upperBound = NVVM::NVVMDialect::getMaxntidAttrName();
  module->walk([&](LLVM::LLVMFuncOp func) {
    if (Attribute size = func->removeAttr(upperBound))
      func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
  });
}

/// ptxas ignores `setmaxnreg` unless it knows the registers that a kernel
/// starts with: those that one workgroup of a multiprocessor can have, where
/// nothing else is asked for.
static void boundRegisters(gpu::GPUModuleOp module) {
  StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
  module.walk([&](NVVM::SetMaxRegisterOp op) {
    auto func = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!func->hasAttr(name))
      func->setAttr(name, Builder(op).getI32IntegerAttr(1));
  });
}

/// The conversion of dynamic shared memory makes an internal variable of no
/// bytes, to which the NVPTX backend gives a static place. An external one is
/// the memory that the launch adds, and its start is aligned as a tile asks.
static void makeDynamicMemoryExternal(gpu::GPUModuleOp module) {
  constexpr int64_t tileAlignment = 1024;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (global.getAddrSpace() != unsigned(NVVM::NVVMMemorySpace::Shared) ||
        !type || type.getNumElements() != 0)
      continue;
    global.setLinkage(LLVM::Linkage::External);
    global.setAlignment(tileAlignment);
  }
}

/// The gemm-k loop has been unrolled as far as it should be. ptxas would repeat
/// its body once more for each constant trip, until registers run out.
static void keepLoopsRolled(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true),
                                          {}, {}, {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  DominanceInfo dominance(module);
  module.walk([&](LLVM::BrOp branch) {
    if (dominance.dominates(branch.getDest(), branch->getBlock()))
      branch.setLoopAnnotationAttr(annotation);
  });
}

namespace {
struct KernelToNVVM : conv::impl::ConvertConvKernelToNVVMBase<KernelToNVVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    conv::TensorMapArguments tensorMaps(module);
    if (failed(conv::expandMath(module)) || failed(simplifyVectors(module)) ||
        failed(convert(module)) || failed(refuseCalls(module)))
      return signalPassFailure();
    conv::roundWmmaFactors(module);
    tensorMaps.markIn(module);
    requireBlockSize(module);
    boundRegisters(module);
    keepLoopsRolled(module);
    makeDynamicMemoryExternal(module);
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(takeIndexBitwidth(module));
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(&getContext(), options);
    configureGpuToNVVMTypeConverter(converter);
    nvgpu::populateCommonGPUTypeAndAttributeConversions(converter);
    conv::addHopperTypeConversions(converter);

    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    // Its calls of library functions come after math's instructions.
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/0);
    populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
    conv::populateBf16MmaSyncPattern(converter, patterns);
    conv::populateFloat8LdMatrixPattern(converter, patterns);
    conv::populateTmaPatterns(converter, patterns);
    SymbolTable symbols(module);
    conv::populateBarrierPattern(converter, patterns, symbols);
    conv::populateWarpgroupPatterns(converter, patterns);

    LLVMConversionTarget target(getContext());
    configureGpuToNVVMConversionLegality(target);
    // These are instructions; upstream prefers library calls.
    target.addLegalOp<LLVM::CopySignOp, LLVM::FAbsOp, LLVM::FCeilOp,
                      LLVM::FFloorOp, LLVM::FTruncOp, LLVM::RintOp,
                      LLVM::RoundEvenOp, LLVM::SqrtOp>();
    target.addDynamicallyLegalOp<LLVM::Exp2Op>([](LLVM::Exp2Op op) {
      return getElementTypeOrSelf(op.getType()).isF32();
    });
    return applyPartialConversion(module, target, std::move(patterns));
  }
};
} // namespace
