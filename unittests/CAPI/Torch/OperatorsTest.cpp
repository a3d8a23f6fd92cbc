//===- OperatorsTest.cpp - kernels of our operators without PyTorch -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "../Handle.h"
#include "FakeTorch.h"

#include "conv-c/Torch.h"

#include "gtest/gtest.h"

#include <bit>
#include <stdexcept>

using namespace convmlir::test;
using namespace convmlir::torch;
using namespace convmlir::torch::test;

namespace {

class TorchOperators : public testing::Test {
protected:
  TorchOperators() {
    Kernels &in = getKernels();
    in.abi = makeFakeAbi();
    in.run = "run";
    auto status = registerOperators(in, "ours", "CPU", /*areBrief=*/false);
    EXPECT_TRUE(status) << status.error();
    fake().onRun = [] {
      return std::array<TensorHandle, 3>{makeTensor({1}, 9), makeTensor({1}, 8),
                                         nullptr};
    };
  }
  ~TorchOperators() override {
    removeKernels(getKernels(), "ours", "CPU");
    EXPECT_TRUE(fake().kernels.empty());
    EXPECT_EQ(fake().handles, 0);
    EXPECT_EQ(fake().lists, 0);
    EXPECT_EQ(fake().texts, 0);
  }

  /// From now on the host adds a rule, whose plan makes the last result.
  void decide(const char *line, std::vector<int32_t> slots,
              std::vector<std::vector<int64_t>> extents,
              const convmlir_torch_conversion *conversion = nullptr) {
    plan = compileForEmulator(line);
    fake().onDispatch = [=, this] {
      std::vector<convmlir_torch_result> results;
      const std::vector<int64_t> strides = {36, 12, 4, 1};
      auto first = static_cast<int32_t>(getSchema(call.op).inputs);
      for (const std::vector<int64_t> &extent : extents) {
        auto &result = results.emplace_back(sized<convmlir_torch_result>());
        result.slot = first++;
        result.rank = static_cast<int32_t>(extent.size());
        result.extents = extent.data();
        result.strides = strides.data();
        result.dtype = "float32";
      }
      auto step = sized<convmlir_torch_step>();
      step.plan = plan.get();
      step.slots = slots.data();
      step.count = static_cast<int32_t>(slots.size());
      auto rule = sized<convmlir_torch_rule>();
      rule.results = results.data();
      rule.result_count = results.size();
      rule.steps = &step;
      rule.step_count = 1;
      rule.conversions = conversion;
      rule.conversion_count = conversion != nullptr;
      add(rule);
    };
  }
  void decideForward() {
    decide((std::string("forward ") + problem).c_str(), {0, 1, 5},
           {{1, 3, 3, 4}});
  }
  void add(const convmlir_torch_rule &rule) {
    const int64_t *words = nullptr;
    size_t count = 0;
    ASSERT_EQ(convmlir_torch_get_signature(&words, &count), CONVMLIR_OK);
    EXPECT_EQ(convmlir_torch_add_rule(words, count, &rule), CONVMLIR_OK)
        << convmlir_last_error();
    signature.assign(words, words + count);
  }
  convmlir_torch_counts counts() {
    auto counts = sized<convmlir_torch_counts>();
    EXPECT_EQ(convmlir_torch_count(signature.data(), signature.size(), &counts),
              CONVMLIR_OK);
    return counts;
  }

  /// The first numbers of the results of `call`, with these tensors.
  std::vector<float> run(std::vector<TensorHandle> inputs) {
    call.inputs = std::move(inputs);
    std::vector<Value> stack = call.stack();
    const Schema &schema = getSchema(call.op);
    fake().kernels.at(schema.name)(stack.data(), schema.arguments.size(),
                                   schema.results);
    std::vector<float> numbers;
    for (size_t i = 0; i < schema.results; ++i) {
      auto tensor = std::bit_cast<TensorHandle>(stack[i]);
      numbers.push_back(get(tensor).sizes == std::vector<int64_t>{0}
                            ? -1
                            : get(tensor).data()[0]);
      getKernels().abi.deleteTensor(tensor);
    }
    return numbers;
  }
  /// conv; `shift`: of x, in floats.
  float convolve(size_t shift = 0) {
    call.op = Operator::Conv;
    TensorHandle x = makeTensor({1, 2, 3, 4});
    get(x).first += shift;
    return run({x, makeTensor({3, 2, 1, 1}), nullptr, nullptr, nullptr})[0];
  }

