// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="tile=224x64x64,warps=1x4,stages=9,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=MATRICES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=224x64x64,warps=1x4,stages=9,copy=tma,mma=wgmma,window=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=224x64x64,warps=2x4,stages=3,copy=tma,mma=wgmma,window=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=HALVES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=112x128x64,warps=1x8,stages=3,copy=tma,mma=wgmma,window=false"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=TILES

// Filters as the rows of wgmma: warps along gemm-n. A tile is 4 rows of 56, as
// they are in the image.

// MATRICES: conv.im2col %{{.*}} view <rows = [8, 56], taps = [3, 3], {{.*}}> : tensor<2x8x56x64xbf16> -> tensor<896x9x64xbf16>
// MATRICES: conv.scatter %{{.*}} view <rows = [8, 56], taps = [1, 1], {{.*}}> : tensor<896x64xbf16>

// The staged tile has 16 bytes for each thread behind it. A window has 6 x 58
// lines; an instruction reads up to two more: 3 * 58 + 56 = 230 lines from the
// last tap on, up to a multiple of eight.
// CHECK-LABEL: gpu.func @forward_0
// CHECK-SAME:    %[[BIAS:[^:,]*]]: memref<64xf32>
// CHECK-DAG:     %[[SCRATCH:.*]] = arith.constant 14336 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C56:.*]] = arith.constant 56 : index
// CHECK-DAG:     %[[C58:.*]] = arith.constant 58 : index
// CHECK-DAG:     %[[C224:.*]] = arith.constant 224 : index
// CHECK-DAG:     memref.alloc() : memref<1x240x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[WINDOWS:.*]] = memref.alloc() : memref<{{[23]}}x352x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[FILTERS:.*]] = memref.alloc() : memref<9x64x64xbf16, #gpu.address_space<workgroup>>
// CHECK:         scf.for %{{.*}} = %c1 to %c9
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %c1 to %c9
// CHECK:             %[[FILTER:.*]] = memref.subview %[[FILTERS]]
// CHECK:             %[[ROW:.*]] = arith.muli %{{.*}}, %[[C58]]
// CHECK-NEXT:        %[[LINE:.*]] = arith.addi %[[ROW]], %{{.*}}
// CHECK-NEXT:        %[[LINES:.*]] = memref.subview %[[WINDOWS]][%{{.*}}, %[[LINE]], 0] [1, 232, 64] [1, 1, 1]
// CHECK:             engine.warpgroup_mma %[[FILTER]][%c0], %[[LINES]], %{{.*}} : memref<64x64xbf16, {{.*}}>, memref<232x64xbf16, {{.*}}>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x232xf32>>
//
// Each fragment has two filters eight apart.
// CHECK:         %[[FRAGMENTS:.*]]:29 = engine.read_accumulator
// CHECK:         %[[B0:.*]] = memref.load %[[BIAS]][%[[K:.*]]]
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[K]], %[[C8]]
// CHECK-NEXT:    %[[B1:.*]] = memref.load %[[BIAS]][%[[NEXT]]]
// CHECK-NEXT:    %[[B:.*]] = vector.from_elements %[[B0]], %[[B1]] : vector<2x1xf32>
// CHECK-NEXT:    %[[BROADCAST:.*]] = vector.broadcast %[[B]] : vector<2x1xf32> to vector<2x2xf32>
// CHECK-NEXT:    arith.addf %[[FRAGMENTS]]#0, %[[BROADCAST]]
//
// Lines of padding go to the scratch.
// CHECK:         %[[COLUMN:.*]] = arith.remui %[[AT:.*]], %[[C58]]
// CHECK-NEXT:    %[[Y:.*]] = arith.divui %[[AT]], %[[C58]]
// CHECK-NEXT:    %[[FIRST:.*]] = arith.muli %[[Y]], %[[C56]]
// CHECK-NEXT:    %[[POSITION:.*]] = arith.addi %[[FIRST]], %[[COLUMN]]
// CHECK-NEXT:    %[[BELOW:.*]] = arith.cmpi ult, %[[POSITION]], %[[C224]]
// CHECK-NEXT:    %[[BESIDE:.*]] = arith.cmpi ult, %[[COLUMN]], %[[C56]]
// CHECK-NEXT:    %[[EXISTS:.*]] = arith.andi %[[BESIDE]], %[[BELOW]]
// CHECK:         %[[OWN:.*]] = arith.addi %{{.*}}, %[[SCRATCH]]
// CHECK-NEXT:    %[[ELEMENT:.*]] = arith.select %[[EXISTS]], %{{.*}}, %[[OWN]]
// CHECK-NEXT:    engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}}[%[[ELEMENT]]] transposed
// CHECK-COUNT-13: engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to
// CHECK:         engine.store_matrices %{{[0-9]*}}, %{{[0-9]*}} to
// CHECK:         %[[TILE:.*]] = memref.subview %{{.*}}[0, 0] [224, 64] [1, 1]
// CHECK-NEXT:    %[[BOX:.*]] = memref.expand_shape %[[TILE]] {{.*}} output_shape [4, 56, 64]
// CHECK-NEXT:    engine.store_box %[[BOX]]

