//===- TiedWaits.cpp - wgmma waits as inline assembly ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TiedWaits.h.
//
//===----------------------------------------------------------------------===//

#include "TiedWaits.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::conv::emulator;

std::optional<unsigned>
mlir::conv::emulator::matchTiedWait(LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  unsigned groups = 0;
  if (!text.consume_front("wgmma.wait_group.sync.aligned ") ||
      text.consumeInteger(10, groups) || text != ";" ||
      op->getNumResults() != 1)
    return std::nullopt;
  // One result for each operand.
  auto type = dyn_cast<LLVM::LLVMStructType>(op->getResult(0).getType());
  if (!type || type.getBody().size() != op->getNumOperands())
    return std::nullopt;
  auto isElement = [](Value operand) {
    return operand.getType().isF32() &&
           operand.getDefiningOp<LLVM::ExtractValueOp>();
  };
  auto isExtract = [](Operation *user) {
    return isa<LLVM::ExtractValueOp>(user);
  };
  if (!llvm::all_of(op.getOperands(), isElement) ||
      !llvm::all_of(op->getUsers(), isExtract))
    return std::nullopt;
  return groups;
}

/// Turns a tied wait into a plain one, after which the elements are extracted.
static void untieWait(OpBuilder &builder, LLVM::InlineAsmOp op,
                      unsigned groups) {
  builder.setInsertionPoint(op);
  NVVM::WgmmaWaitGroupSyncOp::create(builder, op.getLoc(), groups);
  SmallVector<Operation *> before;
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto after = cast<LLVM::ExtractValueOp>(user);
    auto source = op.getOperand(after.getPosition()[0])
                      .getDefiningOp<LLVM::ExtractValueOp>();
    builder.setInsertionPoint(after);
    after.replaceAllUsesWith(LLVM::ExtractValueOp::create(
                                 builder, after.getLoc(), source.getContainer(),
                                 source.getPosition())
                                 .getResult());
    after.erase();
  }
  for (Value operand : op.getOperands())
    before.push_back(operand.getDefiningOp());
  op.erase();
  for (Operation *extract : before)
    if (extract->use_empty())
      extract->erase();
}

void mlir::conv::emulator::untieWaits(LLVM::LLVMFuncOp kernel) {
  SmallVector<std::pair<LLVM::InlineAsmOp, unsigned>> waits;
  kernel.walk([&](LLVM::InlineAsmOp op) {
    if (std::optional<unsigned> groups = matchTiedWait(op))
      waits.push_back({op, *groups});
  });
  OpBuilder builder(kernel.getContext());
  for (auto [op, groups] : waits)
    untieWait(builder, op, groups);
}
