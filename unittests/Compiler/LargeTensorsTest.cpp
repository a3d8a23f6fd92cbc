//===- LargeTensorsTest.cpp - more than 2^31 elements ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of tensors with more elements than 32 bits count, on the emulator.
// Tensors are of zeros that take no memory, but for the rows that a few tiles
// read; only the workgroups of these tiles run.
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Emulator/EmulatedTensorMap.h"
#include "conv/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <deque>

using namespace convmlir;

namespace {

constexpr int64_t kBatch = 4, kHeight = 4096, kWidth = 4096, kChannels = 64;

/// Small integers; sums of the products are exact.
float valueOf(int64_t element) {
  return static_cast<float>((element * 7 + element / 13) % 5 - 2);
}

/// A small integer as bf16.
uint16_t toBf16(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

/// A compiled problem with buffers of zeros.
class LargeRun {
public:
  explicit LargeRun(const std::string &text, const char *target,
                    const char *schedule) {
    Result<Problem> problem = parseProblem(text);
    auto source = SourceModule::fromProblem(*problem);
    CompileOptions options;
    options.target = target;
    options.schedule = schedule;
    options.targetCode = false;
    Result<Plan> compiled = compile(**source, options);
    EXPECT_TRUE(bool(compiled)) << text << ": " << compiled.error();
    plan = std::move(*compiled);
    const Bytes &image = plan.images.front().data;
    auto loaded = compileForEmulator(std::string_view(
        reinterpret_cast<const char *>(image.data()), image.size()));
    EXPECT_TRUE(bool(loaded)) << text << ": " << loaded.error();
    module = std::move(*loaded);
    for (const PlanBuffer &buffer : plan.buffers) {
      Result<void *> memoryOf =
          memory.allocate(static_cast<size_t>(buffer.bytes()), /*fill=*/0);
      EXPECT_TRUE(bool(memoryOf)) << buffer.name;
      addresses.push_back(static_cast<std::byte *>(*memoryOf));
    }
  }

  /// Sets elements [begin, end) of a bf16 buffer to valueOf.
  void fill(size_t buffer, int64_t begin, int64_t end) {
    for (int64_t i = std::max<int64_t>(begin, 0);
         i < std::min(end, plan.buffers[buffer].bytes() / 2); ++i) {
      uint16_t bits = toBf16(valueOf(i));
      std::memcpy(addresses[buffer] + 2 * i, &bits, sizeof(bits));
    }
  }

  float readF32(size_t buffer, int64_t element) const {
    float value;
    std::memcpy(&value, addresses[buffer] + 4 * element, sizeof(value));
    return value;
  }

  /// Runs workgroups [first, first + number) of a launch. A kernel whose
  /// workgroups each take several tiles gets one for each tile.
  void run(size_t launch, int64_t first, int64_t number) {
    const PlanLaunch &what = plan.launches[launch];
    std::deque<uint64_t> values;
    std::deque<EmulatedTensorMap> maps;
    std::vector<void *> arguments;
    for (const KernelArgument &argument : what.arguments) {
      if (auto *map = std::get_if<TensorMap>(&argument)) {
        auto encoded = encodeForEmulator(
            *map,
            addresses[static_cast<size_t>(map->buffer)] + map->byteOffset);
        ASSERT_TRUE(bool(encoded)) << encoded.error();
        arguments.push_back(&maps.emplace_back(*encoded));
        continue;
      }
      auto buffer = std::get<BufferArgument>(argument);
      arguments.push_back(&values.emplace_back(reinterpret_cast<uintptr_t>(
          addresses[static_cast<size_t>(buffer.buffer)])));
    }
    LaunchGeometry geometry;
    geometry.grid = {uint32_t(1) << 30, 1, 1};
    geometry.block = {static_cast<uint32_t>(what.block[0]), 1, 1};
    geometry.dynamicSharedBytes =
        static_cast<uint32_t>(what.dynamicSharedBytes);
    LaunchOptions options;
    options.firstCluster = static_cast<uint64_t>(first);
    options.mostClusters = static_cast<uint64_t>(number);
    Result<LaunchReport> report = module->launch(
        what.kernel, geometry, arguments.data(), memory, options);
    ASSERT_TRUE(bool(report)) << report.error();
    ASSERT_EQ(report->fault, "");
  }

  const Plan &getPlan() const { return plan; }

private:
  Plan plan;
  std::unique_ptr<EmulatedModule> module;
  EmulatorMemory memory;
  std::vector<std::byte *> addresses;
};

enum : size_t { kX, kW, kY };

/// The definition, stride 1, `pad` on all sides.
float forwardOf(int64_t row, int64_t k, int64_t taps, int64_t pad,
                int64_t height, int64_t width) {
  int64_t q = row % width, p = row / width % height, n = row / width / height;
  float sum = 0;
  for (int64_t r = 0; r < taps; ++r)
    for (int64_t s = 0; s < taps; ++s) {
      int64_t h = p + r - pad, w = q + s - pad;
      if (h < 0 || h >= height || w < 0 || w >= width)
        continue;
      int64_t x = ((n * height + h) * width + w) * kChannels;
      int64_t f = ((k * taps + r) * taps + s) * kChannels;
      for (int64_t c = 0; c < kChannels; ++c)
        sum += valueOf(x + c) * valueOf(f + c);
    }
  return sum;
}

/// Compares `rows` rows of y of 64 filters, some of them.
void expectForward(const LargeRun &run, int64_t firstRow, int64_t rows,
                   int64_t taps, int64_t height, int64_t width) {
  constexpr int64_t filters = 64;
  for (int64_t row = firstRow; row < firstRow + rows; row += 9)
    for (int64_t k = 0; k < filters; k += 5)
      ASSERT_EQ(run.readF32(kY, row * filters + k),
                forwardOf(row, k, taps, taps / 2, height, width))
          << "row " << row << ", filter " << k;
}

std::string forwardText(int64_t n, int64_t height, int64_t width,
                        int64_t taps) {
  std::string size = std::to_string(taps), pad = std::to_string(taps / 2);
  return "forward n=" + std::to_string(n) +
         " c=64 h=" + std::to_string(height) + " w=" + std::to_string(width) +
         " k=64 r=" + size + " s=" + size + " pad=" + pad +
         " type=bf16 out-type=f32";
}

/// What the windows of `rows` rows read.
void fillWindows(LargeRun &run, int64_t firstRow, int64_t rows, int64_t taps,
                 int64_t width) {
  int64_t reach = taps / 2 * (width + 1);
  run.fill(kX, (firstRow - reach) * kChannels,
           (firstRow + rows + reach) * kChannels);
}

/// Tiles of 128 rows in front of and behind the elements 2^31 and 2^32 - 2^13.
void testForward(const char *target, const char *schedule, int64_t taps) {
  constexpr int64_t tileRows = 128;
  LargeRun run(forwardText(kBatch, kHeight, kWidth, taps), target, schedule);
  run.fill(kW, 0, kChannels * taps * taps * kChannels);
  int64_t last = kBatch * kHeight * kWidth / tileRows;
  for (int64_t tile : {last / 2 - 1, last / 2, last - 1}) {
    fillWindows(run, tile * tileRows, tileRows, taps, kWidth);
    run.run(0, tile, 1);
    expectForward(run, tile * tileRows, tileRows, taps, kHeight, kWidth);
  }
}

} // namespace

TEST(LargeTensors, forwardByCpAsync) {
  testForward("sm_80", "tile=128x64x32 warps=2x2 stages=3", /*taps=*/1);
  testForward("sm_80", "tile=128x64x32 warps=2x2 stages=3", /*taps=*/3);
}

TEST(LargeTensors, forwardByTma) {
  const char *schedule = "tile=128x64x64 warps=8x1 stages=4 window=false";
  testForward("sm_90a", schedule, /*taps=*/1);
  testForward("sm_90a", schedule, /*taps=*/3);
}

/// Images with their channels first, of 2^30 elements each: the last positions
/// of the second and of the last one.
static void testImages(const char *target, const char *schedule) {
  constexpr int64_t positions = kHeight * kWidth, columns = 64;
  constexpr int64_t tilesPerImage = positions / columns;
  LargeRun run(forwardText(kBatch, kHeight, kWidth, 1) + " layout=nchw", target,
               schedule);
  ASSERT_EQ(run.getPlan().launches.size(), 1u);
  run.fill(kW, 0, kChannels * kChannels);
  for (int64_t image : {int64_t(1), kBatch - 1}) {
    int64_t first = positions - columns;
    auto elementOf = [&](int64_t channel, int64_t column) {
      return (image * kChannels + channel) * positions + first + column;
    };
    for (int64_t c = 0; c < kChannels; ++c)
      run.fill(kX, elementOf(c, 0), elementOf(c, columns));
    run.run(0, (image + 1) * tilesPerImage - 1, 1);
    for (int64_t k = 0; k < kChannels; k += 5)
      for (int64_t column = 0; column < columns; column += 7) {
        float sum = 0;
        for (int64_t c = 0; c < kChannels; ++c)
          sum += valueOf(elementOf(c, column)) * valueOf(k * kChannels + c);
        ASSERT_EQ(run.readF32(kY, elementOf(k, column)), sum)
            << "image " << image << ", filter " << k << ", column " << column;
      }
  }
}

TEST(LargeTensors, imagesByCpAsync) {
  testImages("sm_80", "tile=64x64x32 warps=2x2 stages=3");
}

TEST(LargeTensors, imagesByTma) {
  testImages("sm_90a", "tile=64x64x64 warps=4x1 stages=4");
}

/// The tensor is small, the workspace is not.
TEST(LargeTensors, explicitIm2col) {
  constexpr int64_t height = 2048, width = 2048, taps = 3, tileRows = 128;
  LargeRun run(forwardText(1, height, width, taps), "sm_80",
               "algorithm=im2col tile=128x64x32 warps=2x2 stages=3");
  ASSERT_EQ(run.getPlan().launches.size(), 2u);
  run.fill(kW, 0, kChannels * taps * taps * kChannels);
  constexpr int64_t elements = 8, threads = 256;
  constexpr int64_t workgroups =
      tileRows * taps * taps * kChannels / elements / threads;
  for (int64_t tile :
       {height * width / tileRows * 7 / 8, height * width / tileRows - 1}) {
    fillWindows(run, tile * tileRows, tileRows, taps, width);
    run.run(0, tile * workgroups, workgroups);
    run.run(1, tile, 1);
    expectForward(run, tile * tileRows, tileRows, taps, height, width);
  }
}

/// The last part of a split gemm-k reads the last rows of x and dy.
TEST(LargeTensors, wgrad) {
  constexpr int64_t parts = 4096, rows = kBatch * kHeight * kWidth / parts;
  LargeRun run("wgrad n=4 c=64 h=4096 w=4096 k=64 r=1 s=1 type=bf16", "sm_80",
               "tile=64x64x32 warps=2x2 stages=3 split-k=4096");
  ASSERT_EQ(run.getPlan().launches.size(), 2u);
  size_t workspace = run.getPlan().buffers.size() - 1;
  ASSERT_EQ(run.getPlan().buffers[workspace].role, BufferRole::Workspace);
  int64_t first = (parts - 1) * rows;
  for (size_t operand : {kX, kW})
    run.fill(operand, first * kChannels, (first + rows) * kChannels);
  run.run(0, parts - 1, 1);
  for (int64_t k = 0; k < kChannels; k += 21)
    for (int64_t c = 0; c < kChannels; c += 13) {
      float sum = 0;
      for (int64_t row = first; row < first + rows; ++row)
        sum += valueOf(row * kChannels + k) * valueOf(row * kChannels + c);
      ASSERT_EQ(
          run.readF32(workspace, ((parts - 1) * kChannels + k) * kChannels + c),
          sum)
          << "filter " << k << ", channel " << c;
    }
}
