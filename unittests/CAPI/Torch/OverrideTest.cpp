//===- OverrideTest.cpp - the two kernels without PyTorch -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Override.h"
#include "../Handle.h"
#include "FakeTorch.h"

#include "conv-c/Torch.h"

#include "gtest/gtest.h"

#include <bit>

using namespace convmlir::test;
using namespace convmlir::torch;
using namespace convmlir::torch::test;

namespace {

class TorchOverride : public testing::Test {
protected:
  TorchOverride() {
    Kernels &in = getKernels();
    in.abi = makeFakeAbi();
    in.decide = "decide";
    auto status = registerOverride(in, "CPU");
    EXPECT_TRUE(status) << status.error();
  }
  ~TorchOverride() override {
    removeKernels(getKernels(), "aten", "CPU");
    EXPECT_TRUE(fake().kernels.empty());
    EXPECT_EQ(fake().handles, 0);
    EXPECT_EQ(fake().lists, 0);
  }

  /// From now on a rule is added where one is asked for: it runs a plan.
  void decide(const char *op, std::vector<int32_t> slots, int32_t slot,
              std::vector<int64_t> extents, std::vector<int64_t> strides) {
    plan = compileForEmulator((std::string(op) + " " + problem).c_str());
    fake().onDispatch = [=, this] {
      auto result = sized<convmlir_torch_result>();
      result.slot = slot;
      result.rank = static_cast<int32_t>(extents.size());
      result.extents = extents.data();
      result.strides = strides.data();
      auto step = sized<convmlir_torch_step>();
      step.plan = plan.get();
      step.slots = slots.data();
      step.count = static_cast<int32_t>(slots.size());
      auto rule = sized<convmlir_torch_rule>();
      rule.conversions = conversions.data();
      rule.conversion_count = conversions.size();
      rule.results = &result;
      rule.steps = &step;
      rule.result_count = rule.step_count = 1;
      add(rule);
    };
  }
  void decideForward() {
    decide("forward", {0, 1, 3}, 3, {1, 3, 3, 4}, {36, 12, 4, 1});
  }
  void add(const convmlir_torch_rule &rule) {
    const int64_t *words = nullptr;
    size_t count = 0;
    ASSERT_EQ(convmlir_torch_get_signature(&words, &count), CONVMLIR_OK);
    EXPECT_EQ(convmlir_torch_add_rule(words, count, &rule), CONVMLIR_OK)
        << convmlir_last_error();
    signature.assign(words, words + count);
  }
  int64_t served() {
    auto counts = sized<convmlir_torch_counts>();
    EXPECT_EQ(convmlir_torch_count(signature.data(), signature.size(), &counts),
              CONVMLIR_OK);
    return counts.calls;
  }

  /// The first number of a convolution's result. `shift`: of x, in floats.
  float convolve(size_t shift = 0) {
    FakeCall call{makeTensor({1, 2, 3, 4}), makeTensor({3, 2, 1, 1})};
    get(call.first).first += shift;
    std::vector<Value> stack = call.convolution();
    fake().kernels.at("convolution")(stack.data(), 9, 1);
    return takeNumber(stack[0]);
  }
  /// Those of the backward's results; -1: not defined.
  std::array<float, 3> goBackward(std::vector<int64_t> mask) {
    FakeCall call{makeTensor({1, 3, 3, 4}), makeTensor({1, 2, 3, 4}),
                  makeTensor({3, 2, 1, 1})};
    call.mask = std::move(mask);
    std::vector<Value> stack = call.backward();
    fake().kernels.at("convolution_backward")(stack.data(), 11, 3);
    return {takeNumber(stack[0]), takeNumber(stack[1]), takeNumber(stack[2])};
  }
  static float takeNumber(Value value) {
    auto tensor = std::bit_cast<TensorHandle>(value);
    bool isDefined = false;
    getKernels().abi.isDefined(tensor, &isDefined);
    float number = isDefined ? get(tensor).data()[0] : -1;
    getKernels().abi.deleteTensor(tensor);
    return number;
  }

