// RUN: conv-opt %s | conv-opt | FileCheck %s

// CHECK: transform.sequence

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // CHECK: %[[FOUND:.*]] = transform.conv.find kind "dgrad" filter [3, 5] stride [2, 1] extents {c = 64 : i64, n = 0 : i64} type f16 in %{{.*}} : (!transform.any_op) -> !transform.any_op
  %found = transform.conv.find kind "dgrad" filter [3, 5] stride [2, 1] extents {c = 64, n = 0} type f16 in %module
      : (!transform.any_op) -> !transform.any_op
  // CHECK: transform.conv.match %[[FOUND]] filter [3] : !transform.any_op
  transform.conv.match %found filter [3] : !transform.any_op
  // CHECK: transform.conv.schedule %[[FOUND]] keys "tile=64x64x32" chip "sm_80" : !transform.any_op
  transform.conv.schedule %found keys "tile=64x64x32" chip "sm_80" : !transform.any_op
  // CHECK: transform.conv.schedule %[[FOUND]] {schedule = #conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=1>} : !transform.any_op
  transform.conv.schedule %found {schedule = #conv.schedule<tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync algorithm=implicit_gemm>} : !transform.any_op
  // CHECK: transform.conv.schedule %[[FOUND]] : !transform.any_op
  transform.conv.schedule %found : !transform.any_op
}
