// RUN: conv-opt %s -conv-lower-tile-loads -canonicalize -cse | FileCheck %s

// Tiles of 32 columns, or rows, that reach past the 24 of a group: the group is
// the outermost dimension of the map. In im2col mode the batch is a spatial one,
// with an offset of zero, inside of the pixel box.

#x = #conv.view<rows = [7, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 2>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1, row_groups = 2>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @groups
    // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
    // CHECK-DAG:     %[[I:.*]] = gpu.block_id x
    // CHECK-DAG:     %[[LAST:.*]] = arith.constant 4 : index
    // CHECK:         %[[N:.*]] = arith.minui %{{.*}}, %[[LAST]]
    // CHECK:         %[[J:.*]] = gpu.block_id y
    // CHECK:         engine.tma_load %{{.*}}[%[[C0]], %{{.*}}, %{{.*}}, %[[N]], %[[J]]] offsets[%{{.*}}, %{{.*}}, %[[C0]]] to
    // CHECK:         engine.tma_load %{{.*}}[%[[C0]], %{{.*}}, %{{.*}}, %[[I]], %[[J]]] to
    gpu.func @groups(%x: memref<5x7x8x48xbf16>, %w: memref<48x3x3x24xbf16>) kernel
        attributes {known_block_size = array<i32: 384, 1, 1>} {
      %c0 = arith.constant 0 : index
      %i = gpu.block_id x
      %j = gpu.block_id y
      %s = memref.alloc() : memref<64x32xbf16, #smem>
      %t = memref.alloc() : memref<32x32xbf16, #smem>
      %full = nvgpu.mbarrier.create -> !ring
      engine.load_tile %x[%i, %i, %j, %c0] into %s, %full[%c0] view #x : memref<5x7x8x48xbf16> into memref<64x32xbf16, #smem>, !ring
      engine.load_tile %w[%j, %i, %i, %c0] into %t, %full[%c0] view #w : memref<48x3x3x24xbf16> into memref<32x32xbf16, #smem>, !ring
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK-DAG:     engine.tensor_map %{{.*}} extents [24, 8, 7, 5, 2] byte_strides [96, 768, 5376, 48] element_strides [1, 1, 1, 1, 1] lower [-1, -1, 0] upper [-1, -1, 0]
  // CHECK-DAG:     engine.tensor_map %{{.*}} extents [24, 3, 3, 24, 2] byte_strides [48, 144, 432, 10368] element_strides [1, 1, 1, 1, 1] box [32, 1, 1, 32, 1]
  func.func @host(%x: memref<5x7x8x48xbf16>, %w: memref<48x3x3x24xbf16>) {
    %c1 = arith.constant 1 : index
    %c384 = arith.constant 384 : index
    gpu.launch_func @kernels::@groups blocks in (%c1, %c1, %c1) threads in (%c384, %c1, %c1)
      args(%x : memref<5x7x8x48xbf16>, %w : memref<48x3x3x24xbf16>)
    return
  }
}
