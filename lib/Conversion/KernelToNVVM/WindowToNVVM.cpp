//===- WindowToNVVM.cpp - products of taps that share a window ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `conv.window_mma`. Output: `nvvm.wgmma.mma_async` for each 16
// positions. Both operands are lines of 128 bytes, swizzled by their address,
// so that a matrix may begin at any line. In B the panels are taps: the leading
// dimension of its descriptor is the distance of two taps, however few lines
// that is, and panels overlap in memory.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "MatrixDescriptor.h"
#include "MatrixInstruction.h"

#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace mlir::conv;

/// A line, in units of matrix descriptors; positions of a group.
static constexpr int64_t kLineUnits = 128 / MatrixDescriptor::kUnit, kGroup = 8;

/// The high word of a descriptor whose groups of eight lines are so many lines
/// apart.
static int64_t getHighWord(int64_t lines) {
  constexpr int64_t swizzleOf128Bytes = 1;
  return lines * kLineUnits | swizzleOf128Bytes << 30;
}

namespace {
struct WindowMmaPattern : ConvertOpToLLVMPattern<WindowMmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WindowMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AddressMath math(rewriter, loc);
    Type elementType = cast<MemRefType>(op.getA().getType()).getElementType();
    auto lowWord = [&](Value operand, int64_t leadingLines, Value line) {
      MemRefDescriptor memory(operand);
      return math.lowWord(leadingLines * kLineUnits << 16,
                          memory.alignedPtr(rewriter, loc), line, kLineUnits,
                          memory.offset(rewriter, loc),
                          elementType.getIntOrFloatBitWidth() / 8);
    };
    SmallVector<int64_t> groups = op.getGroupLines();
    // A is one panel.
    Value lowA = lowWord(adaptor.getA(), groups.size() * kGroup, Value());
    Value lowB =
        lowWord(adaptor.getWindow(), op.getDistance(), adaptor.getLine());

    Value accumulator = adaptor.getAccumulator();
    MatrixInstruction instruction = {elementType, op.getN(),
                                     /*isMnMajorA=*/true, /*isMnMajorB=*/true,
                                     isInitialAccumulator(op.getAccumulator())};
    for (size_t i = 0; i < groups.size(); i += 2) {
      Value a = math.join(math.add(lowA, i * kGroup * kLineUnits),
                          getHighWord(kGroup));
      Value b = math.join(math.add(lowB, groups[i] * kLineUnits),
                          getHighWord(groups[i + 1] - groups[i]));
      accumulator = createMatrixInstruction(rewriter, loc, instruction,
                                            accumulator, a, b);
      instruction.overwrites = false;
    }
    rewriter.replaceOp(op, accumulator);
    return success();
  }
};
} // namespace

void conv::populateWindowPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<WindowMmaPattern>(converter);
}
