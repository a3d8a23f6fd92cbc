//===- TestPlans.h - a small plan with one of everything --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_RUNTIME_TESTPLANS_H
#define CONV_UNITTESTS_RUNTIME_TESTPLANS_H

#include "conv/Runtime/Plan.h"

namespace convmlir::test {

/// A [2, 8, 8, 16] bf16 tensor seen by the TMA in its im2col mode.
inline TensorMap makeIm2colMap() {
  TensorMap map;
  map.mode = TensorMap::Mode::Im2col;
  map.extents = {16, 8, 8, 2};
  map.byteStrides = {32, 256, 2048};
  map.elementStrides = {1, 1, 1, 1};
  map.lowerCorner = {-1, -1};
  map.upperCorner = {-1, -1};
  map.channelsPerPixel = 16;
  map.pixelsPerColumn = 64;
  map.swizzle = TensorMapSwizzle::B32;
  map.l2Promotion = TensorMapL2Promotion::B256;
  return map;
}

/// A [4, 144] bf16 matrix, in boxes of [4, 64].
inline TensorMap makeTiledMap() {
  TensorMap map;
  map.buffer = 1;
  map.extents = {144, 4};
  map.byteStrides = {288};
  map.elementStrides = {1, 1};
  map.box = {64, 4};
  map.swizzle = TensorMapSwizzle::B128;
  return map;
}

/// Two launches, every role, every kind of image and of argument.
inline Plan makeFullPlan() {
  Plan plan;
  plan.target = "sm_90a";
  plan.problem = "forward n=2 c=16 h=8 w=8 k=4 r=3 s=3 pad=1 type=bf16";
  plan.entry = "conv";
  plan.schedule = "tile=128x64x64 stages=3";
  plan.precision = "products exact, sums in f32";
  plan.order = "conv: blocks of 64 channels, in ascending order";
  plan.remarks = {"conv has no wgmma: \"C\" is 16", "conv has two launches"};
  plan.compileMs = 12.5;
  plan.flops = 147456;
  plan.leastBytes = 6272;
  plan.operandType = ElementType::BF16;
  plan.buffers = {
      {"x", BufferRole::Argument, 0, ElementType::BF16, {2, 8, 8, 16}, {}},
      {"w", BufferRole::Argument, 1, ElementType::BF16, {4, 3, 3, 16}, {}},
      {"y", BufferRole::Result, 0, ElementType::BF16, {2, 8, 8, 4}, {}},
      {"partials", BufferRole::Workspace, -1, ElementType::F32, {512}, {}},
      {"bias", BufferRole::Constant, -1, ElementType::F16, {2}, {1, 2, 3, 4}}};
  plan.images = {{ImageKind::Cubin, {0x7f, 'E', 'L', 'F'}},
                 {ImageKind::Ptx, {'p'}},
                 {ImageKind::Nvvm, {'m', 'l'}}};
  PlanLaunch first;
  first.kernel = "conv_kernel";
  first.images = {0, 1, 2};
  first.grid = {4, 2, 1};
  first.block = {128, 1, 1};
  first.cluster = {2, 1, 1};
  first.waits = true;
  first.dynamicSharedBytes = 49152;
  first.staticSharedBytes = 128;
  first.registers = 168;
  first.arguments = {makeIm2colMap(),
                     makeTiledMap(),
                     BufferArgument{3, 256},
                     int32_t(-5),
                     int64_t(1) << 40,
                     0.1f,
                     1e300};
  PlanLaunch second;
  second.kernel = "reduce";
  second.images = {2};
  second.arguments = {BufferArgument{3, 0}, BufferArgument{2, 0}};
  plan.launches = {first, second};
  return plan;
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_RUNTIME_TESTPLANS_H
