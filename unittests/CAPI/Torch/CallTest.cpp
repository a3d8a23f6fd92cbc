//===- CallTest.cpp - arguments of boxed kernels, and their signatures ----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "FakeTorch.h"
#include "TheirKernels.h"

#include "gtest/gtest.h"

#include <set>

using namespace convmlir::torch;
using namespace convmlir::torch::test;

namespace {

using Words = std::vector<int64_t>;

class TorchCall : public testing::Test {
protected:
  ~TorchCall() override {
    // Every call has freed what its stack held.
    EXPECT_EQ(fake().handles, 0);
    EXPECT_EQ(fake().lists, 0);
    EXPECT_EQ(fake().texts, 0);
  }

  FakeCall forward(std::vector<int64_t> x = {2, 3, 5, 4}) {
    return {makeTensor(std::move(x)), makeTensor({6, 3, 2, 2})};
  }
  FakeCall backward() {
    return {makeTensor({2, 6, 4, 3}), makeTensor({2, 3, 5, 4}),
            makeTensor({6, 3, 2, 2})};
  }
  Words words(std::vector<Value> stack, Operator op = Operator::Convolution) {
    Call call(abi, op, stack.data());
    EXPECT_TRUE(call.isReadable());
    Signature signature = call.getSignature();
    EXPECT_TRUE(signature.isComplete());
    return {signature.get().begin(), signature.get().end()};
  }
  Words changed(void (*change)(FakeCall &)) {
    FakeCall call = forward();
    change(call);
    return words(call.convolution());
  }