  FakeOperatorCall call{Operator::Conv, {}};
  PlanHandle plan;
  std::vector<int64_t> signature;
};

TEST_F(TorchOperators, withoutARuleTheHostComputes) {
  EXPECT_EQ(convolve(), 9);
  EXPECT_EQ(convolve(), 9);
  EXPECT_EQ(fake().dispatched, std::vector<std::string>(2, "run_conv"));
}

TEST_F(TorchOperators, theHostIsAskedOnce) {
  decideForward();
  EXPECT_EQ(convolve(), 9); // The host's result, and a rule.
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(fake().dispatched.size(), 1u);
  EXPECT_EQ(counts().calls, 2);
}

TEST_F(TorchOperators, whatARuleCannotServeIsTheHosts) {
  decideForward();
  convolve();
  EXPECT_EQ(convolve(/*shift=*/1), 9); // No multiple of 16 bytes.
  fake().hasMemory = false;
  EXPECT_EQ(convolve(), 9);
  fake().hasMemory = true;
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(counts().calls, 1);
  EXPECT_EQ(counts().unaligned, 1);
  EXPECT_EQ(counts().refused, 1);
}

TEST_F(TorchOperators, errorsOfTheHostAreThrown) {
  fake().onRun = [] {
    return std::array<TensorHandle, 3>{nullptr, nullptr, makeRaising()};
  };
  EXPECT_THROW(convolve(), std::invalid_argument);
}

TEST_F(TorchOperators, aPlanThatFailsIsAnException) {
  // The plan has three operands.
  decide((std::string("forward ") + problem).c_str(), {0, 1}, {{1, 3, 3, 4}});
  convolve();
  EXPECT_THROW(convolve(), std::runtime_error);
}

TEST_F(TorchOperators, listsThatNoConvolutionHasAreTheHosts) {
  decideForward();
  fake().onDispatch = [] {};
  call.padding = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(convolve(), 9);
}

TEST_F(TorchOperators, gradients) {
  call.op = Operator::Dgrad;
  decide((std::string("dgrad ") + problem).c_str(), {0, 1, 4}, {{1, 2, 3, 4}});
  for (float expected : {9.f, 3.f})
    EXPECT_EQ(run({makeTensor({1, 3, 3, 4}), makeTensor({3, 2, 1, 1}), nullptr,
                   nullptr}),
              std::vector<float>{expected});
  call.op = Operator::Wgrad;
  // The second result is empty.
  decide((std::string("wgrad ") + problem).c_str(), {0, 1, 3},
         {{3, 2, 1, 1}, {0}});
  for (auto expected : {std::vector<float>{9, 8}, {12, -1}})
    EXPECT_EQ(
        run({makeTensor({1, 2, 3, 4}), makeTensor({1, 3, 3, 4}), nullptr}),
        expected);
}

TEST_F(TorchOperators, rulesEndWithTheKernels) {
  decideForward();
  convolve();
  EXPECT_EQ(convolve(), 2);
  removeKernels(getKernels(), "ours", "CPU");
  EXPECT_TRUE(
      registerOperators(getKernels(), "ours", "CPU", /*areBrief=*/false));
  EXPECT_EQ(convolve(), 9);
}

TEST_F(TorchOperators, briefOnes) {
  removeKernels(getKernels(), "ours", "CPU");
  EXPECT_TRUE(
      registerOperators(getKernels(), "ours", "CPU", /*areBrief=*/true));
  call.op = Operator::BriefWgrad;
  auto wgrad = [&](const char *rest) {
    call.activation = rest;
    return run({makeTensor({1, 2, 3, 4}), makeTensor({1, 3, 3, 4}), nullptr});
  };
  decide((std::string("wgrad ") + problem).c_str(), {0, 1, 3},
         {{3, 2, 1, 1}, {0}});
  EXPECT_EQ(wgrad("a"), (std::vector<float>{9, 8}));
  EXPECT_EQ(wgrad("a"), (std::vector<float>{12, -1}));
  EXPECT_EQ(wgrad("b"), (std::vector<float>{9, 8}));
  EXPECT_EQ(fake().dispatched,
            std::vector<std::string>(2, "run_brief_conv_wgrad"));
}

} // namespace
