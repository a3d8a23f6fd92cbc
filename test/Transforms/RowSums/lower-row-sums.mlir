// RUN: conv-opt %s -conv-to-tiles=chip=sm_90a | FileCheck %s --check-prefix=TILES
// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | FileCheck %s --check-prefix=BLOCKS
// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a -conv-outline-kernels -canonicalize | conv-opt -conv-plan-kernels -conv-pipeline-barriers | FileCheck %s --check-prefix=RING
// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a -conv-lower-row-sums -canonicalize -cse | FileCheck %s --check-prefix=LANES

// wgrad in two parts, and the sum of dy: loops carry both. The tiles of six taps
// read the same rows of dy: each adds every sixth block, and has a row of sums.

// TILES-LABEL: @wgrad
// TILES:         %[[R:.*]]:2 = scf.forall (%[[PART:.*]], %{{.*}}, %[[TAP:.*]], %{{.*}}) in (2, 1, 6, 1) shared_outs(%{{.*}}, %[[DB:.*]] = %{{.*}}) -> (tensor<256x3x2x64xf32>, tensor<1x12x128xf32>)
// TILES:           %[[S:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args({{.*}}, %[[ROWS:.*]] = %{{.*}}) -> (tensor<128x64xf32>, tensor<128xf32>)
// TILES:             %[[POSITION:.*]] = affine.apply {{.*}}(%[[K]],
// TILES:             %[[BLOCK:.*]] = arith.divui %[[POSITION]], %c64
// TILES:             %[[A:.*]] = conv.im2col {{.*}} -> tensor<64x128xbf16>
// TILES:             %[[SHARE:.*]] = arith.remui %[[BLOCK]], %c6
// TILES:             %[[MINE:.*]] = arith.cmpi eq, %[[SHARE]], %[[TAP]]
// TILES:             %[[N:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : tensor<64x128xbf16>) outs(%[[ROWS]] : tensor<128xf32>)
// TILES:               %[[MORE:.*]] = arith.addf
// TILES:               arith.select %[[MINE]], %[[MORE]], %{{.*}} : f32
// TILES:             linalg.generic {{.*}} ins(%[[A]],
// TILES:             scf.yield %{{.*}}, %[[N]]
// TILES:           %[[FIRST:.*]] = arith.muli %[[PART]], %c6
// TILES:           %[[ROW:.*]] = arith.addi %[[FIRST]], %[[TAP]]
// TILES:           conv.scatter %[[S]]#1 into %[[DB]][%[[ROW]], %c0, %c0] view <rows = [12], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<128xf32> into tensor<1x12x128xf32>
// The rows are added as the parts of dw are.
// TILES:         %[[P:.*]] = tensor.collapse_shape %[[R]]#1 {{.*}} into tensor<12x128xf32>
// TILES:         scf.forall
// TILES:           tensor.extract_slice %[[P]]

// Both read one tile in shared memory, once.
// BLOCKS-LABEL: @wgrad
// BLOCKS:         scf.for
// BLOCKS:           conv.im2col {{.*}} into memref<64x128xbf16
// BLOCKS:           %[[A:.*]] = vector.transfer_read {{.*}} vector<64x128xbf16>
// BLOCKS:           %[[F:.*]] = arith.extf %[[A]]
// BLOCKS:           %[[S:.*]] = vector.multi_reduction <add>, %[[F]], %[[OLD:.*]] [0] : vector<64x128xf32> to vector<128xf32>
// BLOCKS:           arith.select %{{.*}}, %[[S]], %[[OLD]] : vector<128xf32>
// BLOCKS:           vector.contract {{.*}} %[[A]],
// BLOCKS:         conv.scatter {{.*}} : vector<128xf32> into memref<1x12x128xf32>

