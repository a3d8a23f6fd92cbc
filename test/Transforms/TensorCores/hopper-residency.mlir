// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=4x1,stages=3,resident=2,staging=64"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s

// Two workgroups of a multiprocessor share its registers: a thread of one
// warpgroup of consumers gets 216 of them. 400 tiles on 264 workgroups. The 128
// rows of the warpgroup are staged and stored in two parts, one after the other.

// CHECK-LABEL: gpu.func @forward_0
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     memref.alloc() : memref<1x64x128xbf16, #gpu.address_space<workgroup>>
// CHECK:         nvvm.setmaxregister decrease 40
// CHECK:         nvvm.setmaxregister increase 216
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-8: engine.store_matrices
// CHECK-NOT:     engine.store_matrices
// CHECK:         engine.store_tile %[[PART:.*]] into %{{.*}}[%[[ROW:.*]], %{{.*}}, %{{.*}}]
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-8: engine.store_matrices
// CHECK-NOT:     engine.store_matrices
// CHECK:         %[[NEXT:.*]] = arith.addi %[[ROW]], %[[C64]]
// CHECK:         engine.store_tile %[[PART]] into %{{.*}}[%[[NEXT]], %{{.*}}, %{{.*}}]
// CHECK:       gpu.launch_func {{.*}} blocks in (%c264, %c1, %c1) threads in (%c256, %c1, %c1)
func.func @forward(%x: tensor<25x32x32x128xbf16>, %w: tensor<256x3x3x128xbf16>) -> tensor<25x32x32x256xbf16> {
  %y = tensor.empty() : tensor<25x32x32x256xbf16>
  %r = conv.forward ins(%x, %w : tensor<25x32x32x128xbf16>, tensor<256x3x3x128xbf16>) outs(%y : tensor<25x32x32x256xbf16>) {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<25x32x32x256xbf16>
  return %r : tensor<25x32x32x256xbf16>
}
