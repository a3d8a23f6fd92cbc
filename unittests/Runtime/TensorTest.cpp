//===- TensorTest.cpp - tensors, shapes and their generators --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Tensor.h"
#include "conv/Runtime/TensorInput.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace convmlir;

namespace {

TEST(ElementType, namesAndSizes) {
  for (ElementType type : allElementTypes)
    EXPECT_EQ(parseElementType(toString(type)), type);
  EXPECT_FALSE(parseElementType("f8"));
  EXPECT_FALSE(parseElementType(""));
  EXPECT_EQ(elementTypeNames(), "f16, bf16, tf32, f32, f64, s8, e4m3, e5m2, "
                                "s32");
  EXPECT_EQ(byteSize(ElementType::BF16), 2);
  EXPECT_EQ(byteSize(ElementType::TF32), 4);
  EXPECT_EQ(byteSize(ElementType::E5M2), 1);
}

TEST(Shape, countsWithoutOverflow) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({2, 3, 5}), 30);
  EXPECT_EQ(elementCount({0, INT64_MAX, INT64_MAX}), 0);
  EXPECT_EQ(elementCount({INT64_MAX, INT64_MAX, 0}), 0);
  EXPECT_FALSE(elementCount({INT64_MAX, 2}));
  EXPECT_FALSE(elementCount({0, -1}));
  EXPECT_FALSE(byteCount({INT64_MAX}, ElementType::F16));
  EXPECT_EQ(toString(Shape{2, 17, 23}), "2x17x23");
  EXPECT_EQ(toString(Shape{}), "scalar");
  EXPECT_EQ(indexAt({2, 3, 5}, 22), (Shape{1, 1, 2}));
}

TEST(Tensor, storesEveryType) {
  for (ElementType type : allElementTypes) {
    Result<Tensor> tensor = Tensor::create(type, {3, 5});
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->bytes().size(), 15u * byteSize(type));
    for (int64_t i = 0; i < 15; ++i)
      tensor->set(i, static_cast<double>(i - 7));
    for (int64_t i = 0; i < 15; ++i)
      EXPECT_EQ(tensor->get(i), static_cast<double>(i - 7)) << toString(type);
    EXPECT_EQ(tensor->convertedTo(ElementType::F64).toDoubles(),
              tensor->toDoubles());
  }
}

TEST(Tensor, integersSaturateAndRoundToEven) {
  Tensor tensor = *Tensor::create(ElementType::S8, {1});
  auto stored = [&](double value) {
    tensor.set(0, value);
    return tensor.get(0);
  };
  EXPECT_EQ(stored(1000), 127);
  EXPECT_EQ(stored(-HUGE_VAL), -128);
  EXPECT_EQ(stored(2.5), 2);
  EXPECT_EQ(stored(3.5), 4);
  EXPECT_EQ(stored(NAN), 0);
}

TEST(Tensor, tf32KeepsTheUpperBits) {
  Tensor tensor = *Tensor::create(ElementType::TF32, {1});
  tensor.set(0, 1 + 0x1p-11 + 0x1p-20);
  EXPECT_EQ(tensor.get(0), 1 + 0x1p-10);
  EXPECT_EQ(tensor.bytes()[0], 0);
  EXPECT_EQ(tensor.bytes()[1] & 0x1f, 0);
}

TEST(Tensor, refusesShapesWithoutSize) {
  EXPECT_EQ(Tensor::create(ElementType::F32, {2, -1}).error(),
            "a tensor of shape 2x-1 has a negative extent or more than 2^63 "
            "bytes");
  EXPECT_FALSE(Tensor::create(ElementType::F32, {INT64_MAX, 4}));
}

static Tensor make(const char *spec, ElementType type, Shape shape,
                   uint64_t seed = 1) {
  return *makeInput(*parseInputSpec(spec), type, shape, seed);
}

TEST(TensorInput, parsesTheGrammar) {
  EXPECT_EQ(parseInputSpec("random")->kind, InputSpec::Kind::Random);
  EXPECT_FALSE(parseInputSpec("random")->seed);
  EXPECT_EQ(parseInputSpec("random:18446744073709551615")->seed, UINT64_MAX);
  EXPECT_EQ(parseInputSpec("integers:3")->kind, InputSpec::Kind::Integers);
  EXPECT_EQ(parseInputSpec("ones")->kind, InputSpec::Kind::Ones);
  EXPECT_EQ(parseInputSpec("dir/random.npy")->path, "dir/random.npy");
  EXPECT_EQ(parseInputSpec("a:b.npz:w:1")->path, "a:b.npz");
  EXPECT_EQ(parseInputSpec("a:b.npz:w:1")->key, "w:1");
}

TEST(TensorInput, refusesEverythingElse) {
  for (const char *spec : {"", "Random", "randomx", "random:", "random:-1",
                           "random:1x", "random:18446744073709551616", "twos",
                           "x.txt", ".npy", "x.npz", "x.npz:", ".npz:k"})
    EXPECT_FALSE(parseInputSpec(spec)) << spec;
  EXPECT_EQ(parseInputSpec("random:x").error(),
            "bad input 'random:x': expected a number below 2^64 as the seed, "
            "got 'x'");
}

TEST(TensorInput, randomIsUniformAndReproducible) {
  Tensor a = make("random:5", ElementType::F64, {100, 100});
  EXPECT_EQ(a.toDoubles(),
            make("random:5", ElementType::F64, {10000}).toDoubles());
  EXPECT_NE(a.toDoubles(),
            make("random:6", ElementType::F64, {10000}).toDoubles());
  double sum = 0, squares = 0;
  for (double value : a.toDoubles()) {
    ASSERT_LE(std::abs(value), 1);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e4, 0, 0.03);
  EXPECT_NEAR(squares / 1e4, 1.0 / 3, 0.02);
}

TEST(TensorInput, defaultSeedIsUsedOnlyWithoutSeed) {
  EXPECT_NE(make("random", ElementType::F32, {8}, 1).toDoubles(),
            make("random", ElementType::F32, {8}, 2).toDoubles());
  EXPECT_EQ(make("random:1", ElementType::F32, {8}, 1).toDoubles(),
            make("random:1", ElementType::F32, {8}, 2).toDoubles());
}

TEST(TensorInput, integersAreSmallAndExactInEveryType) {
  std::set<double> all{-2, -1, 0, 1, 2};
  for (ElementType type : allElementTypes) {
    std::set<double> seen;
    for (double value : make("integers", type, {500}).toDoubles())
      seen.insert(value);
    EXPECT_EQ(seen, all) << toString(type);
  }
}

TEST(TensorInput, constants) {
  EXPECT_EQ(make("ones", ElementType::BF16, {2}).toDoubles(),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(make("zeros", ElementType::E4M3, {2}).toDoubles(),
            (std::vector<double>{0, 0}));
}

} // namespace