// Eight warps of consumers and three of helpers release a slot, these when the
// next block has landed.
// RING-LABEL: gpu.func @wgrad_0
// RING:         nvgpu.mbarrier.init %{{.*}}[%{{.*}}], %c11
// RING:         scf.for
// RING:           scf.for {{.*}} iter_args({{.*}}, %[[LAST:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<128x64xf32>, index, i1, index, vector<128xf32>, index)
// RING:             nvgpu.mbarrier.try_wait.parity {{.*}} {conv.producer}
// RING:             vector.contract
// RING:             %[[SHARE:.*]] = arith.remui %{{.*}}, %c6
// RING:             %[[MINE:.*]] = arith.cmpi eq, %[[SHARE]], %{{.*}}
// RING:             nvgpu.mbarrier.try_wait.parity {{.*}} {conv.helper}
// RING:             nvvm.bar.warp.sync {{.*}} {conv.helper}
// RING:             nvgpu.mbarrier.arrive %{{.*}}[%[[LAST]]] {conv.helper}
// RING:             scf.if %[[MINE]] -> (vector<128xf32>)
// RING:               vector.multi_reduction {{.*}} %[[S]] {conv.helper}
// RING:           nvvm.fence.proxy {conv.helper
// RING:           nvgpu.mbarrier.arrive {{.*}} {conv.helper}
// RING:           conv.scatter {{.*}} {conv.helper}

// One thread copies; the three warps behind its own help; others multiply.
// ROLES-LABEL: gpu.func @wgrad_0
// ROLES:         scf.if
// ROLES:           nvvm.setmaxregister decrease 40
// ROLES:           scf.if
// ROLES-NOT:         multi_reduction
// ROLES:             engine.load_tile
// ROLES:           %[[PLACE:.*]] = arith.subi %thread_id_x, %c288
// ROLES:           %[[HELPS:.*]] = arith.cmpi ult, %[[PLACE]], %c96
// ROLES:           scf.if %[[HELPS]] {
// ROLES-NOT:         engine.load_tile
// ROLES-NOT:         vector.contract
// ROLES:             vector.multi_reduction
// ROLES:             conv.scatter {{.*}} : vector<128xf32>
// ROLES:           } {conv.helper}
// ROLES:         } else {
// ROLES-NOT:       vector.multi_reduction
// ROLES:           vector.contract
// ROLES-NOT:       vector.multi_reduction
// ROLES-NOT:       conv.scatter {{.*}} : vector<128xf32>

// Two of the warps have eight chunks of columns each, and four groups of rows:
// 16 rows are four loads of a lane. The groups are added by two shuffles of
// each element, and one stores.
// LANES-LABEL: gpu.func @wgrad_0
// LANES-SAME:    conv.row_sums = 4
// LANES:         scf.if %{{.*}} {
// LANES:           %[[IS_USED:.*]] = arith.cmpi ult, %{{.*}}, %c2
// LANES:           %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// LANES:           arith.remui %[[LANE]], %c8
// LANES:           %[[GROUP:.*]] = arith.divui %[[LANE]], %c8
// LANES:           %[[IS_FIRST:.*]] = arith.cmpi ult, %[[GROUP]], %c1
// LANES:           scf.if %[[IS_USED]] -> (vector<8xf32>)
// LANES:             scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args({{.*}}) -> (vector<8xf32>)
// LANES-COUNT-4:       vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// Elements become f32 by moving their bits.
// LANES:               arith.shli {{.*}} : vector<4xi32>
// LANES:               arith.andi {{.*}} : vector<4xi32>
// LANES:               vector.interleave {{.*}} : vector<4xf32> -> vector<8xf32>
// LANES:               arith.addf {{.*}} : vector<8xf32>
// LANES:           scf.if %[[IS_USED]]
// LANES-COUNT-8:     nvvm.shfl.sync bfly {{.*}} %c8_i32
// LANES-COUNT-8:     nvvm.shfl.sync bfly {{.*}} %c16_i32
// LANES:             scf.if %[[IS_FIRST]]
// LANES:               vector.store {{.*}} {alignment = 16 : i64} : memref<1536xf32>, vector<8xf32>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma, split = 2>
#all = affine_map<(k, n, p, q) -> (n, p, q, k)>
#channel = affine_map<(k, n, p, q) -> (k)>
func.func @wgrad(%x: tensor<4x16x18x64xbf16>, %dy: tensor<4x14x17x128xbf16>) -> (tensor<128x3x2x64xf32>, tensor<128xf32>) {
  %dw0 = tensor.empty() : tensor<128x3x2x64xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<4x16x18x64xbf16>, tensor<4x14x17x128xbf16>) outs(%dw0 : tensor<128x3x2x64xf32>) {conv.schedule = #schedule} -> tensor<128x3x2x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<4x14x17x128xbf16>) outs(%z : tensor<128xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  return %dw, %db : tensor<128x3x2x64xf32>, tensor<128xf32>
}
