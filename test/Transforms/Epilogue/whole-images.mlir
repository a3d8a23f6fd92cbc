// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=196x128x64,warps=1x8,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s

// A tile is an image of 14x14. A slot of the ring has whole groups of eight
// lines for the instruction, but 196 are loaded. What a warpgroup has of the
// image, 64 filters, is staged in the order of memory, and is one box of lines
// of 64 elements. The last four lines are no positions and go to the scratch.

// CHECK-LABEL: gpu.func @forward_0
// CHECK-DAG:     %[[FILTERS:.*]] = arith.constant 1568 : index
// CHECK-DAG:     %[[C196:.*]] = arith.constant 196 : index
// CHECK:         %[[RING:.*]] = memref.alloc() : memref<3x200x64xbf16,
// CHECK:         memref.subview %[[RING]]{{.*}} [1, 196, 64] {{.*}} to memref<196x64xbf16
// CHECK:         engine.load_tile {{.*}} into memref<196x64xbf16
// CHECK:         %[[LINES:.*]] = memref.subview %[[RING]]{{.*}} [1, 200, 64] {{.*}} to memref<200x64xbf16
// CHECK:         engine.warpgroup_mma %{{.*}}, %[[LINES]], {{.*}}fragmented = vector<64x200xf32>
// CHECK:         engine.read_accumulator
// CHECK:         vector.store %{{.*}}, %[[STAGED:.*]][%[[AT:.*]]] {alignment = 4 : i64} : {{.*}}, vector<2xbf16>
// CHECK:         %[[NEXT:.*]] = arith.addi %[[AT]], %[[FILTERS]]
// CHECK:         vector.store %{{.*}}, %[[STAGED]][%[[NEXT]]]
// CHECK-COUNT-46: vector.store %{{.*}}, %[[STAGED]]
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %[[C196]]
// CHECK:         %[[LAST:.*]] = arith.select %[[EXISTS]]
// CHECK:         vector.store %{{.*}}, %[[STAGED]][%[[LAST]]]
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.barrier
// CHECK:         %[[BOX:.*]] = memref.subview {{.*}} to memref<196x64xbf16
// CHECK:         engine.store_box %[[BOX]] into %{{.*}}[%{{.*}}, %{{.*}}] {dense} : {{.*}} into memref<1176x64xbf16>
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-NOT:     engine.store_box
func.func @forward(%x: tensor<3x14x14x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> tensor<3x128x14x14xbf16> {
  %e = tensor.empty() : tensor<3x14x14x128xbf16>
  %z0 = tensor.empty() : tensor<3x128x14x14xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x14x14x64xbf16>, tensor<128x1x1x64xbf16>) outs(%e : tensor<3x14x14x128xbf16>) -> tensor<3x14x14x128xbf16>
  %z = linalg.transpose ins(%y : tensor<3x14x14x128xbf16>) outs(%z0 : tensor<3x128x14x14xbf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<3x128x14x14xbf16>
}

// -----

// Four images of 7x7: pairs of positions are not aligned, and each image is a
// box. The last tile has one image only.

// CHECK-LABEL: gpu.func @forward_0
// CHECK:         memref.store %{{.*}}, %[[STAGED:.*]][%{{.*}}]
// CHECK-COUNT-99: memref.store %{{.*}}, %[[STAGED]]
// CHECK-NOT:     memref.store
// CHECK:         engine.store_box {{.*}} {dense} : memref<49x64xbf16, {{.*}} into memref<490x64xbf16>
// CHECK:         %[[IMAGE:.*]] = arith.addi %[[FIRST:.*]], %c1
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %[[IMAGE]], %c5
// CHECK:         scf.if %[[EXISTS]]
// CHECK:           engine.store_box
// CHECK:         arith.addi %[[FIRST]], %c2
// CHECK:           engine.store_box
// CHECK:         arith.addi %[[FIRST]], %c3
// CHECK:           engine.store_box
// CHECK-NOT:     engine.store_box
func.func @forward(%x: tensor<5x7x7x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> tensor<5x128x7x7xbf16> {
  %e = tensor.empty() : tensor<5x7x7x128xbf16>
  %z0 = tensor.empty() : tensor<5x128x7x7xbf16>
  %y = conv.forward ins(%x, %w : tensor<5x7x7x64xbf16>, tensor<128x1x1x64xbf16>) outs(%e : tensor<5x7x7x128xbf16>) -> tensor<5x7x7x128xbf16>
  %z = linalg.transpose ins(%y : tensor<5x7x7x128xbf16>) outs(%z0 : tensor<5x128x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<5x128x7x7xbf16>
}
