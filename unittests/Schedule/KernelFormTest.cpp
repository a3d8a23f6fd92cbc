//===- KernelFormTest.cpp - the forms of kernels and their rules ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledProblem.h"

#include "conv/Schedule/KernelRules.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/SmallSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

class KernelFormTest : public ::testing::Test {
protected:
  KernelFormTest() { context.loadDialect<ConvDialect>(); }

  ScheduleAttr read(const std::string &keys) {
    return dyn_cast_or_null<ScheduleAttr>(
        parseAttribute("#conv.schedule<" + keys + ">", &context));
  }

  MLIRContext context;
};

/// A schedule of each form, with no key but those that make it.
struct Example {
  KernelForm form;
  const char *keys;
  int64_t resultTaps = 1;
};

constexpr char kWgmma[] =
    "algorithm=implicit_gemm tile=64x64x64 stages=3 copy=tma mma=wgmma ";

const Example kExamples[] = {
    {KernelForm::Loops, "algorithm=loops tile=4x8x1 warps=1x1 stages=1 "
                        "copy=cp_async mma=fma"},
    {KernelForm::Bands, "algorithm=loops tile=8x32x8 warps=1x8 stages=3 "
                        "copy=cp_async mma=mma_sync"},
    {KernelForm::Tiles, "algorithm=implicit_gemm tile=64x64x32 warps=2x2 "
                        "stages=3 copy=cp_async mma=mma_sync"},
    {KernelForm::SyncTiles, "algorithm=implicit_gemm tile=64x64x32 warps=2x2 "
                            "stages=3 copy=sync mma=mma_sync"},
    {KernelForm::ProducerTiles, "algorithm=implicit_gemm tile=64x64x32 "
                                "warps=2x2 stages=3 copy=tma mma=mma_sync"},
    {KernelForm::Panels, "warps=4x1"},
    {KernelForm::Window, "warps=4x1 window=true"},
    {KernelForm::WgradWindow, "warps=4x1 window=true", 9},
    {KernelForm::Swapped, "warps=1x4"},
    {KernelForm::SwappedWindow, "warps=1x4 window=true"},
    {KernelForm::ImageTaps, "warps=1x4 window=true k-major=true", 9},
    {KernelForm::Kn2row, "warps=4x1 kn2row=true"},
};

std::string getText(const Example &example) {
  std::string keys = example.keys;
  return StringRef(keys).starts_with("algorithm") ? keys : kWgmma + keys;
}

TEST_F(KernelFormTest, EveryFormHasAnExample) {
  ASSERT_EQ(std::size(kExamples), getKernelForms().size());
  for (auto [example, info] : llvm::zip(kExamples, getKernelForms())) {
    EXPECT_EQ(example.form, info.form);
    ScheduleAttr schedule = read(getText(example));
    ASSERT_TRUE(schedule) << example.keys;
    EXPECT_EQ(getKernelForm(schedule, example.resultTaps), example.form)
        << example.keys;
    EXPECT_EQ(whyNotOfForm(schedule.getFields(), example.form), "");
    EXPECT_EQ(whyNoPair(schedule.getFields(), example.form), "");
  }
}

/// The refusal says with what the products go.
TEST_F(KernelFormTest, PairsOfEnginesThatNoFormHasAreRefused) {
  for (auto [keys, why] :
       {std::pair("copy=cp_async mma=wgmma", "mma=wgmma goes with copy=tma"),
        std::pair("copy=tma mma=fma",
                  "mma=fma goes with copy=cp_async or copy=sync")}) {
    ScheduleFields fields =
        read("algorithm=implicit_gemm tile=64x64x64 warps=4x1 stages=3 " +
             std::string(keys))
            .getFields();
    EXPECT_EQ(whyNoPair(fields, getKernelForm(fields)), why);
  }
}

