//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Npy.h"
#include "conv/Runtime/TensorInput.h"

#include "TestFiles.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace convmlir;
using namespace convmlir::test;

namespace {

/// A .npy file with that header text and data.
Bytes makeNpy(const std::string &header, const Bytes &data, int major = 1) {
  Bytes file{0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<uint8_t>(major), 0};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string makeHeader(const std::string &descr, const std::string &shape) {
  return "{'descr': '" + descr +
         "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

std::string errorOf(const Bytes &file) {
  Result<NpyArray> array = parseNpy(file, "x.npy");
  return array ? "" : array.error();
}

TEST(Npy, roundTripsEveryType) {
  TemporaryDirectory directory;
  std::string path = directory.path("x.npy");
  for (ElementType type : allElementTypes) {
    Tensor tensor = *makeInput(*parseInputSpec("random:3"), type, {2, 3, 5}, 0);
    ASSERT_TRUE(writeNpy(path, tensor));
    Result<NpyArray> array = readNpy(path);
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->shape, tensor.shape());
    Result<Tensor> back = tensorFromNpy(*array, type, path);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->toDoubles(), tensor.toDoubles()) << toString(type);
  }
  EXPECT_EQ(directory.fileCount(), 1u);
}

TEST(Npy, dataIsAlignedAndHeaderIsNumPys) {
  Bytes file = serialiseNpy(*Tensor::create(ElementType::F16, {7}));
  EXPECT_EQ(file.size(), 128u + 14);
  std::string text(file.begin() + 10, file.begin() + 128);
  EXPECT_TRUE(text.starts_with(
      "{'descr': '<f2', 'fortran_order': False, 'shape': (7, ), }"));
  EXPECT_EQ(text.back(), '\n');
}

TEST(Npy, readsAllVersionsRanksAndSpellings) {
  for (int major : {1, 2, 3}) {
    Result<NpyArray> array =
        parseNpy(makeNpy(makeHeader("<i2", "(2, 2)"), Bytes(8), major), "x");
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->dtype(), "i2");
    EXPECT_EQ(array->shape, (Shape{2, 2}));
  }
  EXPECT_EQ(parseNpy(makeNpy(makeHeader("<f8", "()"), Bytes(8)), "x")->shape,
            Shape{});
  EXPECT_EQ(parseNpy(makeNpy(makeHeader("|u1", "(3,)"), Bytes(3)), "x")->shape,
            Shape{3});
  EXPECT_EQ(parseNpy(makeNpy("{\"shape\":(0,5),\"fortran_order\":False,"
                             "\"descr\":\"<f4\"}",
                             {}),
                     "x")
                ->shape,
            (Shape{0, 5}));
}

TEST(Npy, refusesEveryTruncation) {
  Bytes file = serialiseNpy(*Tensor::create(ElementType::F32, {3, 5}));
  ASSERT_EQ(errorOf(file), "");
  for (size_t size = 0; size < file.size(); ++size) {
    std::string error = errorOf(Bytes(file.begin(), file.begin() + size));
    EXPECT_TRUE(error.starts_with("x.npy: ")) << size << error;
  }
  file.push_back(0);
  EXPECT_EQ(errorOf(file), "x.npy: shape 3x5 of f4 takes 60 bytes, the file "
                           "has 61");
}

TEST(Npy, refusesBadHeaders) {
  struct Case {
    std::string header, message;
  };
  std::string f4 = "'descr': '<f4'", order = "'fortran_order': False",
              shape = "'shape': (1,)";
  const Case cases[] = {
      {"", "expected '{' at character 0, got the end"},
      {"[]", "expected '{' at character 0, got '['"},
      {"{", "expected ''' at character 1, got the end"},
      {"{'descr", "a string is not closed"},
      {"{'descr' '<f4'}", "expected ':' at character 9, got '''"},
      {"{" + f4 + "}", "one of descr, fortran_order and shape is absent"},
      {"{" + f4 + ", " + f4 + "}", "'descr' appears twice"},
      {"{'color': 3}", "unknown key 'color'"},
      {"{" + f4 + " " + order + "}", "expected ',' at character 16, got '''"},
      {makeHeader("<f4", "(1,)") + "x", "text after the closing brace"},
      {makeHeader(">f4", "(1,)"), "big-endian data ('>f4')"},
      {makeHeader("<f3", "(1,)"), "unsupported dtype '<f3'"},
      {makeHeader("<c8", "(1,)"), "unsupported dtype '<c8'"},
      {makeHeader("<u8", "(1,)"), "unsupported dtype '<u8'"},
      {makeHeader("|O", "(1,)"), "unsupported dtype '|O'"},
      {makeHeader("<f4", "(-1,)"), "bad extent '-1'"},
      {makeHeader("<f4", "(1.5,)"), "expected ',' at character"},
      {makeHeader("<f4", "(99999999999999999999,)"), "bad extent"},
      {makeHeader("<f4", "(,)"), "expected a value"},
      {makeHeader("<f4", "(1 2)"), "expected ','"},
      {makeHeader("<f4", "1"), "expected '('"},
      {makeHeader("<f4", "(4611686018427387904, 4)"), "does not fit in 63"},
      {makeHeader("<f4", "(4611686018427387904,)"), "does not fit in 63"},
      {makeHeader("<f4", "(1000000,)"), "takes 4000000 bytes, the file has 4"},
      {"{'descr': [('a', '<f4')], " + order + ", " + shape + "}",
       "structured dtypes"},
      {"{" + f4 + ", 'fortran_order': True, " + shape + "}", "Fortran order"},
      {"{" + f4 + ", 'fortran_order': 0, " + shape + "}",
       "expected False or True"},
  };
  for (const Case &test : cases)
    EXPECT_TRUE(contains(errorOf(makeNpy(test.header, Bytes(4))), test.message))
        << test.header;
  EXPECT_TRUE(contains(errorOf(makeNpy("{}", {}, 4)), "version 4.0"));
  EXPECT_TRUE(contains(errorOf({'P', 'K', 3, 4, 0, 0, 0, 0}), "not a .npy"));
}

