//===- TmaToNVVM.cpp - copies of the tensor memory accelerator ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.tma_load`, `engine.tma_store`, `engine.arrive_remote`, and
// kernels whose arguments are tensor maps. Output: `nvvm.cp.async.bulk.tensor`,
// arrivals through `nvvm.mapa`, and pointers to parameters passed by value.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes and alignment that the driver gives a tensor map.
static constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// Indices in the width that an instruction takes them, 32 bits at most.
static SmallVector<Value> toWidth(OpBuilder &builder, Location loc,
                                  ValueRange indices, unsigned width) {
  Type type = builder.getIntegerType(width);
  SmallVector<Value> results;
  for (Value index : indices)
    results.push_back(index.getType() == type
                          ? index
                          : LLVM::TruncOp::create(builder, loc, type, index));
  return results;
}

static Type getClusterPointerType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, unsigned(NVVM::NVVMMemorySpace::SharedCluster));
}

/// The destination of a load may lie in any workgroup of a cluster. An address
/// of the own one is the same among those of the cluster; a cast of address
/// spaces would go through the generic one.
static Value toClusterPointer(OpBuilder &builder, Location loc, Value pointer) {
  Type type = getClusterPointerType(builder.getContext());
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
  return LLVM::IntToPtrOp::create(builder, loc, type, address);
}

namespace {
struct TmaLoadPattern : ConvertOpToLLVMPattern<TmaLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(TmaLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value dest = getStridedElementPtr(rewriter, loc,
                                      cast<MemRefType>(op.getDest().getType()),
                                      adaptor.getDest(), adaptor.getElement());
    dest = toClusterPointer(rewriter, loc, dest);
    Value barrier = getStridedElementPtr(
        rewriter, loc,
        nvgpu::getMBarrierMemrefType(getContext(), op.getBarriers().getType()),
        adaptor.getBarriers(), adaptor.getSlot());
    auto mode = op.getOffsets().empty() ? NVVM::TMALoadMode::TILE
                                        : NVVM::TMALoadMode::IM2COL;
    Value multicast;
    if (Value workgroups = adaptor.getWorkgroups())
      multicast = toWidth(rewriter, loc, workgroups, 16).front();
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
        op, dest, adaptor.getMap(),
        toWidth(rewriter, loc, adaptor.getCoordinates(), 32), barrier,
        toWidth(rewriter, loc, adaptor.getOffsets(), 16), multicast,
        /*l2CacheHint=*/Value(), mode,
        /*isCTAOnly=*/false, /*group=*/nullptr, /*predicate=*/Value());
    return success();
  }
};

struct TmaStorePattern : ConvertOpToLLVMPattern<TmaStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(TmaStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource(), adaptor.getElement());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
        op, adaptor.getMap(), source,
        toWidth(rewriter, loc, adaptor.getCoordinates(), 32),
        /*l2CacheHint=*/Value(),
        op.getIm2col() ? NVVM::TMAStoreMode::IM2COL : NVVM::TMAStoreMode::TILE,
        /*predicate=*/Value());
    return success();
  }
};

struct ArriveRemotePattern : ConvertOpToLLVMPattern<ArriveRemoteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ArriveRemoteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value own = getStridedElementPtr(
        rewriter, loc,
        nvgpu::getMBarrierMemrefType(getContext(), op.getBarriers().getType()),
        adaptor.getBarriers(), adaptor.getSlot());
    Type remoteType = getClusterPointerType(getContext());
    for (Value rank : toWidth(rewriter, loc, adaptor.getWorkgroups(), 32)) {
      Value remote = NVVM::MapaOp::create(rewriter, loc, remoteType, own, rank);
      // At the scope of the workgroup: a release of the cluster would wait
      // until all that the thread has stored is visible.
      NVVM::MBarrierArriveOp::create(rewriter, loc, /*res=*/Type(), remote,
                                     /*count=*/Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveCopiedPattern : ConvertOpToLLVMPattern<ArriveCopiedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ArriveCopiedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value barrier = getStridedElementPtr(
        rewriter, op.getLoc(),
        nvgpu::getMBarrierMemrefType(getContext(), op.getBarriers().getType()),
        adaptor.getBarriers(), adaptor.getSlot());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncMBarrierArriveOp>(op, barrier,
                                                               /*noinc=*/true);
    return success();
  }
};
} // namespace

void conv::populateTmaPatterns(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<TmaLoadPattern, TmaStorePattern, ArriveRemotePattern,
               ArriveCopiedPattern>(converter);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

namespace {
/// A group of barriers is a variable of the module, as upstream makes it.
struct BarrierPattern : ConvertOpToLLVMPattern<nvgpu::MBarrierCreateOp> {
  BarrierPattern(const LLVMTypeConverter &converter, SymbolTable &symbols)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2), symbols(symbols) {}

  LogicalResult
  matchAndRewrite(nvgpu::MBarrierCreateOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t alignment = 8;
    MemRefType type = nvgpu::getMBarrierMemrefType(getContext(),
                                                   op.getBarriers().getType());
    rewriter.setInsertionPointToStart(&symbols.getOp()->getRegion(0).front());
    auto global = memref::GlobalOp::create(
        rewriter, op->getParentOp()->getLoc(), "__mbarrier",
        /*sym_visibility=*/rewriter.getStringAttr("private"), type,
        /*initial_value=*/Attribute(), /*constant=*/false,
        rewriter.getI64IntegerAttr(alignment));
    StringAttr name = symbols.insert(global);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<memref::GetGlobalOp>(op, type, name);
    return success();
  }

private:
  SymbolTable &symbols;
};
} // namespace

void conv::populateBarrierPattern(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  SymbolTable &symbols) {
  patterns.add<BarrierPattern>(converter, symbols);
}

//===----------------------------------------------------------------------===//
// Arguments of kernels
//===----------------------------------------------------------------------===//

conv::TensorMapArguments::TensorMapArguments(gpu::GPUModuleOp module) {
  for (auto func : module.getOps<gpu::GPUFuncOp>())
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      if (isa<nvgpu::TensorMapDescriptorType>(type))
        arguments.emplace_back(func.getNameAttr(), i);
}

void conv::TensorMapArguments::markIn(gpu::GPUModuleOp module) const {
  Builder builder(module.getContext());
  Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kTensorMapBytes);
  SymbolTable kernels(module);
  for (auto [name, number] : arguments) {
    auto func = kernels.lookup<LLVM::LLVMFuncOp>(name);
    func.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(bytes));
    func.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(kTensorMapAlignment));
    func.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                    builder.getUnitAttr());
  }
}