// Two warpgroups have four of eight rows of 28 each: the second one's lines begin 4 * 30
// further.
// HALVES-LABEL: gpu.func @forward_0
// HALVES-DAG:     %[[DISTANCE:.*]] = arith.constant 120 : index
// HALVES:         %[[WARPGROUP32:.*]] = nvvm.shfl.sync
// HALVES:         %[[WARPGROUP:.*]] = arith.index_cast %[[WARPGROUP32]]
// HALVES:         memref.alloc() : memref<2x128x64xbf16, #gpu.address_space<workgroup>>
// HALVES:         arith.muli %[[WARPGROUP]], %[[DISTANCE]]
// HALVES:         memref.subview %{{.*}}[%{{.*}}, %{{.*}}, 0] [1, 120, 64]
// HALVES:         engine.store_box %{{.*}} : memref<4x28x64xbf16

// Without a window, two warpgroups have 64 filters each of one tile.
// TILES-LABEL: gpu.func @forward_0
// TILES:         %[[WARPGROUP32:.*]] = nvvm.shfl.sync
// TILES:         %[[WARPGROUP:.*]] = arith.index_cast %[[WARPGROUP32]]
// TILES:         %[[COLUMN:.*]] = arith.remui %[[WARPGROUP]], %c2
// TILES-NEXT:    %[[FILTER:.*]] = arith.muli %[[COLUMN]], %c64
// TILES:         engine.warpgroup_mma %{{.*}}[%[[FILTER]]], %{{.*}} : memref<128x64xbf16, {{.*}}>, memref<112x64xbf16, {{.*}}>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x112xf32>>
// TILES:         engine.store_tile %{{.*}} into %{{.*}}[%{{.*}}, %c0, %[[FILTER]]] {{.*}} : memref<112x64xbf16

#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
#row = affine_map<(n, p, q, k) -> (k)>
func.func @forward(%x: tensor<2x8x56x64xbf16>, %w: tensor<64x3x3x64xbf16>, %b: tensor<64xf32>) -> tensor<2x8x56x64xbf16> {
  %e = tensor.empty() : tensor<2x8x56x64xf32>
  %y = tensor.empty() : tensor<2x8x56x64xbf16>
  %c = conv.forward ins(%x, %w : tensor<2x8x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%e : tensor<2x8x56x64xf32>) pad [1, 1] -> tensor<2x8x56x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %b : tensor<2x8x56x64xf32>, tensor<64xf32>) outs(%y : tensor<2x8x56x64xbf16>) {
  ^bb0(%a: f32, %v: f32, %o: bf16):
    %t = arith.addf %a, %v : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<2x8x56x64xbf16>
  return %s : tensor<2x8x56x64xbf16>
}
