// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x48x64,warps=8x1,stages=3,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x48x64,warps=8x1,stages=3,copy=tma,mma=wgmma,gather=true"' -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x48x64,warps=8x1,stages=3,copy=tma,mma=wgmma,gather=true"' -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=ORDER

// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x48x64,warps=8x1,stages=4,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=TEAMS

// Tiles of x are transposed by all threads of the producer (F6c), in pairs of
// positions (F7). Full barriers count the thread that announces the filter's
// bytes and four warps.

// ROLES-LABEL: gpu.func @forward_1(%arg0: memref<3x72x14x14xbf16>
// ROLES:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c5 :
// ROLES:         nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c8 :
// ROLES:         scf.if
// ROLES:           nvvm.setmaxregister decrease 152
// ROLES-DAG:       %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// ROLES-DAG:       %[[FIRST:.*]] = arith.cmpi ult, %[[LANE]], %c1
// ROLES-DAG:       %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %c256
// ROLES:           scf.if %[[ONE]] {
// ROLES-NEXT:        nvgpu.mbarrier.try_wait.parity %[[EMPTY]]{{.*}} {conv.producer}
// ROLES-NEXT:        nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%{{.*}}], %c5120 {conv.producer}
// ROLES-NEXT:      }
// ROLES:           scf.if %[[ONE]] {
// ROLES-NEXT:        engine.load_tile %arg1{{.*}} {conv.producer, inner_rows}{{.*}}
// ROLES-NEXT:      }
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[EMPTY]]{{.*}} {conv.producers = 4 : i64}
// ROLES:           conv.im2col %arg0[%[[M:.*]], %c0, %c0] into %{{.*}} channels_first {conv.producers = 4 : i64} : memref<3x72x14x14xbf16> into memref<128x64xbf16
// ROLES-NEXT:      nvvm.fence.proxy {{.*}}async.shared
// ROLES-NEXT:      nvvm.bar.warp.sync
// ROLES-NEXT:      scf.if %[[FIRST]] {
// ROLES-NEXT:        nvgpu.mbarrier.arrive %[[FULL]]
// ROLES:           conv.im2col %arg0[%[[M]], %c0, %c64]
// ROLES:         } else {
// ROLES:           nvvm.setmaxregister increase 176
// ROLES-NOT:       conv.im2col
// ROLES:           vector.contract

// The position is found once for the tile: beside an image, two columns are
// padding. Channels of a chunk are 196 elements
// apart; a row past the matrix and channels past the tensor are zero.

// THREADS-LABEL: gpu.func @forward_1
// THREADS:         scf.for
// THREADS:           %[[M:.*]] = affine.apply
// THREADS-DAG:       %[[OWN:.*]] = arith.remui %{{.*}}, %c128
// THREADS-DAG:       %[[PAIR:.*]] = arith.remui %[[OWN]], %c64
// THREADS-DAG:       %[[CHUNK:.*]] = arith.divui %[[OWN]], %c64
// THREADS-DAG:       %[[LINE:.*]] = arith.muli %[[PAIR]], %c2
// THREADS:           %[[ROW:.*]] = arith.addi %[[M]], %[[LINE]]
// THREADS:           %[[REAL:.*]] = arith.cmpi ult, %[[ROW]], %c756
// THREADS:           %[[Q:.*]] = arith.remui %[[ROW]], %c18
// THREADS:           %[[AT0:.*]] = arith.addi %[[Q]], %c-2
// THREADS:           %[[COLUMN:.*]] = arith.select %[[REAL]], %[[AT0]], %c-1073741824
// THREADS:           engine.load_tile
// THREADS:           %[[IN:.*]] = arith.cmpi ult, %[[COLUMN]], %c14
// THREADS:           %[[C:.*]] = arith.muli %[[CHUNK]], %c8
// THREADS:           %[[EXISTS:.*]] = arith.cmpi ult, %[[C]], %c72
// THREADS:           %[[VALID:.*]] = arith.andi %[[IN]], %[[EXISTS]]
// THREADS:           %[[AT:.*]] = arith.select %[[VALID]], %{{.*}}, %c0
// THREADS:           %[[V0:.*]] = vector.load %{{.*}}[%[[AT]]] {alignment = 4 : i64} : memref<42336xbf16>, vector<2xbf16>
// THREADS:           %[[AT1:.*]] = arith.addi %[[AT]], %c196
// THREADS:           %[[V1:.*]] = vector.load %{{.*}}[%[[AT1]]]
// THREADS:           nvgpu.mbarrier.try_wait.parity
// THREADS:           %[[E0:.*]] = vector.extract %[[V0]][0]
// THREADS:           %[[E1:.*]] = vector.extract %[[V1]][0]
// THREADS:           vector.from_elements %[[E0]], %[[E1]]
// THREADS:           vector.store {{.*}} {alignment = 16 : i64} : {{.*}} vector<8xbf16>

// 32 loads before the wait for the slot and the first store.

// ORDER-LABEL: gpu.func @forward_1
// ORDER:         engine.load_tile
// ORDER-COUNT-32: vector.load
// ORDER:         nvgpu.mbarrier.try_wait.parity
// ORDER-COUNT-8: vector.store
// ORDER:         nvvm.fence.proxy

// From four slots on, two warps each have every other slot.

// TEAMS-LABEL: gpu.func @forward_1
// TEAMS:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c3 :
// TEAMS:         %[[PAIR:.*]] = arith.divui %{{.*}}, %c64
// TEAMS:         %[[TEAM:.*]] = arith.remui %[[PAIR]], %c2
// TEAMS:         %[[TURN:.*]] = arith.remui %[[SLOT:.*]], %c2
// TEAMS:         %[[OWN:.*]] = arith.cmpi eq, %[[TEAM]], %[[TURN]]
// TEAMS:         scf.if %[[OWN]] {
// TEAMS-NEXT:      nvgpu.mbarrier.try_wait.parity %{{.*}}[%[[SLOT]]]
// TEAMS:           conv.im2col {{.*}} {conv.producers = 2 : i64}
// TEAMS:             nvgpu.mbarrier.arrive %[[FULL]][%[[SLOT]]]
// TEAMS:         } {conv.producers = 4 : i64}
func.func @forward(%x: tensor<3x72x14x14xbf16>, %w: tensor<40x1x1x72xbf16>, %y0: tensor<3x14x18x40xbf16>) -> tensor<3x14x18x40xbf16> {
  %e = tensor.empty() : tensor<3x14x14x72xbf16>
  %t = linalg.transpose ins(%x : tensor<3x72x14x14xbf16>) outs(%e : tensor<3x14x14x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x14x72xbf16>, tensor<40x1x1x72xbf16>) outs(%y0 : tensor<3x14x18x40xbf16>) pad [0, 2] -> tensor<3x14x18x40xbf16>
  return %y : tensor<3x14x18x40xbf16>
}
