// RUN: conv-opt %s -conv-to-tiles=chip=sm_90a | FileCheck %s --check-prefix=TILES
// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | FileCheck %s --check-prefix=BLOCKS
// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a -conv-lower-row-sums -canonicalize -cse | FileCheck %s --check-prefix=LANES

// dy with its channels first: tiles have a line of positions for each filter,
// and a loop goes over the blocks of positions of all images.

// TILES-LABEL: @wgrad
// TILES:         scf.for {{.*}} -> (tensor<128x64xf32>, tensor<128xf32>)
// TILES:             %[[A:.*]] = conv.im2col {{.*}} -> tensor<128x64xbf16>
// TILES:             linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : tensor<128x64xbf16>) outs(%{{.*}} : tensor<128xf32>)

// BLOCKS-LABEL: @wgrad
// BLOCKS:         vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<128x64xf32> to vector<128xf32>

// Two warps have 64 lines each, two to a lane, and four sums of each: of the
// first and last half of a chunk of eight positions, two chunks at a time.
// LANES-LABEL: gpu.func @wgrad_0
// LANES-SAME:    conv.row_sums = 4
// LANES:         scf.if %{{.*}} {
// LANES:           %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// LANES:           scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args({{.*}}) -> (vector<2x4xf32>)
// LANES-COUNT-4:       vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// LANES-COUNT-8:       arith.addf {{.*}} : vector<4xf32>
// LANES-NOT:       nvvm.shfl
// LANES-COUNT-3:   arith.addf {{.*}} : f32
// LANES:           vector.store {{.*}} : memref<128xf32>, vector<1xf32>
// LANES-COUNT-3:   arith.addf {{.*}} : f32
// LANES:           vector.store {{.*}} : memref<128xf32>, vector<1xf32>
// LANES:         } {conv.helper}
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma>
#all = affine_map<(k, n, p) -> (n, k, p)>
#channel = affine_map<(k, n, p) -> (k)>
func.func @wgrad(%x: tensor<3x64x136xbf16>, %dy: tensor<3x128x136xbf16>) -> (tensor<128x64x1xf32>, tensor<128xf32>) {
  %dw0 = tensor.empty() : tensor<128x64x1xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<3x64x136xbf16>, tensor<3x128x136xbf16>) outs(%dw0 : tensor<128x64x1xf32>) layout nchw {conv.schedule = #schedule} -> tensor<128x64x1xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction"]} ins(%dy : tensor<3x128x136xbf16>) outs(%z : tensor<128xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %f, %out : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  return %dw, %db : tensor<128x64x1xf32>, tensor<128xf32>
}
