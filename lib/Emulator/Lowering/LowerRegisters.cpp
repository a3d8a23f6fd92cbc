//===- LowerRegisters.cpp - special registers -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.read.ptx.sreg.* become loads from the head of the thread.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Machine/ThreadAbi.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using emu::SpecialRegisters;

template <unsigned Offset>
static LogicalResult lowerRegister(KernelLowering &lowering, Operation *op) {
  lowering.replaceWithRegister(op,
                               offsetof(emu::ThreadAbi, registers) + Offset);
  return success();
}

/// One register of a triple x, y, z.
template <typename Op, unsigned Offset> static void add(OpTable &table) {
  table[Op::getOperationName()] = lowerRegister<Offset>;
}

template <typename X, typename Y, typename Z, unsigned Offset>
static void addTriple(OpTable &table) {
  add<X, Offset>(table);
  add<Y, Offset + 4>(table);
  add<Z, Offset + 8>(table);
}

#define REGISTER(FIELD) offsetof(SpecialRegisters, FIELD)

static void addPositions(OpTable &table) {
  addTriple<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp,
            REGISTER(tid)>(table);
  addTriple<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp,
            REGISTER(ntid)>(table);
  addTriple<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp,
            REGISTER(ctaid)>(table);
  addTriple<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp,
            REGISTER(nctaid)>(table);
  addTriple<NVVM::ClusterIdXOp, NVVM::ClusterIdYOp, NVVM::ClusterIdZOp,
            REGISTER(clusterid)>(table);
  addTriple<NVVM::ClusterDimXOp, NVVM::ClusterDimYOp, NVVM::ClusterDimZOp,
            REGISTER(nclusterid)>(table);
  addTriple<NVVM::BlockInClusterIdXOp, NVVM::BlockInClusterIdYOp,
            NVVM::BlockInClusterIdZOp, REGISTER(clusterCtaid)>(table);
  addTriple<NVVM::ClusterDimBlocksXOp, NVVM::ClusterDimBlocksYOp,
            NVVM::ClusterDimBlocksZOp, REGISTER(clusterNctaid)>(table);
  add<NVVM::ClusterId, REGISTER(clusterCtarank)>(table);
  add<NVVM::ClusterDim, REGISTER(clusterNctarank)>(table);
}

static void addLanesAndSizes(OpTable &table) {
  add<NVVM::LaneIdOp, REGISTER(laneid)>(table);
  add<NVVM::WarpIdOp, REGISTER(warpid)>(table);
  add<NVVM::WarpDimOp, REGISTER(nwarpid)>(table);
  add<NVVM::WarpSizeOp, REGISTER(warpSize)>(table);
  add<NVVM::LaneMaskEqOp, REGISTER(lanemaskEq)>(table);
  add<NVVM::LaneMaskLtOp, REGISTER(lanemaskLt)>(table);
  add<NVVM::LaneMaskLeOp, REGISTER(lanemaskLe)>(table);
  add<NVVM::LaneMaskGtOp, REGISTER(lanemaskGt)>(table);
  add<NVVM::LaneMaskGeOp, REGISTER(lanemaskGe)>(table);
  add<NVVM::SmIdOp, REGISTER(smid)>(table);
  add<NVVM::SmDimOp, REGISTER(nsmid)>(table);
  add<NVVM::GridIdOp, REGISTER(gridid)>(table);
  add<NVVM::TotalSmemSize, REGISTER(totalSharedBytes)>(table);
  add<NVVM::DynamicSmemSize, REGISTER(dynamicSharedBytes)>(table);
}

void mlir::conv::emulator::addRegisterOps(OpTable &table) {
  addPositions(table);
  addLanesAndSizes(table);
}
