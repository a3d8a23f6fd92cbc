//===- ProblemTest.cpp - the text form of a problem -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the grammar reads, what it prints, and the tensors of a problem.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

Problem parse(std::string_view text) {
  Result<Problem> problem = parseProblem(text);
  EXPECT_TRUE(problem) << problem.error();
  return problem ? *problem : Problem();
}

TEST(ParseProblem, ReadsEveryKey) {
  Problem p =
      parse("forward n=2 c=20 h=17 w=23 k=35 r=3 s=5 stride=2x1 pad=0:1x-1:2 "
            "dilation=1x2 groups=5 type=s8 out-type=f32 layout=nchw "
            "epilogue=relu,bias,residual");
  EXPECT_EQ(p.kind, ConvKind::Forward);
  const ConvGeometry &g = p.geometry;
  EXPECT_EQ(g.spatialRank, 2);
  EXPECT_EQ(g.n, 2);
  EXPECT_EQ(g.c, 20);
  EXPECT_EQ(g.k, 35);
  EXPECT_EQ(g.groups, 5);
  EXPECT_EQ(g.input, (Spatial{17, 23, 1}));
  EXPECT_EQ(g.filter, (Spatial{3, 5, 1}));
  EXPECT_EQ(g.stride, (Spatial{2, 1, 1}));
  EXPECT_EQ(g.padLow, (Spatial{0, -1, 0}));
  EXPECT_EQ(g.padHigh, (Spatial{1, 2, 0}));
  EXPECT_EQ(g.dilation, (Spatial{1, 2, 1}));
  EXPECT_EQ(p.type, "s8");
  EXPECT_EQ(p.outType, "f32");
  EXPECT_EQ(p.layout, TensorLayout::NCHW);
  EXPECT_EQ(p.epilogue, (Epilogue{false, true, true, Activation::Relu}));
}

TEST(ParseProblem, LeavesDefaults) {
  Problem p = parse("wgrad c=4 h=5 w=6 k=7 r=2 s=3");
  EXPECT_EQ(p.kind, ConvKind::Wgrad);
  EXPECT_EQ(p.geometry.n, 1);
  EXPECT_EQ(p.geometry.groups, 1);
  EXPECT_EQ(p.geometry.stride, (Spatial{1, 1, 1}));
  EXPECT_EQ(p.geometry.padLow, (Spatial{0, 0, 0}));
  EXPECT_EQ(p.type, "bf16");
  EXPECT_EQ(p.layout, TensorLayout::NHWC);
  EXPECT_FALSE(p.epilogue.any());
}

TEST(ParseProblem, RankFollowsTheExtents) {
  Problem line = parse("dgrad c=1 w=9 k=1 s=3 pad=2:0 stride=2");
  EXPECT_EQ(line.geometry.spatialRank, 1);
  EXPECT_EQ(line.geometry.input[0], 9);
  EXPECT_EQ(line.geometry.filter[0], 3);
  EXPECT_EQ(line.geometry.padLow[0], 2);
  EXPECT_EQ(line.geometry.padHigh[0], 0);
  Problem volume = parse("forward c=1 d=4 h=5 w=6 k=1 t=1 r=2 s=3 stride=1x2x3 "
                         "pad=1x0x1:2");
  EXPECT_EQ(volume.geometry.spatialRank, 3);
  EXPECT_EQ(volume.geometry.input, (Spatial{4, 5, 6}));
  EXPECT_EQ(volume.geometry.filter, (Spatial{1, 2, 3}));
  EXPECT_EQ(volume.geometry.stride, (Spatial{1, 2, 3}));
  EXPECT_EQ(volume.geometry.padHigh, (Spatial{1, 0, 2}));
}

TEST(ParseProblem, OneEntryStandsForAllDimensions) {
  Problem p = parse("forward c=1 h=8 w=8 k=1 r=3 s=3 stride=2 pad=0:1 "
                    "dilation=2 input-dilation=3");
  EXPECT_EQ(p.geometry.stride, (Spatial{2, 2, 1}));
  EXPECT_EQ(p.geometry.padLow, (Spatial{0, 0, 0}));
  EXPECT_EQ(p.geometry.padHigh, (Spatial{1, 1, 0}));
  EXPECT_EQ(p.geometry.inputDilation, (Spatial{3, 3, 1}));
}

