//===- MalformedProblemTest.cpp - one message for each malformed problem --===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Malformed problem strings with the message each gets: the key, the value and
// what was expected.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace convmlir;

namespace {

struct Case {
  const char *text;
  const char *message; ///< The whole message, or its beginning.
};

/// Completes a 2-D problem whose first words are given.
#define REST " c=8 h=7 w=9 k=12 r=3 s=2"

const std::vector<Case> cases{
    // The kind.
    {"", "the problem is empty: expected forward, dgrad or wgrad and key=value "
         "pairs"},
    {" \t ", "the problem is empty"},
    {"backward" REST,
     "'backward': expected forward, dgrad or wgrad as the first word"},
    {"Forward" REST, "'Forward': expected forward, dgrad or wgrad"},
    {"c=8 forward h=7", "'c=8': expected forward, dgrad or wgrad"},
    // Words that are no entries.
    {"forward dgrad" REST, "'dgrad': expected key=value"},
    {"forward pad" REST, "'pad': expected key=value"},
    {"forward strid=2" REST, "strid=2: unknown key 'strid', expected one of n, "
                             "c, d, h, w, k, t, r, s, stride, pad, dilation, "
                             "input-dilation, groups, type, second-type, "
                             "out-type, layout, epilogue, bias-type"},
    {"forward N=1" REST, "N=1: unknown key 'N'"},
    {"forward =1" REST, "=1: unknown key ''"},
    {"forward = 1" REST, "=: unknown key ''"},
    {"forward k=4" REST, "k=12: 'k' is given twice, first as 4"},
    {"forward pad=1 pad=1" REST, "pad=1: 'pad' is given twice, first as 1"},
    // What is missing.
    {"forward", "c: missing; a 1-D problem needs c, k, w, s (2-D has h and r, "
                "3-D also d and t)"},
    {"forward c=8 k=4 h=7 w=9 s=2",
     "r: missing; a 2-D problem needs c, k, h, w, r, s"},
    {"forward c=8 k=4 w=9 r=1 s=2", "h: missing; a 2-D problem"},
    {"forward c=8 w=9 s=2", "k: missing; a 1-D problem"},
    {"forward c=8 k=8 d=3 h=3 w=9 r=1 s=2",
     "t: missing; a 3-D problem needs c, k, d, h, w, t, r, s"},
    {"forward t=1" REST, "d: missing; a 3-D problem"},
    // Numbers.
    {"forward n=" REST, "n=: expected a whole number"},
    {"forward n=two" REST, "n=two: expected a whole number"},
    {"forward n=1.5" REST, "n=1.5: expected a whole number"},
    {"forward n=+1" REST, "n=+1: expected a whole number"},
    {"forward n=0x10" REST, "n=0x10: expected a whole number"},
    {"forward n=1,2" REST, "n=1,2: expected a whole number"},
    {"forward n==1" REST, "n==1: expected a whole number"},
    {"forward n=99999999999999999999" REST,
     "n=99999999999999999999: expected a whole number"},
    {"forward c=8 h=7x7 w=9 k=12 r=3 s=2", "h=7x7: expected a whole number"},
    {"forward groups=two" REST, "groups=two: expected a whole number"},
    // Lists over the spatial dimensions.
    {"forward stride=1x2x3" REST, "stride=1x2x3: expected 1 or 2 numbers "
                                  "separated by 'x', got 3"},
    {"forward stride=2x" REST, "stride=2x: expected 1 or 2 numbers separated "
                               "by 'x', got ''"},
    {"forward stride=1:2" REST, "stride=1:2: expected 1 or 2 numbers separated "
                                "by 'x', got '1:2'"},
    {"forward dilation=a" REST, "dilation=a: expected 1 or 2 numbers separated "
                                "by 'x', got 'a'"},
    {"forward c=1 w=9 k=1 s=1 stride=1x1", "stride=1x1: expected 1 number, got "
                                           "2"},
    {"forward pad=1:2:3" REST, "pad=1:2:3: expected 1 or 2 numbers separated "
                               "by 'x', each 'both' or 'low:high', got "
                               "'1:2:3'"},
    {"forward pad=1:x2" REST, "pad=1:x2: expected 1 or 2 numbers separated by "
                              "'x', each 'both' or 'low:high', got '1:'"},
    {"forward pad=same" REST, "pad=same: expected 1 or 2 numbers"},
    {"forward pad= " REST, "pad=: expected 1 or 2 numbers"},
    {"forward input-dilation=1x1x1" REST, "input-dilation=1x1x1: expected 1 or "
                                          "2 numbers separated by 'x', got 3"},
    // Types, layouts, epilogues.
    {"forward type=float" REST, "type=float: expected one of f16, bf16, tf32, "
                                "f32, f64, s8, e4m3, e5m2"},
    {"forward type=BF16" REST, "type=BF16: expected one of f16"},
    {"forward type=s32" REST, "type=s32: expected one of f16"},
    {"forward type=" REST, "type=: expected one of f16"},
    {"forward type=bf16 second-type=e4m3" REST,
     "second-type=e4m3: expected bf16 for type=bf16; the only inputs of two "
     "types are e4m3 and e5m2, in either order"},
    {"wgrad type=e4m3 second-type=bf16" REST,
     "second-type=bf16: expected one of e4m3, e5m2 for type=e4m3; the only "
     "inputs of two types are e4m3 and e5m2, in either order"},
    {"forward type=e4m3 second-type=" REST,
     "second-type=: expected a type, such as e5m2"},
    {"forward type=f16 out-type=s8" REST,
     "out-type=s8: expected one of f16, f32 for type=f16"},
    {"forward out-type=f64" REST,
     "out-type=f64: expected one of bf16, f32 for type=bf16"},
    {"forward layout=nwhc" REST, "layout=nwhc: expected nhwc or nchw"},
    {"forward layout=" REST, "layout=: expected nhwc or nchw"},
    {"forward epilogue=bias,elu" REST,
     "epilogue=bias,elu: expected a list of scale, bias, residual and one of "
     "relu, clip:LOW:HIGH, gelu, gelu-tanh, silu, sigmoid, tanh, each at most "
     "once, or of dgrad the derivative of one, such as drelu, or of wgrad "
     "dbias, got 'elu'"},
    {"forward epilogue=clip:6:0" REST,
     "epilogue=clip:6:0: expected clip:LOW:HIGH with two numbers, LOW not "
     "above "
     "HIGH, got 'clip:6:0'"},
    {"dgrad epilogue=bias,drelu" REST,
     "epilogue=bias,drelu: the derivative of an activation has no other steps "
     "beside it"},
    {"dgrad epilogue=dbias" REST,
     "epilogue=dbias: only wgrad has the gradient of a bias"},
    {"forward bias-type=bf16" REST,
     "bias-type=bf16: expected an epilogue with scale, bias or dbias"},
    {"forward epilogue=bias bias-type=" REST,
     "bias-type=: expected a type, such as bf16"},
    {"forward epilogue=bias bias-type=s8" REST,
     "bias-type=s8: expected one of f32, f16, bf16 for type=bf16"},
    {"forward epilogue=scale type=s8 bias-type=bf16" REST,
     "bias-type=bf16: expected f32 for type=s8"},
    {"wgrad epilogue=dbias type=f64 bias-type=f32" REST,
     "bias-type=f32: expected f64 for type=f64"},
    {"forward epilogue=dsilu" REST,
     "epilogue=dsilu: only dgrad has the derivative of an activation, not "
     "forward"},
    {"wgrad epilogue=drelu" REST,
     "epilogue=drelu: wgrad has the gradient of a bias, dbias, and nothing "
     "else"},
    {"forward epilogue=dbias" REST,
     "epilogue=dbias: only wgrad has the gradient of a bias"},
    // The rules of the geometry, in their own words.
    {"forward n=-1" REST, "conv-c2: N (-1) must not be negative"},
    {"forward c=0 h=7 w=9 k=12 r=3 s=2", "conv-c3: C (0) must be at least 1"},
    {"forward c=8 h=7 w=9 k=12 r=0 s=2",
     "conv-c3: filter extent R (0) must be at least 1"},
    {"forward groups=0" REST, "conv-c4: groups (0) must be at least 1"},
    {"forward groups=3" REST,
     "conv-c5: groups (3) must divide input channels C (8)"},
    {"forward groups=8" REST,
     "conv-c6: groups (8) must divide output channels K (12)"},
    {"forward stride=0" REST, "conv-c7: stride along H (0) must be at least 1"},
    {"forward dilation=1x-1" REST,
     "conv-c8: dilation along W (-1) must be at least 1"},
    {"forward input-dilation=0" REST,
     "conv-c9: input dilation along H (0) must be at least 1"},
    {"forward n=3000000000" REST,
     "conv-c10: N (3000000000) must not exceed 2^31 - 1 in magnitude"},
    {"forward pad=-7:0x0" REST,
     "conv-c11: padding (-7:0) crops all of the input extent H (7)"},
    {"forward dilation=4" REST,
     "conv-c12: filter extent R (3) with dilation 4 spans 9 and does not fit "
     "the padded input extent H (7) = 7 with padding 0:0"},
    {"forward n=2000000000 c=2000000000 h=9 w=9 k=1 r=1 s=1",
     "conv-c13: the elements of x must number fewer than 2^63"},
};

TEST(MalformedProblem, EachGetsOneMessage) {
  EXPECT_GE(cases.size(), 40u);
  for (const Case &malformed : cases) {
    SCOPED_TRACE(malformed.text);
    Result<Problem> problem = parseProblem(malformed.text);
    if (problem) {
      ADD_FAILURE() << "parsed as " << toString(*problem);
      continue;
    }
    EXPECT_EQ(problem.error().substr(0, std::string(malformed.message).size()),
              malformed.message);
    EXPECT_EQ(problem.error().find('\n'), std::string::npos);
  }
}

} // namespace
