//===- LowerWmma.cpp - wmma.load, wmma.mma, wmma.store --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.wmma.load, nvvm.wmma.mma and nvvm.wmma.store of f16 and tf32 with sums
// in f32, on shared memory.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Matrices/WmmaOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static LogicalResult checkShared(Operation *op, Value pointer) {
  auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
  if (type.getAddressSpace() == unsigned(NVVM::NVVMMemorySpace::Shared))
    return success();
  return op->emitOpError("is emulated for shared memory only");
}

/// A factor or the sums: what the runtime knows of a type.
static std::optional<emu::MmaElement> getFactor(NVVM::MMATypes type) {
  if (type == NVVM::MMATypes::f16)
    return emu::MmaElement::F16;
  if (type == NVVM::MMATypes::tf32)
    return emu::MmaElement::TF32;
  return std::nullopt;
}

static unsigned getBytes(NVVM::MMATypes type) {
  return type == NVVM::MMATypes::f16 ? 2 : 4;
}

/// A matrix whose registers of a lane have so many bytes.
static emu::WmmaMatrix getMatrix(unsigned rows, unsigned columns,
                                 NVVM::MMALayout layout, unsigned elementBytes,
                                 unsigned laneBytes) {
  emu::WmmaMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.isColumnMajor = layout == NVVM::MMALayout::col;
  matrix.elementBytes = elementBytes;
  matrix.laneElements = laneBytes / elementBytes;
  return matrix;
}

static LogicalResult lowerLoad(KernelLowering &lowering, Operation *op) {
  auto load = cast<NVVM::WMMALoadOp>(op);
  NVVM::MMATypes type = load.getEltype();
  bool isSum = load.getFrag() == NVVM::MMAFrag::c;
  if (failed(checkShared(op, load.getPtr())))
    return failure();
  if (isSum ? type != NVVM::MMATypes::f32 : !getFactor(type))
    return op->emitOpError("is emulated for f16 and tf32, and sums in f32");
  unsigned rows =
      load.getFrag() == NVVM::MMAFrag::b ? load.getK() : load.getM();
  unsigned columns =
      load.getFrag() == NVVM::MMAFrag::a ? load.getK() : load.getN();
  auto &site = lowering.newSite<emu::WmmaMemorySite>(op);
  site.matrix = getMatrix(rows, columns, load.getLayout(), getBytes(type),
                          hostBytes(load.getRes().getType()));
  return lowering.replaceWithCall(op, site, emu::loadWmma, op->getOperands());
}

static unsigned countBytes(ValueRange registers) {
  unsigned bytes = 0;
  for (Value value : registers)
    bytes += hostBytes(value.getType());
  return bytes;
}

static LogicalResult lowerStore(KernelLowering &lowering, Operation *op) {
  auto store = cast<NVVM::WMMAStoreOp>(op);
  if (failed(checkShared(op, store.getPtr())))
    return failure();
  if (store.getEltype() != NVVM::MMATypes::f32)
    return op->emitOpError("is emulated for sums in f32");
  auto &site = lowering.newSite<emu::WmmaMemorySite>(op);
  site.matrix =
      getMatrix(store.getM(), store.getN(), store.getLayout(),
                getBytes(store.getEltype()), countBytes(store.getArgs()));
  return lowering.replaceWithCall(op, site, emu::storeWmma, op->getOperands());
}

/// Of A, B and C. Those of A and of B are alike, and C has eight numbers.
static unsigned countFactorRegisters(NVVM::WMMAMmaOp product) {
  constexpr unsigned sums = 8;
  return (product.getArgs().size() - sums) / 2;
}

static LogicalResult lowerProduct(KernelLowering &lowering, Operation *op) {
  auto product = cast<NVVM::WMMAMmaOp>(op);
  std::optional<emu::MmaElement> element = getFactor(product.getEltypeA());
  if (!element || product.getEltypeB() != NVVM::MMATypes::f32 ||
      product.getM() != 16 || product.getN() != 16)
    return op->emitOpError(
        "is emulated for 16x16 sums in f32 of f16 and tf32 only");
  unsigned factors = countFactorRegisters(product);
  OperandRange registers = product.getArgs();
  unsigned bytes = getBytes(product.getEltypeA());
  auto &site = lowering.newSite<emu::WmmaProductSite>(op);
  site.element = *element;
  site.aRegisters = site.bRegisters = factors;
  site.a = getMatrix(product.getM(), product.getK(), product.getLayoutA(),
                     bytes, countBytes(registers.take_front(factors)));
  site.b = getMatrix(product.getK(), product.getN(), product.getLayoutB(),
                     bytes, countBytes(registers.slice(factors, factors)));
  site.c =
      getMatrix(product.getM(), product.getN(), NVVM::MMALayout::row,
                sizeof(float), countBytes(registers.drop_front(2 * factors)));
  return lowering.replaceWithCall(op, site, emu::multiplyWmma, registers);
}

void mlir::conv::emulator::addWmmaOps(OpTable &table) {
  table[NVVM::WMMALoadOp::getOperationName()] = lowerLoad;
  table[NVVM::WMMAMmaOp::getOperationName()] = lowerProduct;
  table[NVVM::WMMAStoreOp::getOperationName()] = lowerStore;
}