TEST(ParseProblem, FlagsAreTrueOrFalse) {
  Problem p = parse("wgrad c=1 w=4 k=2 s=3 accumulate=true flip=true");
  EXPECT_TRUE(p.accumulate);
  EXPECT_TRUE(p.geometry.flip);
  EXPECT_EQ(p.arguments().size(), 3u);
  EXPECT_EQ(p.arguments()[2].name, "dw0");
  EXPECT_EQ(p.arguments()[2].shape, p.result().shape);
  EXPECT_EQ(parse(toString(p)), p);
  EXPECT_FALSE(parse("wgrad c=1 w=4 k=2 s=3 flip=false").geometry.flip);
  Result<Problem> wrong = parseProblem("wgrad c=1 w=4 k=2 s=3 flip=1");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error(), "flip=1: expected true or false");
}

TEST(ParseProblem, OrderAndBlanksDoNotMatter) {
  EXPECT_EQ(parse("  forward\tk=3 s=1   w=4 c=2\n"),
            parse("forward c=2 w=4 k=3 s=1"));
}

TEST(ParseProblem, ResultTypeFollowsTheInputs) {
  auto outType = [](const std::string &type) {
    return parse("forward c=1 w=1 k=1 s=1 type=" + type).outType;
  };
  EXPECT_EQ(outType("f16"), "f16");
  EXPECT_EQ(outType("bf16"), "bf16");
  EXPECT_EQ(outType("tf32"), "f32");
  EXPECT_EQ(outType("f32"), "f32");
  EXPECT_EQ(outType("f64"), "f64");
  EXPECT_EQ(outType("s8"), "s32");
  EXPECT_EQ(outType("e4m3"), "f32");
  EXPECT_EQ(outType("e5m2"), "f32");
}

TEST(ParseProblem, TheSecondInputMayHaveTheOtherTypeOf8Bits) {
  Problem p = parse("forward c=2 w=4 k=3 s=1 second-type=e5m2 type=e4m3");
  EXPECT_EQ(p.secondType, "e5m2");
  EXPECT_EQ(p.outType, "f32");
  EXPECT_EQ(p.arguments()[0], (TensorSpec{"x", {1, 4, 2}, "e4m3"}));
  EXPECT_EQ(p.arguments()[1], (TensorSpec{"w", {3, 1, 2}, "e5m2"}));
  EXPECT_EQ(toString(p), "forward n=1 c=2 w=4 k=3 s=1 stride=1 pad=0 "
                         "dilation=1 groups=1 type=e4m3 second-type=e5m2");
  EXPECT_EQ(parse(toString(p)), p);
  Problem dw = parse("wgrad c=2 w=4 k=3 s=1 type=e4m3 second-type=e5m2");
  EXPECT_EQ(dw.arguments()[1], (TensorSpec{"dy", {1, 4, 3}, "e5m2"}));
  // What is no operand of products is of the forward pass, as w is.
  Problem dx = parse("dgrad c=2 w=4 k=3 s=1 type=e5m2 second-type=e4m3 "
                     "epilogue=drelu");
  EXPECT_EQ(dx.arguments()[0], (TensorSpec{"dy", {1, 4, 3}, "e5m2"}));
  EXPECT_EQ(dx.arguments()[1], (TensorSpec{"w", {3, 1, 2}, "e4m3"}));
  EXPECT_EQ(dx.arguments()[2], (TensorSpec{"act", {1, 4, 2}, "e4m3"}));
}

TEST(ParseProblem, TheTypeOfTheFirstInputIsTheDefaultOfTheSecond) {
  for (const char *type : {"bf16", "s8", "e4m3"}) {
    std::string text = "forward c=2 w=4 k=3 s=1 type=" + std::string(type);
    EXPECT_EQ(parse(text + " second-type=" + type), parse(text));
  }
}

TEST(ParseProblem, TensorsOfChannelsHaveTheirType) {
  Problem p =
      parse("forward c=2 w=4 k=3 s=1 bias-type=bf16 epilogue=scale,bias");
  EXPECT_EQ(p.biasType, "bf16");
  EXPECT_EQ(p.channelType(), "bf16");
  EXPECT_EQ(p.arguments()[2], (TensorSpec{"scale", {3}, "bf16"}));
  EXPECT_EQ(p.arguments()[3], (TensorSpec{"bias", {3}, "bf16"}));
  EXPECT_EQ(toString(p), "forward n=1 c=2 w=4 k=3 s=1 stride=1 pad=0 "
                         "dilation=1 groups=1 type=bf16 epilogue=scale,bias "
                         "bias-type=bf16");
  EXPECT_EQ(parse(toString(p)), p);
  Problem db = parse("wgrad c=2 w=4 k=3 s=1 type=f16 out-type=f32 "
                     "epilogue=dbias bias-type=f16");
  EXPECT_EQ(db.results()[1], (TensorSpec{"db", {3}, "f16"}));
}

