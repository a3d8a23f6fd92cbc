//===- CudaTensorMapTest.cpp - tensor maps handed to the driver -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaTensorMap.h"

#include "TestPlans.h"

#include "gtest/gtest.h"

#include <vector>

using namespace convmlir;
using namespace convmlir::cuda;
using namespace convmlir::test;

namespace {

/// The fake driver "encodes" a map as the list of the numbers that it got.
std::vector<uint64_t> encode(const TensorMap &map) {
  Result<std::shared_ptr<const Driver>> driver = Driver::open(FAKE_CUDA_DRIVER);
  EXPECT_TRUE(driver) << driver.error();
  TensorMapBits bits{};
  EXPECT_TRUE(encodeTensorMap(**driver, map, 4096, bits));
  return std::vector<uint64_t>(bits.words, bits.words + 14);
}

TEST(CudaTensorMap, im2col) {
  TensorMap map = makeIm2colMap();
  map.fill = TensorMapFill::NanRequestZeroFma;
  EXPECT_EQ(encode(map),
            (std::vector<uint64_t>{9, 4, 4096, 2, 2048, uint64_t(-1),
                                   uint64_t(-1), 16, 64, 1, 0, 1, 3, 1}));
}

TEST(CudaTensorMap, tiled) {
  TensorMap map = makeTiledMap();
  map.type = ElementType::F16;
  EXPECT_EQ(encode(map), (std::vector<uint64_t>{6, 2, 4096, 4, 288, 4, 1, 0, 3,
                                                0, 0, 0, 0, 0}));
}

TEST(CudaTensorMap, typesOfTheDriver) {
  const std::pair<ElementType, uint64_t> codes[] = {
      {ElementType::S8, 0},  {ElementType::E4M3, 0}, {ElementType::E5M2, 0},
      {ElementType::S32, 3}, {ElementType::F16, 6},  {ElementType::F32, 7},
      {ElementType::F64, 8}, {ElementType::BF16, 9}, {ElementType::TF32, 11}};
  for (auto [type, code] : codes) {
    TensorMap map = makeTiledMap();
    map.type = type;
    EXPECT_EQ(encode(map)[0], code) << toString(type);
  }
}

TEST(CudaTensorMap, driverWithoutTensorMaps) {
  TensorMapBits bits{};
  Driver old;
  EXPECT_FALSE(encodeTensorMap(old, makeTiledMap(), 0, bits));
  EXPECT_FALSE(encodeTensorMap(old, makeIm2colMap(), 0, bits));
}

} // namespace