  StableAbi abi = makeFakeAbi();
};

TEST_F(TorchCall, addressesAreNoPartOfASignature) {
  EXPECT_EQ(words(forward().convolution()), words(forward().convolution()));
  EXPECT_EQ(words(backward().backward(), Operator::Backward),
            words(backward().backward(), Operator::Backward));
}

TEST_F(TorchCall, everythingElseIs) {
  std::set<Words> found = {
      words(forward().convolution()),
      words(forward({2, 3, 5, 5}).convolution()),
      words(backward().backward(), Operator::Backward),
      changed([](FakeCall &call) {
        call.stride = {2, 1};
      }),
      changed([](FakeCall &call) {
        call.padding = {2, 1};
      }),
      changed([](FakeCall &call) {
        call.dilation = {2, 1};
      }),
      changed([](FakeCall &call) { call.stride = {1}; }),
      changed([](FakeCall &call) {
        call.outputPadding = {0, 1};
      }),
      changed([](FakeCall &call) { call.transposed = true; }),
      changed([](FakeCall &call) { call.groups = 3; }),
      changed([](FakeCall &call) { call.third = makeTensor({6}); }),
      changed([](FakeCall &call) { get(call.first).dtype = 15; }),
      changed([](FakeCall &call) { get(call.second).dtype = 15; }),
      changed([](FakeCall &call) { get(call.first).strides[1] = 1; }),
      changed([](FakeCall &call) { get(call.first).device = 1; }),
      changed([](FakeCall &) { fake().precision = 1; }),
  };
  fake().precision = 0;
  found.insert(changed([](FakeCall &) { fake().usesMkldnn = false; }));
  EXPECT_EQ(found.size(), 17u);
}

TEST_F(TorchCall, ofTheBackward) {
  auto ofMask = [&](const std::vector<int64_t> &mask, bool hasBiasSizes) {
    FakeCall call = backward();
    call.mask = mask;
    call.hasBiasSizes = hasBiasSizes;
    return words(call.backward(), Operator::Backward);
  };
  std::set<Words> found = {ofMask({1, 1, 0}, false), ofMask({0, 1, 0}, false),
                           ofMask({1, 1, 1}, false), ofMask({1, 1, 1}, true)};
  EXPECT_EQ(found.size(), 4u);
}

TEST_F(TorchCall, ofOurOperators) {
  auto ofConv = [&](void (*change)(FakeOperatorCall &)) {
    FakeOperatorCall call{Operator::Conv,
                          {makeTensor({2, 3, 5, 4}), makeTensor({6, 3, 2, 2}),
                           nullptr, nullptr, nullptr}};
    change(call);
    return words(call.stack(), Operator::Conv);
  };
  Words plain = ofConv([](FakeOperatorCall &) {});
  EXPECT_EQ(plain, ofConv([](FakeOperatorCall &) {}));
  std::set<Words> found = {
      plain,
      ofConv([](FakeOperatorCall &call) { call.inputs[2] = makeTensor({6}); }),
      ofConv([](FakeOperatorCall &call) { call.inputs[3] = makeTensor({6}); }),
      ofConv([](FakeOperatorCall &call) { call.inputs[3] = makeTensor({}); }),
      ofConv([](FakeOperatorCall &call) { call.activation = "relu"; }),
      ofConv([](FakeOperatorCall &call) { call.activation = "clip:0:1.125"; }),
      ofConv([](FakeOperatorCall &call) { call.activation = "clip:0:1.126"; }),
      ofConv([](FakeOperatorCall &call) {
        call.padding = {0, 0, 0, 0};
      }),
      ofConv([](FakeOperatorCall &call) { call.groups = 2; }),
      ofConv([](FakeOperatorCall &call) { call.out = 0; }),
      ofConv([](FakeOperatorCall &call) { call.out = 15; }),
  };
  EXPECT_EQ(found.size(), 11u);
}

TEST_F(TorchCall, ofOurGradients) {
  auto ofDgrad = [&](std::vector<int64_t> size, const char *activation) {
    FakeOperatorCall call{
        Operator::Dgrad,
        {makeTensor({2, 6, 4, 3}), makeTensor({6, 3, 2, 2}), nullptr, nullptr},
        activation,
        std::move(size)};
    return words(call.stack(), Operator::Dgrad);
  };
  auto ofWgrad = [&](std::vector<int64_t> size, bool bias) {
    FakeOperatorCall call{
        Operator::Wgrad,
        {makeTensor({2, 3, 5, 4}), makeTensor({2, 6, 4, 3}), nullptr},
        "none",
        std::move(size),
        bias};
    return words(call.stack(), Operator::Wgrad);
  };
  std::set<Words> found = {
      ofDgrad({2, 3, 5, 4}, "none"), ofDgrad({2, 3, 6, 4}, "none"),
      ofDgrad({2, 3, 5, 4}, "relu"), ofWgrad({6, 3, 2, 2}, false),
      ofWgrad({6, 3, 2, 2}, true),   ofWgrad({6, 3, 3, 2}, true)};
  EXPECT_EQ(found.size(), 6u);
}

TEST_F(TorchCall, aDeviceOfAnyTensorCounts) {
  EXPECT_NE(changed([](FakeCall &call) { get(call.second).device = 1; }),
            changed([](FakeCall &) {}));
}

TEST_F(TorchCall, aBiasMayBeUndefined) {
  FakeCall with = forward();
  abi.newUndefined(&with.third);
  EXPECT_EQ(words(with.convolution()), words(forward().convolution()));
}

TEST_F(TorchCall, copiesAreTheSameCall) {
  for (Operator op : {Operator::Convolution, Operator::Backward}) {
    bool isBackward = op == Operator::Backward;
    FakeCall given = isBackward ? backward() : forward();
    given.stride = {3, 2};
    given.hasBiasSizes = true;
    if (!isBackward)
      given.third = makeTensor({6});
    std::vector<Value> stack =
        isBackward ? given.backward() : given.convolution();
    Call call(abi, op, stack.data());
    Signature signature = call.getSignature();
    EXPECT_EQ(words(call.copyStack(), op),
              Words(signature.get().begin(), signature.get().end()));
  }
}

TEST_F(TorchCall, copiesOfOurOperatorsAreTheSameCall) {
  FakeOperatorCall given{Operator::Conv,
                         {makeTensor({2, 3, 5, 4}), makeTensor({6, 3, 2, 2}),
                          makeTensor({6}), nullptr, makeTensor({2, 6, 4, 3})},
                         "clip:-1:1"};
  given.out = 15;
  std::vector<Value> stack = given.stack();
  Call call(abi, Operator::Conv, stack.data());
  Signature signature = call.getSignature();
  EXPECT_EQ(words(call.copyStack(), Operator::Conv),
            Words(signature.get().begin(), signature.get().end()));
}

TEST_F(TorchCall, masks) {
  FakeCall given = backward();
  given.mask = {0, 1, 1};
  std::vector<Value> stack = given.backward();
  Call call(abi, Operator::Backward, stack.data());
  EXPECT_EQ(getMask(call), (std::array<bool, 3>{false, true, true}));
}

TEST_F(TorchCall, listsThatNoConvolutionHas) {
  FakeCall given = forward();
  given.padding = {1, 2, 3, 4, 5, 6, 7};
  std::vector<Value> stack = given.convolution();
  Call call(abi, Operator::Convolution, stack.data());
  EXPECT_FALSE(call.isReadable());
}

TEST_F(TorchCall, signaturesThatAreTooLongAreNone) {
  FakeCall given = forward(std::vector<int64_t>(70, 1));
  std::vector<Value> stack = given.convolution();
  Call call(abi, Operator::Convolution, stack.data());
  Signature signature = call.getSignature();
  EXPECT_FALSE(signature.isComplete());
  EXPECT_TRUE(signature.get().empty());
}

TEST(TorchStableAbi, saysWhatIsMissing) {
  auto none = StableAbi::load("/nowhere/libtorch_cpu.so", "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(),
            "PyTorch: /nowhere/libtorch_cpu.so is not loaded; the fast "
            "override needs PyTorch 2.10 or newer");
  auto other = StableAbi::load("libc.so.6", "");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(),
            "PyTorch: there is no aoti_torch_get_dim; the fast override needs "
            "PyTorch 2.10 or newer");
}

} // namespace
