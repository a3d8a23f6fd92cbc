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

#include <atomic>
#include <thread>
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

/// A driver that encodes the address alone, and counts.
std::atomic<int> encoded = 0;
Driver makeCountingDriver() {
  encoded = 0;
  Driver driver;
  driver.tensorMapEncodeTiled = [](TensorMapBits *bits, int, uint32_t,
                                   void *address, auto...) -> Code {
    ++encoded;
    bits->words[0] = reinterpret_cast<uint64_t>(address);
    return success;
  };
  return driver;
}

uint64_t getAddress(TensorMapCache &cache, const Driver &driver,
                    uint64_t address) {
  TensorMapBits bits{};
  EXPECT_TRUE(cache.get(driver, makeTiledMap(), address, bits));
  return bits.words[0];
}

TEST(CudaTensorMap, areEncodedOnceForAnAddress) {
  Driver driver = makeCountingDriver();
  TensorMapCache cache;
  for (int round = 0; round < 3; ++round)
    for (uint64_t address : {4096, 8192, 4096 + 16})
      EXPECT_EQ(getAddress(cache, driver, address), address);
  EXPECT_EQ(encoded, 3);
}

TEST(CudaTensorMap, forgetsTheOldestAddress) {
  Driver driver = makeCountingDriver();
  TensorMapCache cache;
  for (uint64_t i = 1; i <= 9; ++i)
    EXPECT_EQ(getAddress(cache, driver, 16 * i), 16 * i);
  EXPECT_EQ(getAddress(cache, driver, 16 * 9), 16u * 9);
  EXPECT_EQ(encoded, 9);
  EXPECT_EQ(getAddress(cache, driver, 16), 16u);
  EXPECT_EQ(encoded, 10);
}

TEST(CudaTensorMap, whatCannotBeEncodedIsNotKept) {
  Driver old, driver = makeCountingDriver();
  TensorMapCache cache;
  TensorMapBits bits{};
  EXPECT_FALSE(cache.get(old, makeTiledMap(), 4096, bits));
  EXPECT_EQ(getAddress(cache, driver, 4096), 4096u);
}

TEST(CudaTensorMap, forManyThreads) {
  Driver driver = makeCountingDriver();
  TensorMapCache cache;
  auto work = [&](uint64_t thread) {
    for (uint64_t i = 1; i <= 2000; ++i) {
      uint64_t address = 16 * (thread + i % 7 + 1);
      EXPECT_EQ(getAddress(cache, driver, address), address);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