TEST(Npy, refusesAbsentFilesAndDirectories) {
  TemporaryDirectory directory;
  EXPECT_TRUE(contains(readNpy(directory.path("no.npy")).error(),
                       "No such file or directory"));
  EXPECT_TRUE(
      contains(readNpy(directory.path("")).error(), "not a regular file"));
}

NpyArray makeArray(char kind, int elementBytes, Bytes data) {
  int64_t count = static_cast<int64_t>(data.size()) / elementBytes;
  return {kind, elementBytes, {count}, std::move(data)};
}

TEST(Npy, unsignedIntegersAreBitsOfTypesThatNumPyLacks) {
  NpyArray words = makeArray('u', 2, {0x80, 0x3f, 0x00, 0xc0});
  EXPECT_EQ(tensorFromNpy(words, ElementType::BF16, "x")->toDoubles(),
            (std::vector<double>{1, -2}));
  EXPECT_EQ(tensorFromNpy(words, ElementType::F32, "x")->toDoubles(),
            (std::vector<double>{0x3f80, 0xc000}));
  NpyArray bytes = makeArray('u', 1, {0x38, 0x7e});
  EXPECT_EQ(tensorFromNpy(bytes, ElementType::E4M3, "x")->toDoubles(),
            (std::vector<double>{1, 448}));
}

TEST(Npy, integersMustBeHeldExactly) {
  NpyArray values = makeArray('i', 2, {0x05, 0x00, 0x00, 0x01});
  EXPECT_EQ(tensorFromNpy(values, ElementType::S8, "x.npy").error(),
            "x.npy: element [1] is 256, which s8 does not hold: expected an "
            "integer from -128 to 127");
  values.shape = {1, 2};
  EXPECT_EQ(tensorFromNpy(values, ElementType::S8, "x.npy").error(),
            "x.npy: element [0, 1] is 256, which s8 does not hold: expected an "
            "integer from -128 to 127");
  EXPECT_TRUE(tensorFromNpy(values, ElementType::S32, "x.npy"));
}

NpyArray makeNumbers(const std::vector<double> &values) {
  Bytes data(values.size() * sizeof(double));
  std::memcpy(data.data(), values.data(), data.size());
  return makeArray('f', sizeof(double), std::move(data));
}

/// One rule for all types: what is given is rounded, never made another number.
TEST(Npy, whatATypeHasNotIsRefused) {
  constexpr double inf = HUGE_VAL;
  struct Case {
    ElementType type;
    double largest; ///< That rounds to a number of the type.
    double above;   ///< The next one that matters.
    bool hasInfinity, hasNaN;
  };
  for (const Case &c :
       {Case{ElementType::F16, 65519, 65520, true, true},
        {ElementType::BF16, 0x1.fefp127, 0x1.ffp127, true, true},
        {ElementType::TF32, 0x1.ffdfp127, 0x1.ffep127, true, true},
        {ElementType::F32, 0x1.fffffefp127, 0x1.ffffffp127, true, true},
        {ElementType::E4M3, 463, 465, false, true},
        {ElementType::E5M2, 61439, 61440, true, true},
        {ElementType::S8, 127, 128, false, false},
        {ElementType::S32, 0x1p31 - 1, 0x1p31, false, false}}) {
    auto take = [&](double value) {
      return tensorFromNpy(makeNumbers({0, value}), c.type, "x.npy");
    };
    auto isRefused = [&](double value) {
      Result<Tensor> tensor = take(value);
      return !tensor && tensor.error().starts_with("x.npy: element [1] is ") &&
             tensor.error().find(std::string("which ") + toString(c.type) +
                                 " does not hold") != std::string::npos;
    };
    EXPECT_TRUE(take(c.largest)) << toString(c.type);
    EXPECT_TRUE(take(-c.largest)) << toString(c.type);
    EXPECT_TRUE(isRefused(c.above)) << toString(c.type);
    EXPECT_TRUE(isRefused(-c.above * (isInteger(c.type) ? 2 : 1)));
    for (double infinity : {inf, -inf}) {
      EXPECT_EQ(isRefused(infinity), !c.hasInfinity) << toString(c.type);
      if (c.hasInfinity) {
        EXPECT_EQ(take(infinity)->get(1), infinity) << toString(c.type);
      }
    }
    EXPECT_EQ(isRefused(NAN), !c.hasNaN) << toString(c.type);
    if (c.hasNaN) {
      EXPECT_TRUE(std::isnan(take(NAN)->get(1))) << toString(c.type);
    }
  }
}

TEST(Npy, inputMustHaveTheShape) {
  TemporaryDirectory directory;
  std::string path = directory.path("x.npy");
  ASSERT_TRUE(writeNpy(path, *Tensor::create(ElementType::F32, {2, 3})));
  Result<InputSpec> spec = parseInputSpec(path);
  ASSERT_TRUE(spec);
  EXPECT_TRUE(makeInput(*spec, ElementType::F16, {2, 3}, 0));
  EXPECT_EQ(makeInput(*spec, ElementType::F16, {3, 2}, 0).error(),
            path + ": expected shape 3x2, got 2x3");
}

} // namespace
