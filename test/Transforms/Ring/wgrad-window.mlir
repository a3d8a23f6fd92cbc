// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="tile=64x576x224,warps=4x3,stages=3,split-k=4,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=MATRICES
// RUN: conv-opt %s -conv-to-blocks='chip=sm_90a schedule="tile=64x576x224,warps=4x3,stages=3,split-k=4,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=BLOCKS
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x224,warps=4x3,stages=3,split-k=4,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=RING
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x224,warps=4x3,stages=3,split-k=4,copy=tma,mma=wgmma,window=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// The taps of a tile read one window of x. Rows of 27 are padded to 32, so that
// 224 of them are 7 rows of an image; rows of 28 are divided by 7.

// MATRICES-LABEL: func @wgrad
// MATRICES-DAG: conv.im2col %{{.*}} view <rows = [28, 32], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<8x28x27x128xbf16> -> tensor<7168x9x128xbf16>
// MATRICES-DAG: conv.im2col %{{.*}} view <rows = [28, 32], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<8x28x27x72xbf16> -> tensor<7168x72xbf16>

// A tile has all taps: 4 parts, two tiles of filters, one of taps, two of
// channels.
// BLOCKS-LABEL: func @wgrad
// BLOCKS: scf.forall {{.*}} in (4, 2, 1, 2)
// BLOCKS: conv.im2col {{.*}} into memref<224x64xbf16
// BLOCKS: conv.im2col {{.*}} into memref<224x9x64xbf16
// BLOCKS: vector.contract {{.*}} into vector<64x9x64xf32>
// BLOCKS: conv.scatter {{.*}} : vector<64x9x64xf32> into memref<288x3x3x128xf32>

// Slots hold dy and the window, 306 lines of which each slot begins at a
// multiple of eight.
// RING-LABEL: gpu.func @wgrad_0
// RING-SAME:    known_block_size = array<i32: 512, 1, 1>
// RING:         memref.alloc() : memref<3x312x64xbf16, #gpu.address_space<workgroup>>
// RING:         memref.alloc() : memref<3x224x64xbf16, #gpu.address_space<workgroup>>
// RING:         nvgpu.mbarrier.init %{{.*}}[%c0], %c12
// RING:           nvgpu.mbarrier.arrive.expect_tx %[[FULL:.*]][%{{.*}}], %c67840
// RING:           %[[COLUMN:.*]] = arith.remui %{{.*}}, %c32
// RING:           %[[ROW:.*]] = arith.remui %{{.*}}, %c28
// RING:           %[[IMAGE:.*]] = arith.divui %{{.*}}, %c28
// RING:           engine.load_box %{{.*}}[%[[IMAGE]], %[[ROW]], %[[COLUMN]], %{{.*}}] into {{.*}} into memref<1x7x32x64xbf16
// RING-DAG:       %[[WINDOW_ROW:.*]] = arith.addi %[[ROW]], %c-1
// RING-DAG:       %[[WINDOW_COLUMN:.*]] = arith.addi %[[COLUMN]], %c-1
// RING:           engine.load_box %{{.*}}[%[[IMAGE]], %[[WINDOW_ROW]], %[[WINDOW_COLUMN]], %{{.*}}] into {{.*}} into memref<1x9x34x64xbf16
// RING:         } else {
// RING:           nvvm.setmaxregister increase 152
// RING:           %[[A:.*]] = vector.transfer_read {{.*}} vector<224x64xbf16>
// RING:           %[[B:.*]] = engine.read_taps %{{.*}} box [1, 7, 32] taps [3, 3] step [1, 1] : {{.*}} -> vector<224x9x64xbf16>
// RING:           vector.contract {{.*}} %[[A]], %[[B]],

// Each of three warpgroups has a row of the filter, 34 lines from the one
// before; its taps are one line apart. It stores 24 blocks of its columns.
// THREADS-LABEL: gpu.func @wgrad_0
// THREADS:         %[[ZERO:.*]] = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>
// THREADS:         %[[TAP:.*]] = arith.muli %{{.*}}, %c3
// THREADS:         %[[COLUMN:.*]] = arith.remui %[[TAP]], %c3
// THREADS:         %[[ROW:.*]] = arith.divui %[[TAP]], %c3
// THREADS:         %[[DISTANCE:.*]] = arith.muli %[[ROW]], %c34
// THREADS:         %[[LINE:.*]] = arith.addi %[[COLUMN]], %[[DISTANCE]]
// THREADS:         nvvm.wgmma.fence.aligned
// THREADS-NEXT:    %[[FIRST:.*]] = engine.window_mma %{{.*}}, %{{.*}}[%[[LINE]]] box [1, 7, 32] distance 1, %[[ZERO]]
// THREADS-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// THREADS:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]],
// THREADS:           engine.window_mma %{{.*}}, %{{.*}}[%[[LINE]]] box [1, 7, 32] distance 1, %[[SUM]]
// THREADS:           nvvm.wgmma.wait.group.sync.aligned 1
// THREADS:         nvvm.wgmma.wait.group.sync.aligned 0
// THREADS:         %{{.*}}:24 = engine.read_accumulator
// THREADS-COUNT-48: vector.store {{.*}} vector<2xf32>
// THREADS-NOT:     vector.store

func.func @wgrad(%x: tensor<8x28x27x128xbf16>, %dy: tensor<8x28x27x72xbf16>, %dw0: tensor<72x3x3x128xbf16>) -> tensor<72x3x3x128xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<8x28x27x128xbf16>, tensor<8x28x27x72xbf16>) outs(%dw0 : tensor<72x3x3x128xbf16>) pad [1, 1] -> tensor<72x3x3x128xbf16>
  return %dw : tensor<72x3x3x128xbf16>
}
