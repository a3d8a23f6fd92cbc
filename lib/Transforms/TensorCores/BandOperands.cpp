//===- BandOperands.cpp - registers and copies of bands -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BandOperands.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

Value conv::allocBandMemory(OpBuilder &builder, Location loc, int64_t elements,
                            Type type) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return memref::AllocOp::create(
      builder, loc,
      MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space));
}

void conv::copyBandChunk(IndexMath &math, Value source, Value from, Value ring,
                         Value to, Value inside) {
  OpBuilder &builder = math.getBuilder();
  nvgpu::DeviceAsyncCopyOp::create(
      builder, math.getLoc(),
      nvgpu::DeviceAsyncTokenType::get(builder.getContext()), ring, to, source,
      math.select(inside, from, math.constant(0)),
      builder.getIndexAttr(kBandChunk),
      math.select(inside, math.constant(kBandChunk), math.constant(0)),
      builder.getUnitAttr());
}

Value conv::loadBandChannels(OpBuilder &builder, Location loc, Value memory,
                             Value index, int64_t channels) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  return vector::LoadOp::create(
      builder, loc, VectorType::get(channels, element), memory, index,
      /*nontemporal=*/false, llvm::MaybeAlign(channels * 2));
}

Value conv::pairChannel(OpBuilder &builder, Location loc, Value first,
                        Value second, int64_t channel) {
  SmallVector<Value> values;
  for (Value place : {first, second})
    values.push_back(vector::ExtractOp::create(builder, loc, place, channel));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get(2, values.front().getType()), values);
}

Value conv::joinRegisters(OpBuilder &builder, Location loc,
                          ArrayRef<Value> registers) {
  auto type = cast<VectorType>(registers.front().getType());
  auto factorType =
      VectorType::get({int64_t(registers.size()), 2}, type.getElementType());
  Value factor =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(factorType));
  for (auto [i, value] : llvm::enumerate(registers))
    factor = vector::InsertOp::create(builder, loc, value, factor, i);
  return factor;
}
