// RUN: conv-opt %s -conv-to-tiles=chip=sm_90a | FileCheck %s

// 162 tiles on 132 workgroups: 30 are left, in three parts. Each of 27 along
// gemm-n has a row of sums for each part; whole tiles have part 0 only.

// CHECK-LABEL: @wgrad
// CHECK:         scf.forall (%[[ITEM:.*]]) in (222) shared_outs(%{{.*}}, %{{.*}}, %[[DB:.*]] = %{{.*}}) -> (tensor<376x3x3x48xf32>, tensor<{{.*}}xf32>, tensor<1x81x376xf32>)
// CHECK:           %[[IS_PART:.*]] = arith.cmpi uge, %[[ITEM]], %c132
// CHECK:           %[[PLACE:.*]] = arith.select %[[IS_PART]],
// CHECK:           %[[PART:.*]] = arith.divui %[[PLACE]], %c30
// CHECK:           %[[FIRST:.*]] = arith.muli %[[PART]], %c27
// CHECK:           %[[ROW:.*]] = arith.addi %[[FIRST]], %{{.*}}
// CHECK:           conv.scatter %{{.*}} into %[[DB]][%[[ROW]], %c0, %{{.*}}] view <rows = [81], {{.*}} : tensor<64xf32> into tensor<1x81x376xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK:           %[[LATER:.*]] = arith.cmpi uge, %{{.*}}, %c27
// CHECK:           %[[WHOLE:.*]] = arith.cmpi ult, %{{.*}}, %c132
// CHECK:           %[[NONE:.*]] = arith.andi %[[WHOLE]], %[[LATER]]
// CHECK:           arith.select %[[NONE]], %{{.*}}, %{{.*}} : f32
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, tail = 3>
#all = affine_map<(k, n, p, q) -> (n, p, q, k)>
#channel = affine_map<(k, n, p, q) -> (k)>
func.func @wgrad(%x: tensor<2x9x8x48xbf16>, %dy: tensor<2x7x6x376xbf16>) -> (tensor<376x3x3x48xf32>, tensor<376xf32>) {
  %dw0 = tensor.empty() : tensor<376x3x3x48xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x8x48xbf16>, tensor<2x7x6x376xbf16>) outs(%dw0 : tensor<376x3x3x48xf32>) {conv.schedule = #schedule} -> tensor<376x3x3x48xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<376xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<376xf32>) -> tensor<376xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<2x7x6x376xbf16>) outs(%z : tensor<376xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %f, %out : f32
    linalg.yield %s : f32
  } -> tensor<376xf32>
  return %dw, %db : tensor<376x3x3x48xf32>, tensor<376xf32>
}
