// RUN: conv-opt %s -conv-convert-layout -conv-restore-layout -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-convert-layout -conv-restore-layout -split-input-file --remarks-filter=conv-restore-layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] layout-restored | Category:conv-restore-layout | {{.*}}nchw: 

// Only the schedule says whether the layout is given back: with all that
// follows in the kernel, and what that reads.

#each = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

// CHECK-LABEL: @epilogue
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x32x9x16xbf16>, %[[W:[^:]*]]: tensor<64x32x3x3xbf16>, %[[B:[^:]*]]: tensor<64xf32>, %[[R:[^:]*]]: tensor<2x64x9x16xbf16>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[Y:.*]] = conv.forward ins(%[[X]], %[[W]] : {{.*}} pad [1, 1] layout nchw {conv.schedule = {{.*}}kn2row=true>}
// CHECK:         %[[Z:.*]] = linalg.generic {indexing_maps = [#[[EACH:.*]], #[[CHANNEL:.*]], #[[EACH]], #[[EACH]]], {{.*}} ins(%[[Y]], %[[B]], %[[R]] : tensor<2x64x9x16xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[Z]]
func.func @epilogue(%x: tensor<2x32x9x16xbf16>, %w: tensor<64x32x3x3xbf16>, %b: tensor<64xf32>, %r: tensor<2x64x9x16xbf16>) -> tensor<2x64x9x16xbf16> {
  %e = tensor.empty() : tensor<2x64x9x16xf32>
  %y = conv.forward ins(%x, %w : tensor<2x32x9x16xbf16>, tensor<64x32x3x3xbf16>) outs(%e : tensor<2x64x9x16xf32>) pad [1, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x9x16xf32>
  %o = tensor.empty() : tensor<2x64x9x16xbf16>
  %z = linalg.generic {indexing_maps = [#each, #channel, #each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%y, %b, %r : tensor<2x64x9x16xf32>, tensor<64xf32>, tensor<2x64x9x16xbf16>) outs(%o : tensor<2x64x9x16xbf16>) {
  ^bb0(%s: f32, %bias: f32, %t: bf16, %out: bf16):
    %0 = arith.addf %s, %bias : f32
    %1 = arith.extf %t : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x64x9x16xbf16>
  return %z : tensor<2x64x9x16xbf16>
}

// -----

// A user that wants channels last gets a transposition; a schedule that does not
// say so changes nothing.

// CHECK-LABEL: @both
// CHECK:         %[[F:.*]] = conv.forward {{.*}} layout nchw
// CHECK:         linalg.transpose ins(%[[F]]
// CHECK:         conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x16x64xf16>
// CHECK-NOT:     layout nchw
func.func @both(%x: tensor<2x64x16xf16>, %w: tensor<64x64x3xf16>) -> tensor<2x64x16xf16> {
  %e = tensor.empty() : tensor<2x64x16xf16>
  %y = conv.forward ins(%x, %w : tensor<2x64x16xf16>, tensor<64x64x3xf16>) outs(%e : tensor<2x64x16xf16>) pad [1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x16xf16>
  %z = conv.forward ins(%y, %w : tensor<2x64x16xf16>, tensor<64x64x3xf16>) outs(%e : tensor<2x64x16xf16>) pad [1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<2x64x16xf16>
  return %z : tensor<2x64x16xf16>
}

// -----

// So it is where the algorithm loops gathers; a filter of one channel is a
// reshape either way.

// CHECK-LABEL: @depthwise
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x16x6x8xbf16>, %[[W:[^:]*]]: tensor<16x1x3x3xbf16>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[Y:.*]] = conv.forward ins(%[[X]], %{{.*}} : tensor<2x16x6x8xbf16>, tensor<16x1x3x3xbf16>) {{.*}} layout nchw {conv.schedule = {{.*}}gather=true>}
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[Y]]
func.func @depthwise(%x: tensor<2x16x6x8xbf16>, %w: tensor<16x1x3x3xbf16>) -> tensor<2x16x6x8xbf16> {
  %e = tensor.empty() : tensor<2x16x6x8xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x16x6x8xbf16>, tensor<16x1x3x3xbf16>) outs(%e : tensor<2x16x6x8xbf16>) pad [1, 1] groups 16 layout nchw
         {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x16x6x8xbf16>
  return %y : tensor<2x16x6x8xbf16>
}
