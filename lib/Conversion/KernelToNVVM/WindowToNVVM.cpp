//===- WindowToNVVM.cpp - products of taps that share a window ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.window_mma`. Output: `nvvm.wgmma.mma_async` for each 16
// positions. Both operands are lines of one panel, swizzled by their address,
// so that a matrix may begin at any line; but A may be a K-major tile. In B the
// panels are taps: the leading dimension of its descriptor is the distance of
// two taps, however few lines that is, and panels overlap in memory.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "MatrixDescriptor.h"
#include "MatrixInstruction.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

/// Positions of a group.
static constexpr int64_t kGroup = 8;

namespace {
/// Lines of 32, 64 or 128 bytes, in units of matrix descriptors.
struct Lines {
  explicit Lines(MemRefType type)
      : units(type.getShape().back() * type.getElementTypeBitWidth() / 8 /
              MatrixDescriptor::kUnit) {}

  /// The high word of a descriptor whose groups of eight lines are so many
  /// lines apart. The code of the swizzle counts down from the widest.
  int64_t getHighWord(int64_t lines) const {
    int64_t swizzle = units == 8 ? 1 : units == 4 ? 2 : 3;
    return lines * units | swizzle << 30;
  }

  int64_t units;
};
} // namespace

namespace {
struct WindowMmaPattern : ConvertOpToLLVMPattern<WindowMmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WindowMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    AddressMath math(rewriter, loc);
    auto typeA = cast<MemRefType>(op.getA().getType());
    Type elementType = typeA.getElementType();
    Lines linesB(cast<MemRefType>(op.getWindow().getType()));
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    auto lowWord = [&](Value operand, int64_t constant, int64_t lineUnits,
                       Value line) {
      MemRefDescriptor memory(operand);
      return math.lowWord(constant, memory.alignedPtr(rewriter, loc), line,
                          lineUnits, memory.offset(rewriter, loc),
                          elementBytes);
    };
    SmallVector<int64_t> groups = op.getGroupLines();
    // MN-major, a tile of 64 rows is one panel.
    MatrixDescriptor matrixA(
        PanelTile(typeA.getDimSize(0), typeA.getDimSize(1), elementBytes),
        /*isMnMajor=*/!op.getKMajor());
    Value lowA =
        lowWord(adaptor.getA(), matrixA.getLowWord(), /*lineUnits=*/0, Value());
    Value lowB =
        lowWord(adaptor.getWindow(), op.getDistance() * linesB.units << 16,
                linesB.units, adaptor.getLine());

    Value accumulator = adaptor.getAccumulator();
    MatrixInstruction instruction = {/*elementTypeA=*/elementType,
                                     /*elementTypeB=*/elementType,
                                     op.getN(),
                                     /*isMnMajorA=*/!op.getKMajor(),
                                     /*isMnMajorB=*/true,
                                     isInitialAccumulator(op.getAccumulator())};
    for (size_t i = 0; i < groups.size(); i += 2) {
      int64_t unitsA =
          matrixA.getBytesOfK(i * kGroup) >> MatrixDescriptor::kShift;
      Value a = math.join(math.add(lowA, unitsA), matrixA.getHighWord());
      Value b = math.join(math.add(lowB, groups[i] * linesB.units),
                          linesB.getHighWord(groups[i + 1] - groups[i]));
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
