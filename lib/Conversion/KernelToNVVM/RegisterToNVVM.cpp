//===- RegisterToNVVM.cpp - products with a factor in registers -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.register_mma`. Output: inline PTX, since
// `nvvm.wgmma.mma_async` has descriptors only. What it adds to is tied to its
// results one by one:
//
//   %d = llvm.inline_asm "… wgmma.mma_async… {$0, …}, {$96, …}, $100, p, …",
//     "=f,…,r,r,r,r,l,0,…" %a0, %a1, %a2, %a3, %b, %e0, …
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "MatrixInstruction.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;

/// Registers of A.
static constexpr unsigned kNumA = 4;

/// "$first, …".
static std::string nameOperands(unsigned first, unsigned count) {
  auto name = [](unsigned i) { return ("$" + Twine(i)).str(); };
  return llvm::join(llvm::map_range(llvm::seq(first, first + count), name),
                    ", ");
}

static std::string getText(Type element, int64_t n, bool overwrites) {
  StringRef type = element.isBF16() ? "bf16" : "f16";
  unsigned sums = n / 2;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "{ .reg .pred p; setp.ne.b32 p, " << !overwrites
         << ", 0; wgmma.mma_async.sync.aligned.m64n" << n << "k16.f32." << type
         << "." << type << " {" << nameOperands(0, sums) << "}, {"
         << nameOperands(sums, kNumA) << "}, " << nameOperands(sums + kNumA, 1)
         << ", p, 1, 1, 0; }";
  return text;
}

static std::string getConstraints(unsigned sums) {
  SmallVector<std::string> constraints(sums, "=f");
  constraints.append(kNumA, "r");
  constraints.push_back("l");
  for (unsigned i = 0; i < sums; ++i)
    constraints.push_back(std::to_string(i));
  return llvm::join(constraints, ",");
}

namespace {
struct RegisterMmaPattern : ConvertOpToLLVMPattern<RegisterMmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(RegisterMmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<MatrixDescriptor> matrix =
        getPanelMatrix(op.getBType(), /*isMnMajor=*/false);
    if (!matrix)
      return op.emitOpError("needs a tile whose rows follow each other");
    Location loc = op.getLoc();
    SmallVector<Value> operands;
    for (ValueRange pair : adaptor.getA())
      operands.push_back(LLVM::BitcastOp::create(
          rewriter, loc, rewriter.getI32Type(), pair.front()));
    operands.push_back(
        getDescriptor(rewriter, op, *matrix, adaptor.getB().front()));
    Value accumulator = adaptor.getAccumulator().front();
    unsigned sums = op.getN() / 2;
    for (unsigned i = 0; i < sums; ++i)
      operands.push_back(
          LLVM::ExtractValueOp::create(rewriter, loc, accumulator, i));
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, accumulator.getType(), operands,
        getText(op.getBType().getElementType(), op.getN(),
                isInitialAccumulator(op.getAccumulator())),
        getConstraints(sums), /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
    return success();
  }

private:
  static Value getDescriptor(OpBuilder &builder, RegisterMmaOp op,
                             const MatrixDescriptor &matrix, Value b) {
    Location loc = op.getLoc();
    AddressMath math(builder, loc);
    MemRefDescriptor memory(b);
    Value low = math.lowWord(matrix.getLowWord(),
                             memory.alignedPtr(builder, loc), /*mn=*/Value(),
                             /*unitsPerMn=*/0, memory.offset(builder, loc),
                             op.getBType().getElementTypeBitWidth() / 8);
    int64_t units = matrix.getBytesOfK(op.getK()) >> MatrixDescriptor::kShift;
    return math.join(math.add(low, units), matrix.getHighWord());
  }
};
} // namespace

void conv::populateRegisterPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<RegisterMmaPattern>(converter);
}
