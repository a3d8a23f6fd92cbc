//===- TestKernels.h - small kernels and plans that use them ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that any GPU from sm_80 on runs; the fake driver runs the same kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_RUNTIME_TESTKERNELS_H
#define CONV_UNITTESTS_RUNTIME_TESTKERNELS_H

#include "conv/Runtime/Plan.h"

#include <string>

namespace convmlir::test {

/// axpy(x, w, y, f32 a, i32 n): y = a*x + w; block 128.
/// overrun(y, i32 n): writes y[n].
/// reverse(x, y, i64 n, f64 scale): y = scale * reversed x, through dynamic
///   shared memory of 4*n bytes, one block of 1024.
/// fault(): stores to address 0.
inline const char *testPtx = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry axpy(.param .u64 px, .param .u64 pw, .param .u64 py,
                     .param .f32 pa, .param .u32 pn)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [px];
  ld.param.u64 %rd2, [pw];
  ld.param.u64 %rd3, [py];
  ld.param.f32 %f1, [pa];
  ld.param.u32 %r1, [pn];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  ld.global.f32 %f3, [%rd6];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
done:
  ret;
}

.visible .entry overrun(.param .u64 py, .param .u32 pn)
{
  .reg .f32 %f<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [py];
  ld.param.u32 %r1, [pn];
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.f32 %f1, 0f3F800000;
  st.global.f32 [%rd3], %f1;
  ret;
}

.extern .shared .align 16 .b8 stage[];

.visible .entry reverse(.param .u64 px, .param .u64 py, .param .u64 pn,
                        .param .f64 ps)
{
  .reg .pred %p<3>;
  .reg .f32 %f<4>;
  .reg .f64 %fd<4>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [px];
  ld.param.u64 %rd2, [py];
  ld.param.u64 %rd3, [pn];
  ld.param.f64 %fd1, [ps];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd4, %r1;
  mov.u64 %rd5, stage;
  mov.u64 %rd6, %rd4;
load:
  setp.ge.s64 %p1, %rd6, %rd3;
  @%p1 bra loaded;
  shl.b64 %rd7, %rd6, 2;
  add.s64 %rd8, %rd1, %rd7;
  ld.global.f32 %f1, [%rd8];
  add.s64 %rd9, %rd5, %rd7;
  st.shared.f32 [%rd9], %f1;
  add.s64 %rd6, %rd6, 1024;
  bra load;
loaded:
  bar.sync 0;
  mov.u64 %rd6, %rd4;
store:
  setp.ge.s64 %p2, %rd6, %rd3;
  @%p2 bra stored;
  sub.s64 %rd10, %rd3, %rd6;
  add.s64 %rd10, %rd10, -1;
  shl.b64 %rd11, %rd10, 2;
  add.s64 %rd12, %rd5, %rd11;
  ld.shared.f32 %f2, [%rd12];
  cvt.f64.f32 %fd2, %f2;
  mul.rn.f64 %fd3, %fd1, %fd2;
  cvt.rn.f32.f64 %f3, %fd3;
  shl.b64 %rd13, %rd6, 2;
  add.s64 %rd14, %rd2, %rd13;
  st.global.f32 [%rd14], %f3;
  add.s64 %rd6, %rd6, 1024;
  bra store;
stored:
  ret;
}

.visible .entry fault()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 0;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

inline Bytes toBytes(const std::string &text) {
  return Bytes(text.begin(), text.end());
}

inline PlanBuffer makeBuffer(const char *name, BufferRole role,
                             int64_t position, int64_t n) {
  return {name, role, position, ElementType::F32, {n}, {}};
}

/// A plan without launches: arguments x and w, result y, all f32 of `n`.
inline Plan makePlan(int64_t n) {
  Plan plan;
  plan.target = "sm_80";
  plan.buffers = {makeBuffer("x", BufferRole::Argument, 0, n),
                  makeBuffer("w", BufferRole::Argument, 1, n),
                  makeBuffer("y", BufferRole::Result, 0, n)};
  plan.images = {{ImageKind::Ptx, toBytes(testPtx)}};
  return plan;
}

inline PlanLaunch makeLaunch(const char *kernel,
                             std::vector<KernelArgument> arguments) {
  PlanLaunch launch;
  launch.kernel = kernel;
  launch.images = {0};
  launch.arguments = std::move(arguments);
  return launch;
}

/// y = a*x + w over `n` elements.
inline Plan makeAxpyPlan(int32_t n, float a) {
  Plan plan = makePlan(n);
  PlanLaunch launch =
      makeLaunch("axpy", {BufferArgument{0, 0}, BufferArgument{1, 0},
                          BufferArgument{2, 0}, a, n});
  launch.grid = {(n + 127) / 128, 1, 1};
  launch.block = {128, 1, 1};
  plan.launches = {launch};
  return plan;
}

/// y = scale * reversed x, in two launches over a workspace.
inline Plan makeReversePlan(int64_t n, double scale) {
  Plan plan = makePlan(n);
  plan.buffers.push_back(makeBuffer("scratch", BufferRole::Workspace, -1, n));
  for (auto [from, to] : {std::pair(0, 3), std::pair(3, 2)}) {
    PlanLaunch launch =
        makeLaunch("reverse", {BufferArgument{from, 0}, BufferArgument{to, 0},
                               n, from == 0 ? scale : 1.0});
    launch.block = {1024, 1, 1};
    launch.dynamicSharedBytes = 4 * n;
    plan.launches.push_back(launch);
  }
  return plan;
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_RUNTIME_TESTKERNELS_H
