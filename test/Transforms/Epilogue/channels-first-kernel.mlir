// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | FileCheck %s --check-prefix=F4
// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a | FileCheck %s --check-prefix=F6
// RUN: conv-opt %s -conv-to-threads=chip=sm_90a | FileCheck %s --check-prefix=F7

// A tile of 64 filters and 64 positions of one image: the bias is read for its
// rows, and the positions come and go as boxes of the image, which end with it.

// F4: %[[B:.*]] = vector.transfer_read %{{.*}} {in_bounds = [false, true], permutation_map = #{{.*}}} : memref<72xf32>, vector<64x1xf32>
// F4: vector.broadcast %[[B]] : vector<64x1xf32> to vector<64x64xf32>

// F6: engine.load_tile %{{.*}} view <rows = [1], {{.*}}> {conv.producer} : memref<72x1x40xbf16> into memref<64x32xbf16
// F6: engine.load_box %{{.*}}[%[[N:.*]], %[[C:.*]], %[[P:.*]]] into {{.*}} {conv.producer} : memref<3x40x104xbf16> into memref<32x64xbf16

// F7: engine.tma_store
// F7: engine.tensor_map %{{.*}} extents [104, 40, 3] {{.*}} box [64, 32, 1]
// F7: engine.tensor_map %{{.*}} extents [104, 72, 3] {{.*}} box [64, 64, 1]

func.func @f(%x: tensor<3x40x8x13xbf16>, %w: tensor<72x40x1x1xbf16>, %bias: tensor<72xf32>) -> tensor<3x72x8x13xbf16> {
  %e = tensor.empty() : tensor<3x72x8x13xf32>
  %s = conv.forward ins(%x, %w : tensor<3x40x8x13xbf16>, tensor<72x40x1x1xbf16>) outs(%e : tensor<3x72x8x13xf32>) layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x72x8x13xf32>
  %f = tensor.empty() : tensor<3x72x8x13xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k, p, q) -> (n, k, p, q)>, affine_map<(n, k, p, q) -> (k)>, affine_map<(n, k, p, q) -> (n, k, p, q)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%s, %bias : tensor<3x72x8x13xf32>, tensor<72xf32>) outs(%f : tensor<3x72x8x13xbf16>) {
  ^bb0(%sum: f32, %b: f32, %out: bf16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<3x72x8x13xbf16>
  return %y : tensor<3x72x8x13xbf16>
}
