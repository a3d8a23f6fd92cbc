//===- TensorMapBlobTest.cpp - tests of tensor maps -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encoding, and the walk of bulk copies over a tensor against the definition of
// a convolution's operand.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Copies/TensorMapBlob.h"
#include "conv/Emulator/EmulatedTensorMap.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace convmlir;
using namespace convmlir::emu;

namespace {

/// A tensor of one-line problems: N images of D x H x W pixels of 16 channels.
TensorMap im2colMap(std::vector<int64_t> extents) {
  TensorMap map;
  map.mode = TensorMap::Mode::Im2col;
  map.type = ElementType::BF16;
  map.extents = extents;
  map.elementStrides.assign(extents.size(), 1);
  int64_t stride = 2;
  for (size_t i = 0; i + 1 < extents.size(); ++i)
    map.byteStrides.push_back(stride *= extents[i]);
  map.channelsPerPixel = 8;
  return map;
}

TensorMapBlob encode(const TensorMap &map, const void *address) {
  Result<EmulatedTensorMap> encoded = encodeForEmulator(map, address);
  EXPECT_TRUE(encoded) << encoded.error();
  TensorMapBlob blob;
  std::memcpy(&blob, encoded->bytes.data(), sizeof blob);
  return blob;
}

/// One spatial dimension of a convolution.
struct Axis {
  int64_t extent, taps, stride, dilation, padLow, padHigh;
  int64_t outputs() const {
    return (extent + padLow + padHigh - (taps - 1) * dilation - 1) / stride + 1;
  }
};

alignas(256) std::byte storage[16];

/// Byte offsets of the rows that the definition reads for tap `tap` (W first)
/// of all output pixels from `first` on; -1 for padding and past the end.
std::vector<int64_t> definedRows(const std::vector<Axis> &axes, int64_t images,
                                 const std::vector<int64_t> &tap, int64_t first,
                                 int64_t count) {
  std::vector<int64_t> rows;
  for (int64_t pixel = first; pixel < first + count; ++pixel) {
    int64_t rest = pixel, offset = 0, stride = 32;
    bool inside = true;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Axis &axis = axes[i];
      int64_t at = rest % axis.outputs() * axis.stride - axis.padLow +
                   tap[i] * axis.dilation;
      rest /= axis.outputs();
      inside &= at >= 0 && at < axis.extent;
      offset += at * stride;
      stride *= axis.extent;
    }
    inside &= rest < images;
    rows.push_back(inside ? offset + rest * stride : -1);
  }
  return rows;
}

std::vector<int64_t> walkedRows(const TensorMapBlob &map,
                                const TensorPosition &position) {
  std::vector<int64_t> rows;
  forEachRow(map, position, [&](const TensorRow &row) {
    EXPECT_EQ(row.sharedOffset, rows.size() * map.rowBytes());
    EXPECT_EQ(row.begin, 0u);
    bool whole = row.end == map.rowBytes();
    EXPECT_TRUE(whole || row.end == 0);
    rows.push_back(whole ? row.address - storage : -1);
  });
  return rows;
}

void expectForward(const std::vector<Axis> &axes, int64_t images) {
  std::vector<int64_t> extents{16};
  for (const Axis &axis : axes)
    extents.push_back(axis.extent);
  extents.push_back(images);
  TensorMap map = im2colMap(extents);
  int64_t outputs = images;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis &axis = axes[i];
    map.lowerCorner.push_back(-axis.padLow);
    map.upperCorner.push_back(axis.padHigh - (axis.taps - 1) * axis.dilation);
    map.elementStrides[1 + i] = axis.stride;
    outputs *= axis.outputs();
  }
  constexpr int64_t pixels = 7;
  map.pixelsPerColumn = pixels;
  TensorMapBlob blob = encode(map, storage);
  for (int64_t first = 0; first < outputs; first += pixels) {
    TensorPosition position;
    std::vector<int64_t> tap;
    int64_t rest = first;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Axis &axis = axes[i];
      position.coordinates[1 + i] =
          int32_t(rest % axis.outputs() * axis.stride - axis.padLow);
      rest /= axis.outputs();
      tap.push_back(first % axis.taps);
      position.offsets[i] = uint16_t(tap[i] * axis.dilation);
    }
    position.coordinates[1 + axes.size()] = int32_t(rest);
    EXPECT_EQ(walkedRows(blob, position),
              definedRows(axes, images, tap, first, pixels));
  }
}

} // namespace

TEST(TensorMapBlob, WalksTheInputOfAConvolution) {
  expectForward({{9, 3, 1, 1, 1, 1}}, 2);
  expectForward({{9, 3, 2, 1, 1, 0}, {6, 2, 1, 2, 0, 2}}, 3);
  expectForward({{8, 3, 3, 2, 2, 1}, {7, 1, 2, 1, 0, 0}, {5, 2, 1, 1, 1, 1}},
                2);
}

TEST(TensorMapBlob, ClipsRowsOfTiledBoxes) {
  TensorMap map;
  map.type = ElementType::F32;
  map.extents = {10, 3, 2};
  map.byteStrides = {64, 256};
  map.elementStrides = {1, 1, 1};
  map.box = {8, 2, 2};
  TensorMapBlob blob = encode(map, storage);
  EXPECT_EQ(blob.boxBytes(), 8u * 2 * 2 * 4);
  TensorPosition position;
  position.coordinates = {6, 2, 0};
  std::vector<std::array<int64_t, 4>> rows;
  forEachRow(blob, position, [&](const TensorRow &row) {
    rows.push_back({row.sharedOffset, row.begin, row.end,
                    row.begin < row.end ? row.address - storage : 0});
  });
  EXPECT_EQ(rows,
            (std::vector<std::array<int64_t, 4>>{{0, 0, 16, 2 * 64 + 24},
                                                 {32, 0, 0, 0},
                                                 {64, 0, 16, 256 + 2 * 64 + 24},
                                                 {96, 0, 0, 0}}));
  position.coordinates = {-3, 0, 1};
  unsigned count = 0;
  forEachRow(blob, position, [&](const TensorRow &row) {
    EXPECT_EQ(row.begin, count < 2 ? 12u : 0u);
    EXPECT_EQ(row.end, count < 2 ? 32u : 0u);
    ++count;
  });
}

TEST(TensorMapBlob, RefusesWhatTheDriverRefuses) {
  TensorMap map = im2colMap({16, 9, 9, 2});
  map.lowerCorner = map.upperCorner = {-1, -1};
  map.pixelsPerColumn = 64;
  EXPECT_TRUE(encodeForEmulator(map, storage));
  EXPECT_EQ(encodeForEmulator(map, storage + 8).error(),
            "tensor map: the tensor's address is not a multiple of 16");
  map.lowerCorner[0] = -129;
  EXPECT_EQ(encodeForEmulator(map, storage).error(),
            "tensor map: lower_corner[0]: expected [-128, 127], got -129");
  map.lowerCorner[0] = -1;
  map.interleave = TensorMapInterleave::B16;
  EXPECT_EQ(encodeForEmulator(map, storage).error(),
            "tensor map: interleaved tensor maps are not emulated");
}
