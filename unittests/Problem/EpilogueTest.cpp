//===- EpilogueTest.cpp - what follows the sums ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Epilogue.h"
#include "conv/Problem/Problem.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace convmlir;

namespace {

Epilogue parse(const std::string &text) {
  Result<Epilogue> epilogue = parseEpilogue(text);
  EXPECT_TRUE(epilogue) << epilogue.error();
  return epilogue ? *epilogue : Epilogue();
}

TEST(Epilogue, PrintsItsStepsInOrder) {
  for (auto [text, printed] :
       {std::pair{"relu", "relu"},
        {"silu,residual,bias,scale", "scale,bias,residual,silu"},
        {"clip:-0.50:6e0", "clip:-0.5:6"},
        {"clip:0.1:1e+30,bias", "bias,clip:0.1:1e+30"},
        {"dgelu-tanh", "dgelu-tanh"},
        {"dbias", "dbias"},
        {"dclip:00:6", "dclip:0:6"}}) {
    EXPECT_EQ(toString(parse(text)), printed);
    EXPECT_EQ(parse(printed), parse(text));
  }
  EXPECT_EQ(toString(Epilogue()), "");
}

TEST(Epilogue, EveryActivationIsReadAgain) {
  for (Activation activation : allActivations()) {
    std::string text = toString(activation);
    if (activation == Activation::Clip)
      text += ":-1:1";
    EXPECT_EQ(parse(text).activation, activation);
    EXPECT_EQ(toString(parse(text)), text);
    EXPECT_TRUE(parse(text).any());
  }
}

TEST(Epilogue, SaysWhatIsWrong) {
  for (auto [text, got] :
       {std::pair{"", "got ''"},
        {"bias,", "got ''"},
        {"relu,relu", "got 'relu' twice"},
        {"scale,bias,scale", "got 'scale' twice"},
        {"relu,scale,tanh", "got 'tanh' after relu"},
        {"relu,drelu", "got 'drelu' after relu"},
        {"dgelu,dgelu", "got 'dgelu' twice"},
        {"d", "got 'd'"},
        {"ddrelu", "got 'ddrelu'"},
        {"dbias,dbias", "got 'dbias' twice"},
        {"dclip:1", "dclip:LOW:HIGH with two numbers, LOW not "
                    "above HIGH, got 'dclip:1'"},
        {"Relu", "got 'Relu'"},
        {"relu:0", "got 'relu:0'"},
        {"scale:2", "got 'scale:2'"},
        {"clip", "got 'clip'"},
        {"clip:6", "got 'clip:6'"},
        {"clip:1:0", "got 'clip:1:0'"},
        {"clip:0:6:7", "got 'clip:0:6:7'"},
        {"clip:0:inf", "got 'clip:0:inf'"},
        {"clip:nan:1", "got 'clip:nan:1'"},
        {"clip:0:1e999", "got 'clip:0:1e999'"},
        {"clip:+1:2", "got 'clip:+1:2'"}}) {
    Result<Epilogue> epilogue = parseEpilogue(text);
    ASSERT_FALSE(epilogue) << text;
    EXPECT_TRUE(epilogue.error().ends_with(got)) << epilogue.error();
  }
}

TEST(Epilogue, ActivationsOfNumbers) {
  struct Case {
    const char *text;
    double x, y;
  };
  // From tables of erf and tanh.
  for (const Case &c : {Case{"relu", -2, 0},
                        {"relu", 3, 3},
                        {"clip:-1:6", -2, -1},
                        {"clip:-1:6", 7, 6},
                        {"clip:-1:6", 2.5, 2.5},
                        {"gelu", 1, 0.8413447460685429},
                        {"gelu", -1, -0.15865525393145707},
                        {"gelu-tanh", 1, 0.8411919906082768},
                        {"silu", 1, 0.7310585786300049},
                        {"sigmoid", -1, 0.2689414213699951},
                        {"tanh", 0.5, 0.46211715726000973}})
    EXPECT_NEAR(parse(c.text).activate(c.x), c.y, 1e-15) << c.text;
  for (Activation activation : allActivations()) {
    Epilogue epilogue;
    epilogue.activation = activation;
    EXPECT_TRUE(std::isnan(epilogue.activate(NAN))) << toString(activation);
  }
}

TEST(Epilogue, DerivativesAreLimitsOfQuotients) {
  for (Activation activation : allActivations())
    for (double x : {-7.0, -2.25, -0.5, 0.125, 0.75, 3.5, 20.0}) {
      Epilogue epilogue;
      epilogue.activation = activation;
      epilogue.low = -1;
      epilogue.high = 2;
      constexpr double step = 1e-5;
      double quotient =
          (epilogue.activate(x + step) - epilogue.activate(x - step)) /
          (2 * step);
      EXPECT_NEAR(epilogue.differentiate(3, x), 3 * quotient, 1e-8)
          << toString(activation) << " at " << x;
    }
}

/// Where 1 - t^2 and s (1 - s) have lost all digits.
TEST(Epilogue, DerivativesNearSaturation) {
  struct Case {
    const char *text;
    double x, y;
  };
  for (const Case &c : {Case{"dtanh", -9.0109138, 5.960458903054706e-08},
                        {"dtanh", 20, 1.6993417021166355e-17},
                        {"dsigmoid", 17, 4.139937376003501e-08},
                        {"dsigmoid", -40, 4.2483542552915889e-18},
                        {"dsilu", -40, -1.6568581595637196e-16},
                        {"dgelu", -10, -7.618400096464813e-22},
                        {"dgelu-tanh", 5, 1.0000015463619876}})
    EXPECT_NEAR(parse(c.text).differentiate(1, c.x) / c.y, 1, 1e-8)
        << c.text << " at " << c.x;
  for (Activation activation : allActivations()) {
    Epilogue epilogue;
    epilogue.activation = activation;
    epilogue.derivative = true;
    epilogue.high = 1;
    double atInfinity = epilogue.differentiate(1, INFINITY);
    EXPECT_EQ(atInfinity, std::round(atInfinity)) << toString(activation);
    EXPECT_EQ(epilogue.differentiate(1, -INFINITY), 0) << toString(activation);
  }
}

TEST(Epilogue, TheLargerTermBesideAZero) {
  // The zeros of the derivatives of silu and gelu.
  EXPECT_LT(std::abs(parse("dsilu").differentiate(1, -1.2784645)), 1e-7);
  EXPECT_NEAR(parse("dsilu").largestTerm(-1.2784645), 0.2178, 1e-4);
  EXPECT_LT(std::abs(parse("dgelu").differentiate(1, -0.7517916)), 1e-7);
  EXPECT_NEAR(parse("dgelu").largestTerm(-0.7517916), 0.2261, 1e-4);
  EXPECT_EQ(parse("drelu").largestTerm(2), 1);
  EXPECT_EQ(parse("relu").largestTerm(-2), 0);
  EXPECT_EQ(parse("tanh").largestTerm(-30), 1);
}

TEST(Epilogue, DerivativesOfBoundsAreZero) {
  for (auto [text, x] : {std::pair{"drelu", 0.0},
                         {"drelu", -1.0},
                         {"dclip:-1:2", -1.0},
                         {"dclip:-1:2", 2.0},
                         {"dclip:-1:2", 5.0},
                         {"drelu", double(NAN)}}) {
    EXPECT_EQ(parse(text).differentiate(INFINITY, x), 0) << text;
    EXPECT_EQ(parse(text).differentiate(NAN, x), 0) << text;
  }
  EXPECT_EQ(parse("drelu").differentiate(-3, 0.5), -3);
  EXPECT_EQ(parse("dclip:-1:2").differentiate(-3, 0.5), -3);
}

TEST(Epilogue, TheTypeItComputesIn) {
  auto typeOf = [](const std::string &more) {
    Result<Problem> p = parseProblem("forward c=1 w=2 k=1 s=1 " + more);
    EXPECT_TRUE(p) << p.error();
    return p->epilogueType();
  };
  EXPECT_EQ(typeOf("type=f16 epilogue=gelu"), "f32");
  EXPECT_EQ(typeOf("type=f64 epilogue=scale"), "f64");
  EXPECT_EQ(typeOf("type=s8 epilogue=bias,relu"), "s32");
  EXPECT_EQ(typeOf("type=s8 epilogue=clip:-3:50"), "s32");
  EXPECT_EQ(typeOf("type=s8 epilogue=clip:-3:50.5"), "f32");
  EXPECT_EQ(typeOf("type=s8 epilogue=silu"), "f32");
  Problem scaled = *parseProblem(
      "forward c=1 w=2 k=3 s=1 type=s8 out-type=s8 epilogue=bias,scale");
  EXPECT_EQ(scaled.epilogueType(), "f32");
  ASSERT_EQ(scaled.arguments().size(), 4u);
  EXPECT_EQ(scaled.arguments()[2], (TensorSpec{"scale", {3}, "f32"}));
  EXPECT_EQ(scaled.arguments()[3], (TensorSpec{"bias", {3}, "f32"}));
}

} // namespace
