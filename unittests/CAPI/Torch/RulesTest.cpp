//===- RulesTest.cpp - rules by signatures, and rules that are read -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeTorch.h"
#include "ReadRule.h"

#include "gtest/gtest.h"

#include <thread>

using namespace convmlir::torch;
using namespace convmlir::torch::test;

namespace {

using Words = std::vector<int64_t>;

TEST(TorchRules, areFoundByAllWords) {
  Rules rules;
  auto rule = std::make_shared<Rule>(), other = std::make_shared<Rule>();
  rules.set(Words{0, 1, 2}, rule);
  rules.set(Words{0, 1}, other);
  EXPECT_EQ(rules.find(Words{0, 1, 2}), rule);
  EXPECT_EQ(rules.find(Words{0, 1}), other);
  for (const Words &words : {Words{}, Words{0}, Words{0, 1, 3}, Words{1, 0, 2}})
    EXPECT_EQ(rules.find(words), nullptr);
  rules.set(Words{0, 1, 2}, other);
  EXPECT_EQ(rules.find(Words{0, 1, 2}), other);
}

TEST(TorchRules, areErasedByTheirWords) {
  Rules rules;
  for (int64_t device : {0, 1})
    rules.set(Words{0, device, 5}, std::make_shared<Rule>());
  rules.erase([](std::span<const int64_t> words) {
    return Signature::getDeviceType(words) == 1;
  });
  EXPECT_NE(rules.find(Words{0, 0, 5}), nullptr);
  EXPECT_EQ(rules.find(Words{0, 1, 5}), nullptr);
}

TEST(TorchRules, areSetAndFoundByManyThreads) {
  constexpr int64_t count = 500;
  Rules rules;
  auto work = [&](int64_t thread) {
    for (int64_t i = 0; i < count; ++i) {
      rules.set(Words{thread, i}, std::make_shared<Rule>());
      EXPECT_NE(rules.find(Words{thread, i}), nullptr);
    }
  };
  std::vector<std::thread> threads;
  for (int64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread &thread : threads)
    thread.join();
  for (int64_t thread = 0; thread < 4; ++thread)
    EXPECT_NE(rules.find(Words{thread, count - 1}), nullptr);
}

/// A rule as the C API has it, right until a test spoils it.
class TorchReadRule : public testing::Test {
protected:
  TorchReadRule() {
    conversion.size = sizeof conversion;
    conversion.slot = 1;
    conversion.format = "channels_last_1d";
    result.size = sizeof result;
    result.slot = 3;
    result.rank = 3;
    result.extents = extents;
    result.strides = strides;
    step.size = sizeof step;
    step.plan = reinterpret_cast<const convmlir_plan *>(this);
    step.slots = slots;
    step.count = 3;
    rule.size = sizeof rule;
    rule.conversions = &conversion;
    rule.results = &result;
    rule.steps = &step;
    rule.conversion_count = rule.result_count = rule.step_count = 1;
  }

  convmlir::Result<std::shared_ptr<Rule>>
  read(Operator op = Operator::Backward) {
    return readRule(abi, getSchema(op), rule);
  }
  std::string error(Operator op = Operator::Backward) {
    auto found = read(op);
    return found ? "" : found.error();
  }

  StableAbi abi = makeFakeAbi();
  int64_t extents[3] = {2, 5, 7}, strides[3] = {35, 1, 5};
  int32_t slots[3] = {0, 1, 3};
  convmlir_torch_conversion conversion{};
  convmlir_torch_result result{};
  convmlir_torch_step step{};
  convmlir_torch_rule rule{};
};

TEST_F(TorchReadRule, readsAllOfIt) {
  auto rules = read();
  ASSERT_TRUE(rules) << rules.error();
  const Rule &found = **rules;
  ASSERT_EQ(found.conversions.size(), 1u);
  EXPECT_EQ(found.conversions[0].format, abi.channelsLast());
  EXPECT_FALSE(found.conversions[0].dtype);
  EXPECT_TRUE(found.conversions[0].isLine);
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.results[0].extents, Words({2, 5, 7}));
  EXPECT_EQ(found.results[0].strides, Words({35, 1, 5}));
  ASSERT_EQ(found.steps.size(), 1u);
  EXPECT_EQ(found.steps[0].slots, std::vector<int32_t>({0, 1, 3}));
}

TEST_F(TorchReadRule, readsEveryName) {
  conversion.format = nullptr;
  for (auto [name, code] : {std::pair("float16", abi.dtypeOfHalf()),
                            std::pair("bfloat16", abi.dtypeOfBFloat()),
                            std::pair("float32", abi.dtypeOfFloat()),
                            std::pair("float64", abi.dtypeOfDouble()),
                            std::pair("float8_e4m3fn", abi.dtypeOfE4M3()),
                            std::pair("float8_e5m2", abi.dtypeOfE5M2())}) {
    conversion.dtype = result.dtype = name;
    auto found = read();
    EXPECT_EQ((*found)->conversions[0].dtype, code);
    EXPECT_EQ((*found)->results[0].dtype, code);
  }
  conversion.dtype = result.dtype = nullptr;
  for (auto [name, code] :
       {std::pair("contiguous", abi.contiguous()),
        std::pair("channels_last", abi.channelsLast()),
        std::pair("channels_last_3d", abi.channelsLast3d())}) {
    conversion.format = name;
    auto found = read();
    EXPECT_EQ((*found)->conversions[0].format, code);
    EXPECT_FALSE((*found)->conversions[0].isLine);
  }
}