/// One value of each key that is not its default.
constexpr std::pair<ScheduleKey, const char *> kValues[] = {
    {ScheduleKey::Split, "2"},         {ScheduleKey::Cluster, "2x1"},
    {ScheduleKey::Resident, "2"},      {ScheduleKey::Teams, "2"},
    {ScheduleKey::Window, "true"},     {ScheduleKey::Staging, "32"},
    {ScheduleKey::Tail, "even"},       {ScheduleKey::Merge, "2"},
    {ScheduleKey::Fold, "1x1"},        {ScheduleKey::Gather, "true"},
    {ScheduleKey::KMajor, "true"},     {ScheduleKey::Kn2row, "true"},
    {ScheduleKey::Reading, "strided"},
};

TEST_F(KernelFormTest, KeysThatAFormLacksAreRefusedByName) {
  for (const Example &example : kExamples)
    for (auto [key, value] : kValues) {
      ScheduleFields fields = read(getText(example)).getFields();
      if (!isDefault(fields, key))
        continue; // It makes the form.
      ASSERT_TRUE(setScheduleField(fields, key, readScheduleValue(value)));
      std::string why = whyNotOfForm(fields, example.form);
      const KernelFormInfo &info = getInfo(example.form);
      EXPECT_EQ(why.empty(), info.goesWith(key)) << why;
      if (!why.empty()) {
        EXPECT_TRUE(StringRef(why).starts_with(getFieldText(fields, key)))
            << why;
        EXPECT_NE(why.find(info.written.str()), std::string::npos) << why;
      }
    }
}

/// What a form offers is of that form and legal, and has a time.
TEST_F(KernelFormTest, CandidatesAreOfTheirForm) {
  ChipInfo chip = *lookupChip("sm_90a");
  for (const char *kind : {"forward", "dgrad", "wgrad"}) {
    ScheduledProblem problem(context, kind, 8, 64, 28, 64);
    ASSERT_TRUE(problem.op) << kind;
    GemmShape gemm = getGemmShape(problem.op, Algorithm::ImplicitGemm,
                                  /*merge=*/1, MmaKind::Wgmma);
    size_t all = 0;
    for (const KernelFormInfo &info : getKernelForms()) {
      if (isOfLoops(info.form))
        continue;
      SmallVector<RankedSchedule> ranked;
      getKernelRules(info.form).addCandidates(
          {&context, gemm, chip, Algorithm::ImplicitGemm}, ranked);
      all += ranked.size();
      for (const RankedSchedule &candidate : ranked) {
        std::string text = toString(candidate.schedule);
        EXPECT_EQ(getKernelForm(candidate.schedule, gemm.wgrad.resultTaps),
                  info.form)
            << text;
        EXPECT_EQ(whyIllegal(candidate.schedule, gemm, chip), "") << text;
        EXPECT_GT(candidate.time, 0) << text;
      }
    }
    EXPECT_GT(all, 100u) << kind;
  }
}

