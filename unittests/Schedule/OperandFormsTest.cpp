//===- OperandFormsTest.cpp - what many schedules share
//--------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A dgrad of 16 stride phases.
constexpr char kText[] = R"(
func.func @f(%dy: tensor<2x7x7x64xbf16>, %w: tensor<64x3x3x64xbf16>,
             %dx: tensor<2x28x28x64xbf16>) -> tensor<2x28x28x64xbf16> {
  %r = conv.dgrad ins(%dy, %w : tensor<2x7x7x64xbf16>, tensor<64x3x3x64xbf16>)
         outs(%dx : tensor<2x28x28x64xbf16>) stride [4, 4]
         -> tensor<2x28x28x64xbf16>
  return %r : tensor<2x28x28x64xbf16>
})";

class OperandFormsTest : public ::testing::Test {
protected:
  OperandFormsTest() {
    context.loadDialect<ConvDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kText, &context);
    module->walk([&](ConvOpInterface found) { op = found; });
  }

  ScheduleAttr getSchedule(int64_t m, int64_t stages, MmaKind mma) {
    return ScheduleAttr::get(&context, {.tile = {m, 64, 64},
                                        .warps = {4, 1},
                                        .stages = stages,
                                        .copy = CopyKind::Tma,
                                        .mma = mma});
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ConvOpInterface op;
};

/// However many candidates there are: once as a shape, and once as views.
TEST_F(OperandFormsTest, PhasesAreDerivedOnceForAllTiles) {
  OperandForms forms(op);
  for (int64_t m : {64, 128, 192, 256})
    for (int64_t stages : {3, 4, 5})
      EXPECT_EQ(forms.whyNoTma(getSchedule(m, stages, MmaKind::Wgmma)), "");
  EXPECT_EQ(forms.countDerivations(), 2);
  EXPECT_EQ(
      forms.getGemmShape(getSchedule(64, 3, MmaKind::Wgmma)).phases.size(),
      16u);
  EXPECT_EQ(forms.countDerivations(), 2);
}

/// The instruction decides whether operands are transposed.
TEST_F(OperandFormsTest, AnotherInstructionIsAnotherForm) {
  OperandForms forms(op);
  forms.whyNoTma(getSchedule(64, 3, MmaKind::Wgmma));
  forms.whyNoTma(getSchedule(64, 3, MmaKind::MmaSync));
  EXPECT_EQ(forms.countDerivations(), 4);
}

/// One answer is what all others of its kind are.
TEST_F(OperandFormsTest, RulesAnswerAsTheyDoAlone) {
  ChipInfo chip = *lookupChip("sm_90a");
  ScheduleRules rules(op, chip);
  for (MmaKind mma : {MmaKind::Wgmma, MmaKind::MmaSync})
    for (int64_t m : {64, 128, 200})
      for (int64_t stages : {3, 30})
        EXPECT_EQ(rules.whyCannotRun(getSchedule(m, stages, mma)),
                  whyCannotRun(op, getSchedule(m, stages, mma), chip));
}

} // namespace
