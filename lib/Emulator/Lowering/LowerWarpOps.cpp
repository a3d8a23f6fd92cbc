//===- LowerWarpOps.cpp - shuffles, votes, warp barriers ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register collectives of a warp, and bar.warp.sync.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Machine/WarpOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static emu::ShuffleSite::Kind shuffleKind(NVVM::ShflKind kind) {
  using Kind = emu::ShuffleSite::Kind;
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return Kind::Butterfly;
  case NVVM::ShflKind::up:
    return Kind::Up;
  case NVVM::ShflKind::down:
    return Kind::Down;
  case NVVM::ShflKind::idx:
    return Kind::Index;
  }
  llvm_unreachable("all kinds are listed");
}

static LogicalResult lowerShuffle(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::ShuffleSite>(op);
  site.kind = shuffleKind(cast<NVVM::ShflOp>(op).getKind());
  site.withPredicate = isa<LLVM::LLVMStructType>(op->getResult(0).getType());
  return lowering.replaceWithCall(op, site, emu::shuffle, op->getOperands());
}

static emu::VoteSite::Kind voteKind(NVVM::VoteSyncKind kind) {
  using Kind = emu::VoteSite::Kind;
  switch (kind) {
  case NVVM::VoteSyncKind::any:
    return Kind::Any;
  case NVVM::VoteSyncKind::all:
    return Kind::All;
  case NVVM::VoteSyncKind::ballot:
    return Kind::Ballot;
  case NVVM::VoteSyncKind::uni:
    return Kind::Uniform;
  }
  llvm_unreachable("all kinds are listed");
}

static LogicalResult lowerVote(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::VoteSite>(op);
  site.kind = voteKind(cast<NVVM::VoteSyncOp>(op).getKind());
  return lowering.replaceWithCall(op, site, emu::vote, op->getOperands());
}

static std::optional<emu::ReduceSite::Kind> reduceKind(NVVM::ReduxKind kind) {
  using Kind = emu::ReduceSite::Kind;
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return Kind::Add;
  case NVVM::ReduxKind::AND:
    return Kind::And;
  case NVVM::ReduxKind::OR:
    return Kind::Or;
  case NVVM::ReduxKind::XOR:
    return Kind::Xor;
  case NVVM::ReduxKind::MIN:
    return Kind::Min;
  case NVVM::ReduxKind::MAX:
    return Kind::Max;
  case NVVM::ReduxKind::UMIN:
    return Kind::UnsignedMin;
  case NVVM::ReduxKind::UMAX:
    return Kind::UnsignedMax;
  default:
    return std::nullopt;
  }
}

static LogicalResult lowerReduce(KernelLowering &lowering, Operation *op) {
  auto kind = reduceKind(cast<NVVM::ReduxOp>(op).getKind());
  if (!kind)
    return op->emitOpError("is emulated for integers only");
  auto &site = lowering.newSite<emu::ReduceSite>(op);
  site.kind = *kind;
  return lowering.replaceWithCall(op, site, emu::reduce, op->getOperands());
}

static LogicalResult lowerMasked(KernelLowering &lowering, Operation *op,
                                 emu::Handler handler) {
  auto &site = lowering.newSite<emu::MaskedSite>(op);
  site.hasMask = op->getNumOperands() != 0;
  return lowering.replaceWithCall(op, site, handler, op->getOperands());
}

static LogicalResult lowerElect(KernelLowering &lowering, Operation *op) {
  return lowerMasked(lowering, op, emu::elect);
}

static LogicalResult lowerSyncWarp(KernelLowering &lowering, Operation *op) {
  return lowerMasked(lowering, op, emu::syncWarp);
}

void mlir::conv::emulator::addWarpOps(OpTable &table) {
  table[NVVM::ShflOp::getOperationName()] = lowerShuffle;
  table[NVVM::VoteSyncOp::getOperationName()] = lowerVote;
  table[NVVM::ReduxOp::getOperationName()] = lowerReduce;
  table[NVVM::ElectSyncOp::getOperationName()] = lowerElect;
  table[NVVM::SyncWarpOp::getOperationName()] = lowerSyncWarp;
}