/// Convolutions, each of which some forms serve well.
const char *const kProblems[] = {
    R"(func.func @forward(%a: tensor<1x8x9x32xf16>, %b: tensor<32x3x3x32xf16>, %r0: tensor<1x8x9x32xf16>) -> tensor<1x8x9x32xf16> {
      %r = conv.forward ins(%a, %b : tensor<1x8x9x32xf16>, tensor<32x3x3x32xf16>) outs(%r0 : tensor<1x8x9x32xf16>) pad [1, 1] -> tensor<1x8x9x32xf16>
      return %r : tensor<1x8x9x32xf16>
    })",
    R"(func.func @depthwise(%a: tensor<64x28x28x96xf16>, %b: tensor<64x28x28x96xf16>, %r0: tensor<96x7x7x1xf16>) -> tensor<96x7x7x1xf16> {
      %r = conv.wgrad ins(%a, %b : tensor<64x28x28x96xf16>, tensor<64x28x28x96xf16>) outs(%r0 : tensor<96x7x7x1xf16>) pad [3, 3] groups 96 -> tensor<96x7x7x1xf16>
      return %r : tensor<96x7x7x1xf16>
    })",
    R"(func.func @wgrad(%a: tensor<8x28x28x64xf16>, %b: tensor<8x28x28x64xf16>, %r0: tensor<64x3x3x64xf16>) -> tensor<64x3x3x64xf16> {
      %r = conv.wgrad ins(%a, %b : tensor<8x28x28x64xf16>, tensor<8x28x28x64xf16>) outs(%r0 : tensor<64x3x3x64xf16>) pad [1, 1] -> tensor<64x3x3x64xf16>
      return %r : tensor<64x3x3x64xf16>
    })",
    R"(func.func @channels_first(%a: tensor<16x64x56x56xf16>, %b: tensor<64x64x3x3xf16>, %r0: tensor<16x64x56x56xf16>) -> tensor<16x64x56x56xf16> {
      %r = conv.forward ins(%a, %b : tensor<16x64x56x56xf16>, tensor<64x64x3x3xf16>) outs(%r0 : tensor<16x64x56x56xf16>) pad [1, 1] layout nchw -> tensor<16x64x56x56xf16>
      return %r : tensor<16x64x56x56xf16>
    })",
    R"(func.func @images_first(%a: tensor<2x64x8x28xf16>, %b: tensor<2x64x8x28xf16>, %r0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
      %r = conv.wgrad ins(%a, %b : tensor<2x64x8x28xf16>, tensor<2x64x8x28xf16>) outs(%r0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<64x64x3x3xf32>
      return %r : tensor<64x64x3x3xf32>
    })",
    R"(func.func @matrix(%a: tensor<2x28x28x256xf16>, %b: tensor<512x1x1x256xf16>, %r0: tensor<2x28x28x512xf16>) -> tensor<2x28x28x512xf16> {
      %r = conv.forward ins(%a, %b : tensor<2x28x28x256xf16>, tensor<512x1x1x256xf16>) outs(%r0 : tensor<2x28x28x512xf16>) -> tensor<2x28x28x512xf16>
      return %r : tensor<2x28x28x512xf16>
    })",
    R"(func.func @rounded(%a: tensor<8x28x28x64xf32>, %b: tensor<8x28x28x64xf32>, %r0: tensor<64x3x3x64xf32>) -> tensor<64x3x3x64xf32> {
      %r = conv.wgrad ins(%a, %b : tensor<8x28x28x64xf32>, tensor<8x28x28x64xf32>) outs(%r0 : tensor<64x3x3x64xf32>) pad [1, 1] precision tf32 -> tensor<64x3x3x64xf32>
      return %r : tensor<64x3x3x64xf32>
    })",
    R"(func.func @depthwise(%a: tensor<1x8x9x32xf16>, %b: tensor<32x3x3x1xf16>, %r0: tensor<1x8x9x32xf16>) -> tensor<1x8x9x32xf16> {
      %r = conv.forward ins(%a, %b : tensor<1x8x9x32xf16>, tensor<32x3x3x1xf16>) outs(%r0 : tensor<1x8x9x32xf16>) pad [1, 1] groups 32 -> tensor<1x8x9x32xf16>
      return %r : tensor<1x8x9x32xf16>
    })",
};

/// A form that ranking does not ask would have kernels that nobody gets: only
/// the baseline is for those who name it.
TEST_F(KernelFormTest, EveryFormButTheBaselineIsRanked) {
  context.loadDialect<func::FuncDialect>();
  ChipInfo chip = *lookupChip("sm_90a");
  llvm::SmallSet<KernelForm, 16> ranked;
  for (const char *text : kProblems) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    module->walk([&](ConvOpInterface op) {
      int64_t taps = op.getConvKind() == convmlir::ConvKind::Wgrad ? 9 : 1;
      for (const RankedSchedule &choice : rankAllSchedules(op, chip))
        ranked.insert(getKernelForm(choice.schedule, taps));
    });
  }
  for (const KernelFormInfo &info : getKernelForms())
    EXPECT_EQ(ranked.contains(info.form), info.form != KernelForm::SyncTiles)
        << info.name.str();
}

} // namespace
