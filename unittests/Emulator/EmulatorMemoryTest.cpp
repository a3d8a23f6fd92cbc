//===- EmulatorMemoryTest.cpp - tests of device buffers -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, bounds, contents.
//
//===----------------------------------------------------------------------===//

#include "conv/Emulator/EmulatorMemory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace convmlir;

TEST(EmulatorMemory, BuffersAreAlignedAndPoisoned) {
  EmulatorMemory memory;
  for (size_t bytes : {0, 1, 255, 256, 4095, 4096, 100000}) {
    Result<void *> pointer = memory.allocate(bytes);
    ASSERT_TRUE(pointer);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*pointer) % 256, 0u);
    auto *begin = static_cast<unsigned char *>(*pointer);
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(begin[i], 0xFF);
  }
}

TEST(EmulatorMemory, FindIsExactToTheByte) {
  EmulatorMemory memory;
  auto *begin = static_cast<char *>(*memory.allocate(100));
  EXPECT_TRUE(memory.find(begin, 100));
  EXPECT_TRUE(memory.find(begin + 99, 1));
  EXPECT_FALSE(memory.find(begin + 99, 2));
  EXPECT_FALSE(memory.find(begin - 1, 1));
  EXPECT_EQ(memory.nearest(begin + 150)->begin,
            reinterpret_cast<std::byte *>(begin));
}

TEST(EmulatorMemory, CopiesCheckTheirBounds) {
  EmulatorMemory memory;
  auto *begin = static_cast<char *>(*memory.allocate(8));
  char data[9] = "abcdefgh", back[9] = {};
  EXPECT_TRUE(memory.copyIn(begin, data, 8));
  EXPECT_TRUE(memory.copyOut(back, begin, 8));
  EXPECT_STREQ(back, data);
  Status tooLong = memory.copyIn(begin, data, 9);
  ASSERT_FALSE(tooLong);
  EXPECT_EQ(tooLong.error(),
            "emulator: copy to the device of 9 bytes is not inside a buffer");
}

TEST(EmulatorMemory, ReleaseForgetsTheBuffer) {
  EmulatorMemory memory;
  void *pointer = *memory.allocate(8);
  EXPECT_TRUE(memory.release(pointer));
  EXPECT_FALSE(memory.find(pointer, 8));
  EXPECT_FALSE(memory.release(pointer));
}
