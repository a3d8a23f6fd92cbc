//===- EmulatorDeviceTest.cpp - tests of plans on the emulator ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan whose kernel takes tensor maps, on the emulator as a device.
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/EmulatorDevice.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

/// Copies one tile of 8 x 64 numbers from one tensor to another.
constexpr const char *kCopy = R"mlir(
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<512 x i16>
  llvm.mlir.global internal @full() {addr_space = 3 : i32, alignment = 8 : i64} : i64
  llvm.func @copy(%in: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                  %out: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                  %row: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bytes = llvm.mlir.constant(1024 : i32) : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %full = llvm.mlir.addressof @full : !llvm.ptr<3>
    %cluster = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %in, %full, box[%c0, %row] : !llvm.ptr<7>, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %full, %c0, %bytes : !llvm.ptr<3>, i32, i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %out, %tile, box[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    llvm.return
  }
}
)mlir";

TensorMap tileMap(int64_t buffer, int64_t rows) {
  TensorMap map;
  map.type = ElementType::F16;
  map.buffer = buffer;
  map.extents = {64, rows};
  map.byteStrides = {128};
  map.elementStrides = {1, 1};
  map.box = {64, 8};
  map.swizzle = TensorMapSwizzle::B128;
  return map;
}

Plan copyPlan() {
  Plan plan;
  plan.target = "sm_90a";
  plan.buffers.resize(2);
  plan.buffers[0] = {"in", BufferRole::Argument, 0, ElementType::F16, {16, 64},
                     {}};
  plan.buffers[1] = {"out", BufferRole::Result, 0, ElementType::F16, {8, 64},
                     {}};
  std::string_view text = kCopy;
  plan.images.push_back({ImageKind::Nvvm, Bytes(text.begin(), text.end())});
  PlanLaunch launch;
  launch.kernel = "copy";
  launch.images = {0};
  launch.arguments = {tileMap(0, 16), tileMap(1, 8), int32_t(4)};
  plan.launches.push_back(launch);
  return plan;
}

} // namespace

TEST(EmulatorDevice, RunsAPlanWithTensorMaps) {
  Plan plan = copyPlan();
  ASSERT_TRUE(validate(plan)) << validate(plan).error();
  std::unique_ptr<Device> device = createEmulatorDevice({});
  auto in = device->allocate(16 * 128, "in"),
       out = device->allocate(8 * 128, "out");
  ASSERT_TRUE(in && out);
  std::vector<uint8_t> data(16 * 128), result(8 * 128);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = uint8_t(i * 7 + i / 256);
  ASSERT_TRUE(device->copyToDevice(*in, data));
  auto loaded = device->load(plan);
  ASSERT_TRUE(loaded) << loaded.error();
  std::vector<DeviceAddress> buffers{*in, *out};
  Status status = (*loaded)->launch(0, buffers);
  ASSERT_TRUE(status) << status.error();
  ASSERT_TRUE(device->copyToHost(result, *out));
  EXPECT_TRUE(std::equal(result.begin(), result.end(), data.begin() + 4 * 128));
}

TEST(EmulatorDevice, RefusesATensorMapOfAMisalignedTensor) {
  Plan plan = copyPlan();
  std::unique_ptr<Device> device = createEmulatorDevice({});
  auto loaded = device->load(plan);
  ASSERT_TRUE(loaded) << loaded.error();
  std::vector<DeviceAddress> buffers{8, 16};
  EXPECT_EQ((*loaded)->launch(0, buffers).error(),
            "tensor map: the tensor's address is not a multiple of 16");
}
