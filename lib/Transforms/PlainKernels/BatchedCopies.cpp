//===- BatchedCopies.cpp - several narrow accesses of a thread ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F4, an scf.forall over threads, each of which copies one vector.
// Output: the same with fewer threads, each of which copies as many vectors as
//         make up an access of the widest kind.
//
// What bounds such a copy are the bytes on their way: a multiprocessor has a
// limited number of threads, and each waits for what it reads.
//
//===----------------------------------------------------------------------===//

#include "BatchedCopies.h"
#include "PlainKernels.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::conv;

/// Threads of a large chip: with fewer, some would have nothing to do.
static constexpr int64_t kLeastThreads = 1024 * kPlainThreads;

/// The write of a thread that copies one vector, of at most one dimension, and
/// does nothing else; or null.
static vector::TransferWriteOp findCopy(scf::ForallOp block) {
  vector::TransferReadOp read;
  vector::TransferWriteOp write;
  for (Operation &op : block.getBody()->without_terminator()) {
    if (auto other = dyn_cast<vector::TransferReadOp>(op)) {
      if (read)
        return nullptr;
      read = other;
    } else if (auto other = dyn_cast<vector::TransferWriteOp>(op)) {
      if (write)
        return nullptr;
      write = other;
    } else if (op.getNumRegions() > 0 || !isMemoryEffectFree(&op)) {
      return nullptr;
    }
  }
  return read && write && write.getVectorType().getRank() <= 1 ? write
                                                               : nullptr;
}

/// The outermost index whose extent is divided by the most vectors, and their
/// number.
static std::pair<size_t, int64_t> chooseIndex(ArrayRef<int64_t> extents,
                                              int64_t most) {
  int64_t threads = llvm::product_of(extents, int64_t(1));
  for (int64_t number = most; number > 1; number /= 2)
    for (auto [i, extent] : llvm::enumerate(extents))
      if (extent % number == 0 && threads / number >= kLeastThreads)
        return {i, number};
  return {0, 1};
}

void conv::batchCopies(RewriterBase &rewriter, scf::ForallOp block) {
  vector::TransferWriteOp write = findCopy(block);
  if (!write)
    return;
  VectorType type = write.getVectorType();
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> extents(block.getStaticUpperBound());
  auto [index, number] =
      chooseIndex(extents, kPlainAccessBytes / std::max<int64_t>(bytes, 1));
  if (number == 1)
    return;
  extents[index] /= number;
  Location loc = block.getLoc();
  rewriter.setInsertionPoint(block);
  auto shorter = scf::ForallOp::create(
      rewriter, loc, getAsIndexOpFoldResult(rewriter.getContext(), extents),
      ValueRange(), block.getMapping());
  rewriter.setInsertionPoint(shorter.getTerminator());
  SmallVector<IRMapping> copies(number);
  for (auto [i, mapping] : llvm::enumerate(copies)) {
    SmallVector<Value> indices(shorter.getInductionVars());
    indices[index] = affine::AffineApplyOp::create(
        rewriter, loc,
        AffineMap::get(
            1, 0, rewriter.getAffineDimExpr(0) + int64_t(i) * extents[index]),
        indices[index]);
    mapping.map(block.getInductionVars(), indices);
    for (Operation &op : block.getBody()->without_terminator())
      if (&op != write)
        rewriter.clone(op, mapping);
  }
  for (IRMapping &mapping : copies)
    rewriter.clone(*write, mapping);
  rewriter.eraseOp(block);
}