TEST_F(TorchReadRule, aRuleWithoutStepsIsOne) {
  rule.conversion_count = rule.result_count = rule.step_count = 0;
  rule.conversions = nullptr, rule.results = nullptr, rule.steps = nullptr;
  EXPECT_EQ(error(), "");
}

TEST_F(TorchReadRule, namesThatAreNotKnown) {
  conversion.format = "channels_first";
  EXPECT_EQ(error(),
            "conversions: expected one of contiguous, channels_last, "
            "channels_last_1d, channels_last_3d, got 'channels_first'");
  conversion.format = nullptr;
  std::string expected = "expected one of float16, bfloat16, float32, float64, "
                         "float8_e4m3fn, float8_e5m2, got 'half'";
  conversion.dtype = "half";
  EXPECT_EQ(error(), "conversions: " + expected);
  conversion.dtype = nullptr, result.dtype = "half";
  EXPECT_EQ(error(), "results: " + expected);
}

TEST_F(TorchReadRule, listsThatAreNotThere) {
  std::string expected = "rule: expected a pointer to each list, got NULL";
  rule.conversions = nullptr;
  EXPECT_EQ(error(), expected);
  rule.conversions = &conversion, rule.results = nullptr;
  EXPECT_EQ(error(), expected);
  rule.results = &result, rule.steps = nullptr;
  EXPECT_EQ(error(), expected);
}

TEST_F(TorchReadRule, sizesOfOlderStructures) {
  for (size_t *size :
       {&rule.size, &conversion.size, &result.size, &step.size}) {
    *size -= 8;
    EXPECT_NE(error(), "");
    *size += 8;
    EXPECT_EQ(error(), "");
  }
}

TEST_F(TorchReadRule, slotsThatDoNotExist) {
  auto isRefused = [&](int32_t &number, std::initializer_list<int32_t> wrong) {
    int32_t right = number;
    for (int32_t value : wrong) {
      number = value;
      EXPECT_NE(error(), "") << value;
    }
    number = right;
    EXPECT_EQ(error(), "");
  };
  isRefused(conversion.slot, {-1, 3});
  isRefused(result.slot, {-1, 2, 6});
  isRefused(result.like, {-1, 3});
  isRefused(result.rank, {-1, 6});
  isRefused(step.count, {-1, 0, 7});
  isRefused(slots[2], {-1, 6});
}

TEST_F(TorchReadRule, slotsAreThoseOfTheOperator) {
  EXPECT_EQ(error(Operator::Convolution), "");
  EXPECT_EQ(error(Operator::Conv),
            "results: expected slots from 5 to 5, like inputs 0 to 4, of at "
            "most 5 dimensions");
  result.slot = slots[2] = 5;
  EXPECT_EQ(error(Operator::Conv), "");
  EXPECT_EQ(error(Operator::Dgrad),
            "results: expected slots from 4 to 4, like inputs 0 to 3, of at "
            "most 5 dimensions");
  result.slot = 4;
  EXPECT_EQ(error(Operator::Dgrad), "steps: expected slots from 0 to 4, got 5");
}

TEST_F(TorchReadRule, extentsOfVectors) {
  EXPECT_FALSE((*read())->conversions[0].extent);
  conversion.extent = 6;
  EXPECT_EQ((*read())->conversions[0].extent, 6);
  conversion.extent = -1;
  EXPECT_EQ(error(),
            "conversions: expected slots from 0 to 2, and no extent or "
            "a positive one");
}

TEST_F(TorchReadRule, copiesByPlans) {
  EXPECT_FALSE((*read())->conversions[0].byPlan);
  conversion.format = nullptr;
  conversion.plan = reinterpret_cast<const convmlir_plan *>(this);
  conversion.rank = 3;
  conversion.extents = extents;
  conversion.strides = strides;
  auto found = read();
  ASSERT_TRUE(found) << found.error();
  const auto &byPlan = (*found)->conversions[0].byPlan;
  ASSERT_TRUE(byPlan);
  EXPECT_EQ(byPlan->copy.slot, conversion.slot);
  EXPECT_EQ(byPlan->copy.strides, Words({35, 1, 5}));

  const std::string expected =
      "conversions: expected a program or a plan, a copy of 1 to 5 "
      "dimensions, no dtype and no extent";
  for (auto change :
       std::initializer_list<void (*)(convmlir_torch_conversion &)>{
           [](auto &c) {
             c.program = reinterpret_cast<convmlir_program *>(&c);
           },
           [](auto &c) { c.dtype = "float32"; }, [](auto &c) { c.extent = 3; },
           [](auto &c) { c.rank = 6; }, [](auto &c) { c.strides = nullptr; }}) {
    convmlir_torch_conversion good = conversion;
    change(conversion);
    EXPECT_EQ(error(), expected);
    conversion = good;
  }
}

TEST_F(TorchReadRule, eitherAProgramOrAPlan) {
  step.program = reinterpret_cast<const convmlir_program *>(this);
  EXPECT_NE(error(), "");
  step.plan = nullptr;
  EXPECT_EQ(error(), "");
  step.program = nullptr;
  EXPECT_EQ(error(), "steps: expected a program or a plan, and 1 to 6 slots");
}

} // namespace