TEST(ParseProblem, TheTypeOfTheSumsIsTheDefaultOfBiases) {
  for (const char *text : {"type=bf16 epilogue=bias bias-type=f32",
                           "type=f64 epilogue=scale bias-type=f64",
                           "type=s8 epilogue=bias bias-type=s32",
                           "type=s8 epilogue=scale,bias bias-type=f32"}) {
    Problem p = parse("forward c=2 w=4 k=3 s=1 " + std::string(text));
    EXPECT_EQ(p.biasType, "") << text;
    EXPECT_EQ(toString(p).find("bias-type"), std::string::npos) << text;
  }
}

TEST(PrintProblem, IsCanonical) {
  EXPECT_EQ(toString(parse("forward k=64 c=64 h=56 w=56 r=3 s=3 pad=1")),
            "forward n=1 c=64 h=56 w=56 k=64 r=3 s=3 stride=1 pad=1 dilation=1 "
            "groups=1 type=bf16");
  EXPECT_EQ(toString(parse("dgrad c=4 d=9 h=9 w=9 k=4 t=1 r=2 s=3 stride=2x1x2 "
                           "pad=0:1x1:1x1 dilation=1x2x1 groups=2 type=f16 "
                           "out-type=f32 layout=nchw input-dilation=2")),
            "dgrad n=1 c=4 d=9 h=9 w=9 k=4 t=1 r=2 s=3 stride=2x1x2 "
            "pad=0:1x1x1 dilation=1x2x1 input-dilation=2 groups=2 type=f16 "
            "out-type=f32 layout=nchw");
  EXPECT_EQ(toString(parse("forward c=1 w=2 k=1 s=1 pad=1:2 type=s8 "
                           "out-type=s32 layout=nhwc epilogue=relu,bias")),
            "forward n=1 c=1 w=2 k=1 s=1 stride=1 pad=1:2 dilation=1 groups=1 "
            "type=s8 epilogue=bias,relu");
}

TEST(ProblemTensors, ChannelsLast) {
  Problem p = parse("forward n=2 c=6 h=8 w=9 k=4 r=3 s=2 groups=2 type=f16 "
                    "out-type=f32 epilogue=bias,residual");
  EXPECT_EQ(p.arguments(),
            (std::vector<TensorSpec>{{"x", {2, 8, 9, 6}, "f16"},
                                     {"w", {4, 3, 2, 3}, "f16"},
                                     {"bias", {4}, "f32"},
                                     {"residual", {2, 6, 8, 4}, "f32"}}));
  EXPECT_EQ(p.result(), (TensorSpec{"y", {2, 6, 8, 4}, "f32"}));
  EXPECT_EQ(p.result().numElements(), 2 * 6 * 8 * 4);
}

TEST(ProblemTensors, ChannelsFirst) {
  std::string shape = " n=2 c=6 h=8 w=9 k=4 r=3 s=2 groups=2 layout=nchw";
  Problem dgrad = parse("dgrad" + shape);
  EXPECT_EQ(dgrad.arguments(),
            (std::vector<TensorSpec>{{"dy", {2, 4, 6, 8}, "bf16"},
                                     {"w", {4, 3, 3, 2}, "bf16"}}));
  EXPECT_EQ(dgrad.result(), (TensorSpec{"dx", {2, 6, 8, 9}, "bf16"}));
  Problem wgrad = parse("wgrad" + shape);
  EXPECT_EQ(wgrad.arguments(),
            (std::vector<TensorSpec>{{"x", {2, 6, 8, 9}, "bf16"},
                                     {"dy", {2, 4, 6, 8}, "bf16"}}));
  EXPECT_EQ(wgrad.result(), (TensorSpec{"dw", {4, 3, 3, 2}, "bf16"}));
}

TEST(ProblemTensors, TransposedConvolutions) {
  Problem p = parse("dgrad n=2 c=6 h=8 w=9 k=4 r=3 s=2 groups=2 type=f16 "
                    "epilogue=bias,residual,relu");
  EXPECT_EQ(p.arguments(),
            (std::vector<TensorSpec>{{"dy", {2, 6, 8, 4}, "f16"},
                                     {"w", {4, 3, 2, 3}, "f16"},
                                     {"bias", {6}, "f32"},
                                     {"residual", {2, 8, 9, 6}, "f16"}}));
}

TEST(ProblemTypes, AccumulateInWhatHoldsTheProducts) {
  for (const std::string &type : inputTypes()) {
    EXPECT_FALSE(resultTypes(type).empty());
    EXPECT_EQ(accumulationType(type), type == "f64"  ? "f64"
                                      : type == "s8" ? "s32"
                                                     : "f32");
  }
}

} // namespace
