// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=8,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=8,copy=tma,mma=wgmma,gather=true"' -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// Positions of 1x1 filters without stride are copied as they are: a tile of x
// is [channel, position]. Full barriers count the thread that announces the
// filter's bytes, and 128 threads whose copies arrive by themselves. Consumers
// fence what they multiply.

// ROLES-LABEL: gpu.func @forward_1(%arg0: memref<3x72x14x14xbf16>
// ROLES:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c129 :
// ROLES:         nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c8 :
// ROLES:         scf.if
// ROLES:           scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0, %{{.*}} = %false)
// ROLES:             nvgpu.mbarrier.try_wait.parity %[[EMPTY]][%[[SLOT]]]{{.*}} {conv.producers = 4 : i64}
// ROLES:             conv.im2col %arg0[%[[M:.*]], %c0, %c0] into %{{.*}} async view {{.*}} channels_first transposed {conv.producers = 4 : i64} : memref<3x72x14x14xbf16> into memref<64x128xbf16
// ROLES-NEXT:        engine.arrive_copied %[[FULL]][%[[SLOT]]] {conv.producers = 4 : i64}
// ROLES-NOT:         nvvm.fence.proxy
// ROLES:             conv.im2col %arg0[%[[M]], %c0, %c64]
// ROLES:         } else {
// ROLES-NOT:       conv.im2col
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[FULL]]
// ROLES-NEXT:      nvvm.fence.proxy {{.*}}async.shared
// ROLES:           vector.contract {{.*}}vector<64x128xbf16>, vector<64x64xbf16> into vector<128x64xf32>

// A warp has 32 pieces of four positions, of every fourth channel. Positions
// are divided into image and rest once for the tile; four channels are 784
// elements, and 512 of the tile. Of two neighbours every other one is permuted
// as the first.

// THREADS-LABEL: gpu.func @forward_1
// THREADS:         scf.for
// THREADS:           %[[M:.*]] = affine.apply
// THREADS-DAG:       %[[OWN:.*]] = arith.remui %{{.*}}, %c128
// THREADS-DAG:       %[[PIECE:.*]] = arith.remui %[[OWN]], %c32
// THREADS-DAG:       %[[CHANNEL:.*]] = arith.divui %[[OWN]], %c32
// THREADS-DAG:       %[[AT:.*]] = arith.muli %[[PIECE]], %c4
// THREADS:           %[[ROW:.*]] = arith.addi %[[M]], %[[AT]]
// THREADS:           %[[IN:.*]] = arith.cmpi ult, %[[ROW]], %c588
// THREADS:           arith.remui %[[ROW]], %c196
// THREADS:           %[[PLANE:.*]] = arith.muli %[[CHANNEL]], %c196
// THREADS:           %[[FROM:.*]] = arith.addi %{{.*}}, %[[PLANE]]
// THREADS:           %[[C0:.*]] = arith.cmpi ult, %[[CHANNEL]], %c72
// THREADS:           %[[V0:.*]] = arith.andi %[[IN]], %[[C0]]
// THREADS:           %[[N0:.*]] = arith.select %[[V0]], %c4, %c0
// THREADS:           nvgpu.device_async_copy %{{.*}}[%[[FROM]]], %{{.*}}[%[[TO0:.*]]], 4, %[[N0]] : memref<42336xbf16> to memref<8192xbf16
// THREADS:           %[[FROM1:.*]] = arith.addi %[[FROM]], %c784
// THREADS:           nvgpu.device_async_copy %{{.*}}[%[[FROM1]]], %{{.*}}[%[[TO1:.*]]], 4,
// THREADS-DAG:       %[[TO2:.*]] = arith.addi %[[TO0]], %c512
// THREADS-DAG:       %[[FROM2:.*]] = arith.addi %[[FROM]], %c1568
// THREADS:           nvgpu.device_async_copy %{{.*}}[%[[FROM2]]], %{{.*}}[%[[TO2]]], 4,
func.func @forward(%x: tensor<3x72x14x14xbf16>, %w: tensor<64x1x1x72xbf16>, %y0: tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16> {
  %e = tensor.empty() : tensor<3x14x14x72xbf16>
  %t = linalg.transpose ins(%x : tensor<3x72x14x14xbf16>) outs(%e : tensor<3x14x14x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x14x72xbf16>, tensor<64x1x1x72xbf16>) outs(%y0 : tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16>
  return %y : tensor<3x14x14x64xbf16>
}

// -----

// Of wgrad both operands, whose gemm-k is contiguous then. Images have a
// multiple of two positions only: pieces of 4 bytes.

// ROLES-LABEL: gpu.func @wgrad_1
// ROLES:         nvgpu.mbarrier.init %{{.*}}[%c0], %c128 :
// ROLES:         conv.im2col %arg0{{.*}} async view {{.*}} channels_first transposed {{.*}} into memref<128x64xbf16
// ROLES:         conv.im2col %arg1{{.*}} async view {{.*}} channels_first transposed {{.*}} into memref<64x64xbf16
// ROLES:         vector.contract {{.*}}vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>

// THREADS-LABEL: gpu.func @wgrad_1
// THREADS:         nvgpu.device_async_copy %{{.*}}, 2{{(, %.*)?}} : memref<
func.func @wgrad(%x: tensor<4x64x14x7xbf16>, %dy: tensor<4x128x14x7xbf16>, %dw0: tensor<128x1x1x64xbf16>) -> tensor<128x1x1x64xbf16> {
  %e = tensor.empty() : tensor<4x14x7x64xbf16>
  %t = linalg.transpose ins(%x : tensor<4x64x14x7xbf16>) outs(%e : tensor<4x14x7x64xbf16>) permutation = [0, 2, 3, 1]
  %f = tensor.empty() : tensor<4x14x7x128xbf16>
  %u = linalg.transpose ins(%dy : tensor<4x128x14x7xbf16>) outs(%f : tensor<4x14x7x128xbf16>) permutation = [0, 2, 3, 1]
  %dw = conv.wgrad ins(%t, %u : tensor<4x14x7x64xbf16>, tensor<4x14x7x128xbf16>) outs(%dw0 : tensor<128x1x1x64xbf16>) -> tensor<128x1x1x64xbf16>
  return %dw : tensor<128x1x1x64xbf16>
}