  PlanHandle plan;
  std::vector<convmlir_torch_conversion> conversions; ///< Of rules to come.
  std::vector<int64_t> signature;
};

TEST_F(TorchOverride, withoutARulePyTorchsKernelRuns) {
  EXPECT_EQ(convolve(), 7);
  EXPECT_EQ(convolve(), 7);
  std::vector<std::string> asked(2, "decide_convolution");
  EXPECT_EQ(fake().dispatched, asked);
  EXPECT_EQ(fake().ownConvolutions, 2);
}

TEST_F(TorchOverride, aRuleIsAskedForOnce) {
  decideForward();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(fake().dispatched.size(), 1u);
  EXPECT_EQ(fake().ownConvolutions, 0);
  EXPECT_EQ(served(), 3);
}

TEST_F(TorchOverride, aRuleWithoutStepsIsPyTorchsKernel) {
  fake().onDispatch = [this] {
    auto rule = sized<convmlir_torch_rule>();
    add(rule);
  };
  EXPECT_EQ(convolve(), 7);
  EXPECT_EQ(convolve(), 7);
  EXPECT_EQ(fake().dispatched.size(), 1u);
  EXPECT_EQ(served(), 0);
}

TEST_F(TorchOverride, whatARuleCannotServe) {
  decideForward();
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(convolve(/*shift=*/1), 7); // No multiple of 16 bytes.
  fake().hasMemory = false;
  EXPECT_EQ(convolve(), 7);
  fake().hasMemory = true;
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(served(), 2);
}

TEST_F(TorchOverride, aPlanThatFailsIsAnException) {
  // The plan has three operands.
  decide("forward", {0, 1}, 3, {1, 3, 3, 4}, {36, 12, 4, 1});
  EXPECT_THROW(convolve(), std::runtime_error);
}

/// A plan that "copies" x of the calls here: twice its numbers.
static PlanHandle compileDoubling() {
  const std::string text = R"(
    func.func @main(%x: tensor<24xf32>) -> tensor<24xf32> {
      %y = tensor.empty() : tensor<24xf32>
      %r = linalg.add ins(%x, %x : tensor<24xf32>, tensor<24xf32>)
                      outs(%y : tensor<24xf32>) -> tensor<24xf32>
      return %r : tensor<24xf32>
    })";
  return compileModuleForEmulator(text);
}

TEST_F(TorchOverride, aPlanMakesTheCopyThatTheStepsSee) {
  PlanHandle doubling = compileDoubling();
  std::vector<int64_t> extents = {1, 2, 3, 4}, strides = {24, 12, 4, 1};
  decideForward();
  auto conversion = sized<convmlir_torch_conversion>();
  conversion.plan = doubling.get();
  conversion.rank = 4;
  conversion.extents = extents.data();
  conversion.strides = strides.data();
  conversions = {conversion};
  EXPECT_EQ(convolve(), 4);
  EXPECT_EQ(convolve(), 4);
  fake().hasMemory = false;
  EXPECT_EQ(convolve(), 7); // PyTorch's kernel.
  EXPECT_EQ(served(), 2);
}

TEST_F(TorchOverride, resultsOfTheBackwardAreDecidedApart) {
  // dw is ours, dx and db are PyTorch's.
  decide("wgrad", {1, 0, 4}, 4, {3, 2, 1, 1}, {2, 1, 1, 1});
  EXPECT_EQ(goBackward({1, 1, 1}), (std::array<float, 3>{7, 12, 7}));
  EXPECT_EQ(fake().masks.back(), (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(goBackward({0, 1, 0}), (std::array<float, 3>{-1, 12, -1}));
  EXPECT_EQ(fake().masks.size(), 1u);
  EXPECT_EQ(served(), 1);
}

TEST_F(TorchOverride, withoutARuleTheBackwardIsPyTorchs) {
  EXPECT_EQ(goBackward({1, 0, 0}), (std::array<float, 3>{7, -1, -1}));
  std::vector<std::string> asked(1, "decide_convolution_backward");
  EXPECT_EQ(fake().dispatched, asked);
}

TEST_F(TorchOverride, rulesEndWithTheOverride) {
  decideForward();
  EXPECT_EQ(convolve(), 2);
  removeKernels(getKernels(), "aten", "CPU");
  EXPECT_TRUE(registerOverride(getKernels(), "CPU"));
  EXPECT_EQ(convolve(), 2);
  EXPECT_EQ(fake().dispatched.size(), 2u);
}

TEST_F(TorchOverride, keysThatPyTorchDoesNotHave) {
  EXPECT_FALSE(registerOverride(getKernels(), "ABACUS"));
}

} // namespace
