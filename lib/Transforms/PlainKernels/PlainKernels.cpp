//===- PlainKernels.cpp - what marks a plain kernel -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainKernels.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

bool conv::isPlainBlock(scf::ForallOp block) {
  std::optional<ArrayAttr> mapping = block.getMapping();
  return mapping && !mapping->empty() &&
         isa<gpu::GPUThreadMappingAttr>((*mapping)[0]);
}

SmallVector<scf::ForallOp> conv::getPlainBlocks(Operation *root) {
  SmallVector<scf::ForallOp> blocks;
  root->walk([&](scf::ForallOp block) {
    if (isPlainBlock(block))
      blocks.push_back(block);
  });
  return blocks;
}

SmallVector<Attribute> conv::getPlainMapping(MLIRContext *context,
                                             size_t rank) {
  assert(rank <= kMaxPlainRank && "no more linear dimensions");
  SmallVector<Attribute> mapping;
  for (size_t i = rank; i-- > 0;)
    mapping.push_back(gpu::GPUThreadMappingAttr::get(
        context, static_cast<gpu::MappingId>(
                     static_cast<uint64_t>(gpu::MappingId::LinearDim0) + i)));
  return mapping;
}

void conv::setPlainKernel(gpu::GPUFuncOp kernel) {
  kernel->setAttr(kPlainKernelAttrName, UnitAttr::get(kernel.getContext()));
}

bool conv::isPlainKernel(gpu::GPUFuncOp kernel) {
  return kernel->hasAttr(kPlainKernelAttrName);
}

/// Bytes of an element in memory; an index is as wide as it can be.
static int64_t getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

int64_t conv::getPlainWidth(int64_t extent, TypeRange types) {
  int64_t width = 1;
  for (Type type : types)
    width = std::max(width, kPlainAccessBytes / getElementBytes(type));
  while (extent % width != 0)
    width /= 2;
  return width;
}

int64_t conv::getAlignedWidth(int64_t first, int64_t end, int64_t divisor) {
  int64_t width = divisor;
  while (first % width != 0 || first + width > end)
    width /= 2;
  return width;
}

bool conv::isGather(Operation *op) {
  return isa<linalg::LinalgOp>(op) && op->walk([](tensor::ExtractOp) {
                                          return WalkResult::interrupt();
                                        }).wasInterrupted();
}

bool conv::isRowGather(linalg::LinalgOp op) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  return isGather(op) && type.getRank() > 0 &&
         type.getShape().back() * getElementBytes(type.getElementType()) %
                 kPlainAccessBytes ==
             0;
}

bool conv::isSummedGather(Operation *op) {
  auto isReduction = [](Operation *user) {
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return reader && reader.getNumReductionLoops() > 0;
  };
  return isGather(op) && llvm::any_of(op->getUsers(), isReduction);
}

bool conv::updatesDestination(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic &&
         llvm::any_of(generic.getRegionOutputArgs(),
                      [](BlockArgument old) { return !old.use_empty(); });
}

bool conv::readsDepthwise(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return operand.getDefiningOp<DepthwiseOp>() != nullptr;
  });
}
