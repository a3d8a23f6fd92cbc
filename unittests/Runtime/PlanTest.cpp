//===- PlanTest.cpp - rules of plans and tensor maps ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Plan.h"

#include "TestFiles.h"
#include "TestPlans.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace convmlir;
using namespace convmlir::test;

namespace {

TEST(Plan, factsThatFollow) {
  Plan plan = makeFullPlan();
  EXPECT_TRUE(validate(plan)) << validate(plan).error();
  EXPECT_EQ(plan.workspaceBytes(), 2048);
  EXPECT_EQ(plan.buffersOf(BufferRole::Argument), (std::vector<int64_t>{0, 1}));
  std::swap(plan.buffers[0], plan.buffers[1]);
  EXPECT_EQ(plan.buffersOf(BufferRole::Argument), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(describe(plan.buffers[2]), "y (result 0)");
  EXPECT_EQ(describe(plan.buffers[3]), "partials (workspace)");
}

/// One change to the valid plan, and a part of the message that it must give.
struct Case {
  std::function<void(Plan &)> change;
  const char *message;
};

TEST(Plan, refusesWhatBreaksARule) {
  const Case cases[] = {
      {[](Plan &p) { p.target = ""; }, "target: expected a name"},
      {[](Plan &p) { p.compileMs = -1; }, "compile_ms"},
      {[](Plan &p) { p.compileMs = NAN; }, "compile_ms"},
      {[](Plan &p) { p.buffers[0].shape = {-1}; },
       "buffers[0]: shape -1 of bf16 is negative or takes more"},
      {[](Plan &p) {
         p.buffers[0].shape = {INT64_MAX, 2};
       },
       "buffers[0]: sh"},
      {[](Plan &p) { p.buffers[0].position = 1; },
       "must be 0, 1, 2, …: expected 0, got 1"},
      {[](Plan &p) { p.buffers[1].position = 0; },
       "buffers[1].position: the positions of the arguments must be 0, 1, 2, "
       "…: expected 1, got 0"},
      {[](Plan &p) { p.buffers[2].position = -1; }, "buffers[2].position"},
      {[](Plan &p) { p.buffers[3].position = 0; },
       "buffers[3]: a workspace has no position, got 0"},
      {[](Plan &p) { p.buffers[4].data.pop_back(); },
       "buffers[4]: expected 4 bytes of data, got 3"},
      {[](Plan &p) { p.buffers[0].data = {1}; },
       "buffers[0]: expected 0 bytes of data, got 1"},
      {[](Plan &p) { p.images[1].data.clear(); }, "images[1]: empty"},
      {[](Plan &p) { p.launches[0].kernel = ""; }, "launches[0].kernel"},
      {[](Plan &p) { p.launches[0].images = {}; }, "launches[0].images: exp"},
      {[](Plan &p) { p.launches[1].images = {3}; },
       "launches[1].images: image 3 does not exist, the plan has 3"},
      {[](Plan &p) { p.launches[1].images = {-1}; }, "image -1 does not exist"},
      {[](Plan &p) { p.launches[0].grid[1] = 0; },
       "launches[0].grid: expected 1 to 65535 blocks in y, got 0"},
      {[](Plan &p) { p.launches[0].grid[0] = int64_t(1) << 31; }, "in x, got"},
      {[](Plan &p) {
         p.launches[0].block = {64, 32, 1};
       },
       "launches[0].block: expected at most 1024 threads, got 2048"},
      {[](Plan &p) { p.launches[0].block[2] = 65; }, "threads in z, got 65"},
      {[](Plan &p) { p.launches[0].cluster[0] = 3; },
       "launches[0].cluster: 3 does not divide the 4 blocks in x"},
      {[](Plan &p) {
         p.launches[0].grid = {8, 8, 1};
         p.launches[0].cluster = {8, 4, 1};
       },
       "expected at most 16 blocks, got 32"},
      {[](Plan &p) { p.launches[0].dynamicSharedBytes = -1; },
       "launches[0]: shared memory is negative or more than 256 KiB"},
      {[](Plan &p) { p.launches[0].dynamicSharedBytes = 300000; }, "256 KiB"},
      {[](Plan &p) { p.launches[0].registers = 256; },
       "launches[0].registers: expected 0 to 255, got 256"},
      {[](Plan &p) {
         p.launches[1].arguments[0] = BufferArgument{5, 0};
       },
       "launches[1].arguments[0]: buffer 5 does not exist, the plan has 5"},
      {[](Plan &p) {
         p.launches[1].arguments[0] = BufferArgument{-1, 0};
       },
       "buffer -1 does not exist"},
      {[](Plan &p) {
         p.launches[1].arguments[1] = BufferArgument{2, 1025};
       },
       "launches[1].arguments[1]: 0 bytes at offset 1025 leave y (result 0) of "
       "1024 bytes"},
      {[](Plan &p) {
         p.launches[1].arguments[1] = BufferArgument{2, -2};
       },
       "offset -2 leave"},
      {[](Plan &p) {
         std::get<TensorMap>(p.launches[0].arguments[0]).buffer = 1;
       },
       "launches[0].arguments[0]: 4096 bytes at offset 0 leave w"},
      {[](Plan &p) {
         std::get<TensorMap>(p.launches[0].arguments[1]).box = {64};
       },
       "launches[0].arguments[1]: tensor map: box: expected 2 entries, got 1"},
      {[](Plan &p) { p.flops = -1; }, "flops, least_bytes"},
      {[](Plan &p) { p.launches[0].kernel = "a\x1b"; },
       "launches[0].kernel: expected the name of a kernel, of letters, digits"},
      {[](Plan &p) {
         p.launches[1].grid = {2147483647, 1, 1};
       },
       "launches[1].grid: more blocks than the plan's buffers have bytes"},
      {[](Plan &p) {
         PlanBuffer huge = p.buffers[3];
         huge.shape = {int64_t(1) << 46};
         p.buffers.insert(p.buffers.end(), 300, huge);
       },
       "buffers: together they take more than 2^56 bytes"},
  };
  for (const Case &test : cases) {
    Plan plan = makeFullPlan();
    test.change(plan);
    EXPECT_TRUE(contains(validate(plan).error(), test.message));
  }
}

/// What reads or writes buffers by the problem line must find them as it says.
TEST(Plan, hasTheBuffersOfItsProblem) {
  const Case cases[] = {
      {[](Plan &p) {
         p.buffers[2].shape = {2, 8, 8, 5};
       },
       "buffers[2]: expected the result of the problem, y, 2x8x8x4 of bf16, "
       "got y, 2x8x8x5 of bf16"},
      {[](Plan &p) { p.buffers[2].type = ElementType::F16; },
       "got y, 2x8x8x4 of f16"},
      {[](Plan &p) { p.buffers[1].name = "v"; },
       "buffers[1]: expected the argument of the problem, w, 4x3x3x16 of bf16, "
       "got v, 4x3x3x16 of bf16"},
      {[](Plan &p) {
         p.buffers[2].role = BufferRole::Workspace;
         p.buffers[2].position = -1;
       },
       "buffers: expected as many results as the problem has, 1 (y), got 0"},
      {[](Plan &p) { p.problem += " epilogue=bias"; },
       "buffers: expected as many arguments as the problem has, 3 (x, w, "
       "bias), got 2"},
  };
  for (const Case &test : cases) {
    Plan plan = makeFullPlan();
    test.change(plan);
    EXPECT_TRUE(contains(validate(plan).error(), test.message));
    plan.problem = "@main of layer.mlir: 1 convolution";
    EXPECT_TRUE(validate(plan)) << validate(plan).error();
  }
}

struct MapCase {
  std::function<void(TensorMap &)> change;
  const char *message;
};

TEST(TensorMap, refusesWhatTheDriverWouldRefuse) {
  const MapCase cases[] = {
      {[](TensorMap &m) { m.extents = {}; }, "rank 3 to 5, got 0"},
      {[](TensorMap &m) { m.extents = {16, 8}; }, "rank 3 to 5, got 2"},
      {[](TensorMap &m) { m.extents[3] = 0; }, "extents[3]: expected [1, "},
      {[](TensorMap &m) { m.extents[3] = int64_t(1) << 33; }, "extents[3]"},
      {[](TensorMap &m) { m.byteStrides = {32}; }, "expected 3 entries, got 1"},
      {[](TensorMap &m) { m.byteStrides[0] = 24; },
       "byte_strides[0]: expected a multiple of 16 in [16, 1099511627760], got "
       "24"},
      {[](TensorMap &m) { m.elementStrides[1] = 9; },
       "element_strides[1]: expected [1, 8], got 9"},
      {[](TensorMap &m) { m.byteOffset = 8; }, "byte_offset[0]"},
      {[](TensorMap &m) { m.lowerCorner = {-1}; }, "lower_corner: expected 2"},
      {[](TensorMap &m) { m.lowerCorner[0] = -129; },
       "lower_corner[0]: expected [-128, 127], got -129"},
      {[](TensorMap &m) { m.upperCorner[1] = 128; }, "upper_corner[1]"},
      {[](TensorMap &m) { m.upperCorner[1] = -9; },
       "the pixel box is empty in spatial dimension 1"},
      {[](TensorMap &m) { m.box = {16}; }, "box belongs to tiled maps only"},
      {[](TensorMap &m) { m.channelsPerPixel = 257; }, "channels_per_pixel"},
      {[](TensorMap &m) { m.pixelsPerColumn = 0; }, "pixels_per_column"},
      {[](TensorMap &m) { m.channelsPerPixel = 32; },
       "a row of 64 bytes is longer than the swizzle span of 32"},
      {[](TensorMap &m) { m.channelsPerPixel = 4; }, "not a multiple of 16"},
      {[](TensorMap &m) {
         m.interleave = TensorMapInterleave::B32;
         m.swizzle = TensorMapSwizzle::B64;
       },
       "needs the 32-byte swizzle"},
  };
  EXPECT_TRUE(validate(makeIm2colMap())) << validate(makeIm2colMap()).error();
  for (const MapCase &test : cases) {
    TensorMap map = makeIm2colMap();
    test.change(map);
    EXPECT_TRUE(contains(validate(map).error(), test.message));
  }
}

TEST(TensorMap, tiled) {
  TensorMap map = makeTiledMap();
  EXPECT_TRUE(validate(map)) << validate(map).error();
  EXPECT_EQ(spannedBytes(map), 4 * 288);
  map.box[0] = 257;
  EXPECT_TRUE(contains(validate(map).error(), "box[0]: expected [1, 256]"));
  map.box[0] = 128;
  EXPECT_TRUE(contains(validate(map).error(), "swizzle span of 128"));
  map.box[0] = 64;
  map.lowerCorner = {0};
  EXPECT_TRUE(contains(validate(map).error(), "im2col maps only"));
}

TEST(TensorMap, cornersOf1DAnd3D) {
  TensorMap map = makeIm2colMap();
  map.extents = {16, 40000, 2};
  map.byteStrides = {32, 1280000};
  map.elementStrides = {1, 1, 1};
  map.lowerCorner = {-32768};
  map.upperCorner = {0};
  EXPECT_TRUE(validate(map)) << validate(map).error();
  map.extents = {16, 8, 8, 8, 2};
  map.byteStrides = {32, 256, 2048, 16384};
  map.elementStrides = {1, 1, 1, 1, 1};
  map.lowerCorner = {-16, -16, -17};
  map.upperCorner = {0, 0, 0};
  EXPECT_TRUE(contains(validate(map).error(), "lower_corner[2]: expected [-16, "
                                              "15], got -17"));
}

} // namespace
