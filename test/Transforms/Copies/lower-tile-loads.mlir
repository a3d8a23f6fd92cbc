// RUN: conv-opt %s -conv-lower-tile-loads -canonicalize -cse -split-input-file | FileCheck %s

// A 3x3 layer: im2col for x, a box of the filter's tensor for w. The row is
// divided above the loop; a load has the channel, the tap, and one copy for
// each panel of 64 channels. The kernel gets tensor maps instead of buffers;
// the result stays.

#x = #conv.view<rows = [28, 28], taps = [3, 3], stride = [2, 2], step = [1, 1], offset = [-1, -1], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

module attributes {gpu.container_module} {
  // CHECK-LABEL: gpu.func @forward
  // CHECK-SAME:    (%[[Y:[^:]*]]: memref<8x28x28x64xbf16>, %[[XMAP:[^:]*]]: !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>, %[[WMAP:[^:]*]]: !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>,
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG:     %[[CM1:.*]] = arith.constant -1 : index
  // CHECK-DAG:     %[[C28:.*]] = arith.constant 28 : index
  // CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:     %[[PANEL:.*]] = arith.constant 8192 : index
  // CHECK:         %[[M:.*]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK:         %[[Q:.*]] = arith.remui %[[M]], %[[C28]]
  // CHECK:         %[[NP:.*]] = arith.divui %[[M]], %[[C28]]
  // CHECK:         %[[Q2:.*]] = arith.muli %[[Q]], %[[C2]]
  // CHECK:         %[[W:.*]] = arith.addi %[[Q2]], %[[CM1]]
  // CHECK:         %[[P:.*]] = arith.remui %[[NP]], %[[C28]]
  // CHECK:         %[[N:.*]] = arith.divui %[[NP]], %[[C28]]
  // CHECK:         %[[P2:.*]] = arith.muli %[[P]], %[[C2]]
  // CHECK:         %[[H:.*]] = arith.addi %[[P2]], %[[CM1]]
  // CHECK:         scf.for %[[T:.*]] = %[[C0]]
  // CHECK-NOT:       %[[C28]]
  // CHECK:           %[[S:.*]] = arith.remui %[[T]], %[[C3]]
  // CHECK:           %[[REST:.*]] = arith.divui %[[T]], %[[C3]]
  // CHECK:           %[[R:.*]] = arith.remui %[[REST]], %[[C3]]
  // CHECK:           engine.tma_load %[[XMAP]][%[[C64]], %[[W]], %[[H]], %[[N]]] offsets[%[[S]], %[[R]]] to %[[SA:.*]][%[[C0]]], %[[FULL:.*]][%[[C1]]]
  // CHECK:           engine.tma_load %[[XMAP]][%{{.*}}, %[[W]], %[[H]], %[[N]]] offsets[%[[S]], %[[R]]] to %[[SA]][%[[PANEL]]], %[[FULL]][%[[C1]]]
  // CHECK:           engine.tma_load %[[WMAP]][%[[C64]], %[[S]], %[[R]], %[[C0]]] to %[[SB:.*]][%[[C0]]], %[[FULL]][%[[C1]]]
  // CHECK:           engine.tma_load %[[WMAP]]
  // The same map, also of another part of it.
  // CHECK:           engine.tma_load %[[WMAP]][%[[C0]], %[[S]], %[[R]], %[[C0]]]
  // CHECK:           engine.tma_load %[[WMAP]]
  // CHECK-NOT:     engine.tma_load
  gpu.module @kernels {
    gpu.func @forward(%x: memref<8x56x56x192xbf16>, %w: memref<64x3x3x192xbf16>, %y: memref<8x28x28x64xbf16>) kernel
        attributes {known_block_size = array<i32: 384, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %b = gpu.block_id x
      %m = arith.muli %b, %c128 : index
      %sa = memref.alloc() : memref<128x128xbf16, #smem>
      %sb = memref.alloc() : memref<64x128xbf16, #smem>
      %full = nvgpu.mbarrier.create -> !ring
      %flat = memref.collapse_shape %x [[0], [1], [2, 3]] : memref<8x56x56x192xbf16> into memref<8x56x10752xbf16>
      %whole = memref.expand_shape %flat [[0], [1], [2, 3]] output_shape [8, 56, 56, 192] : memref<8x56x10752xbf16> into memref<8x56x56x192xbf16>
      scf.for %t = %c0 to %c9 step %c1 {
        engine.load_tile %whole[%m, %t, %c64] into %sa, %full[%c1] view #x : memref<8x56x56x192xbf16> into memref<128x128xbf16, #smem>, !ring
        engine.load_tile %w[%c0, %t, %c64] into %sb, %full[%c1] view #w : memref<64x3x3x192xbf16> into memref<64x128xbf16, #smem>, !ring
        engine.load_tile %w[%c0, %t, %c0] into %sb, %full[%c1] view #w : memref<64x3x3x192xbf16> into memref<64x128xbf16, #smem>, !ring
      }
      %v = memref.load %y[%c0, %c0, %c0, %c0] : memref<8x28x28x64xbf16>
      memref.store %v, %y[%c0, %c0, %c0, %c1] : memref<8x28x28x64xbf16>
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK-SAME:    (%[[X:[^:]*]]: memref<8x56x56x192xbf16>, %[[F:[^:]*]]: memref<64x3x3x192xbf16>, %[[Y:[^:]*]]: memref<8x28x28x64xbf16>)
  // CHECK-DAG:     %[[XMAP:.*]] = engine.tensor_map %[[X]] extents [192, 56, 56, 8] byte_strides [384, 21504, 1204224] element_strides [1, 2, 2, 1] lower [-1, -1] upper [-2, -2]
  // CHECK-DAG:     %[[WMAP:.*]] = engine.tensor_map %[[F]] extents [192, 3, 3, 64] byte_strides [384, 1152, 3456] element_strides [1, 1, 1, 1] box [64, 1, 1, 64]
  // CHECK:         gpu.launch_func @kernels::@forward
  // CHECK-SAME:      args(%[[Y]] : memref<8x28x28x64xbf16>, %[[XMAP]] : {{.*}}, %[[WMAP]] : {{.*}})
  func.func @host(%x: memref<8x56x56x192xbf16>, %w: memref<64x3x3x192xbf16>, %y: memref<8x28x28x64xbf16>) {
    %c1 = arith.constant 1 : index
    %c49 = arith.constant 49 : index
    %c384 = arith.constant 384 : index
    gpu.launch_func @kernels::@forward blocks in (%c49, %c1, %c1) threads in (%c384, %c1, %c1)
      args(%x : memref<8x56x56x192xbf16>, %w : memref<64x3x3x192xbf16>, %y : memref<8x28x28x64xbf16>)
    return
  }
}

// -----

// A matrix needs no division at all, taps of dgrad's filter run downwards, and
// taps of an im2col view count from the lowest. Groups lie one after the other
// along the channels.

#matrix = #conv.view<rows = [7, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#filter = #conv.view<rows = [1, 1], taps = [2, 1], stride = [1, 1], step = [-2, 1], offset = [2, 1], groups = 1>
#down = #conv.view<rows = [7], taps = [3], stride = [1], step = [-2], offset = [3], groups = 2>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

// CHECK-LABEL: gpu.func @kinds
// CHECK-SAME:    (%[[MAP:[^:]*]]: {{[^%]*}}, %[[FMAP:[^:]*]]: {{[^%]*}}, %[[DMAP:[^:]*]]: !nvgpu.tensormap.descriptor<tensor = memref<64x32xbf16, 3>, swizzle = swizzle_64b
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[CM1:.*]] = arith.constant -1 : index
// CHECK-DAG:     %[[CM2:.*]] = arith.constant -2 : index
// CHECK-DAG:     %[[I:.*]] = gpu.block_id x
// CHECK-DAG:     %[[W:.*]] = arith.addi %{{.*}}, %[[CM1]]
// CHECK:         engine.tma_load %[[MAP]][%[[C0]], %[[I]]] to
// CHECK:         %[[T:.*]] = arith.remui %[[I]], %[[C2]]
// CHECK:         %[[DOWN:.*]] = arith.muli %[[T]], %[[CM2]]
// CHECK:         %[[R:.*]] = arith.addi %[[DOWN]], %[[C2]]
// CHECK:         engine.tma_load %[[FMAP]][%[[C0]], %[[C1]], %[[R]], %[[I]]] to
// CHECK:         %[[CHANNEL:.*]] = arith.muli %[[I]], %[[C32]]
// CHECK:         %[[OFFSET:.*]] = arith.addi %{{.*}}, %[[C4]]
// CHECK:         engine.tma_load %[[DMAP]][%[[CHANNEL]], %[[W]], %{{.*}}] offsets[%[[OFFSET]]] to
gpu.module @kernels {
  gpu.func @kinds(%m: memref<8x7x9x64xbf16>, %f: memref<8x3x3x64xbf16>, %d: memref<8x9x64xbf16>) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.block_id x
    %s = memref.alloc() : memref<64x64xbf16, #smem>
    %t = memref.alloc() : memref<64x32xbf16, #smem>
    %full = nvgpu.mbarrier.create -> !ring
    engine.load_tile %m[%i, %c0, %c0] into %s, %full[%c0] view #matrix : memref<8x7x9x64xbf16> into memref<64x64xbf16, #smem>, !ring
    engine.load_tile %f[%i, %i, %c0] into %s, %full[%c0] view #filter : memref<8x3x3x64xbf16> into memref<64x64xbf16, #smem>, !ring
    engine.load_tile %d[%i, %i, %i, %c0] into %t, %full[%c0] view #down : memref<8x9x64xbf16> into memref<64x32xbf16, #smem>, !ring
    gpu.return
  }
}

// -----

// A phase of dgrad's result: every second position, as a tensor of its own that
// is stored in im2col mode; and a result as it is, a matrix.

#phase = #conv.view<rows = [7, 8], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>
#all = #conv.view<rows = [15, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  // CHECK-LABEL: gpu.func @stores
  // CHECK-SAME:    (%[[PHASE:[^:]*]]: {{[^%]*}}, %[[ALL:[^:]*]]: {{[^%]*}}, %[[WHOLE:[^:]*]]: {{[^%]*}})
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:     %[[PANEL:.*]] = arith.constant 4096 : index
  // CHECK-DAG:     %[[FLAT:.*]] = memref.collapse_shape
  // CHECK-DAG:     %[[M:.*]] = gpu.block_id x
  // CHECK:         gpu.barrier
  // CHECK-DAG:     %[[GROUP:.*]] = arith.divui %[[M]], %[[C8]]
  // CHECK-DAG:     %[[W:.*]] = arith.remui %[[M]], %[[C8]]
  // CHECK:         %[[H:.*]] = arith.remui
  // CHECK:         %[[N:.*]] = arith.divui
  // CHECK:         engine.tma_store %[[FLAT]][%[[C0]]] to %[[PHASE]][%[[C0]], %[[W]], %[[H]], %[[N]]] im2col
  // CHECK:         engine.tma_store %[[FLAT]][%[[PANEL]]] to %[[PHASE]][%[[C64]], %[[W]], %[[H]], %[[N]]] im2col
  // CHECK:         engine.tma_store %[[FLAT]][%[[C0]]] to %[[ALL]][%[[C0]], %[[M]]] :
  // CHECK:         engine.tma_store %[[FLAT]][%[[PANEL]]] to %[[ALL]][%[[C64]], %[[M]]] :
  // CHECK:         engine.tma_store %[[FLAT]][%[[C0]]] to %[[WHOLE]][%[[C0]], %[[C0]], %[[C0]], %[[GROUP]]] :
  gpu.module @kernels {
    gpu.func @stores(%x: memref<8x15x16x128xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %m = gpu.block_id x
      %s = memref.alloc() : memref<64x128xbf16, #smem>
      gpu.barrier
      engine.store_tile %s into %x[%m, %c0, %c0] view #phase : memref<64x128xbf16, #smem> into memref<8x15x16x128xbf16>
      engine.store_tile %s into %x[%m, %c0, %c0] view #all : memref<64x128xbf16, #smem> into memref<8x15x16x128xbf16>
      engine.store_tile %s into %x[%m, %c0, %c0] view #all interleaved : memref<64x128xbf16, #smem> into memref<8x15x16x128xbf16>
      gpu.return
    }
  }
  // CHECK: func.func @host
  // CHECK: engine.tensor_map %{{.*}} extents [128, 8, 7, 8] byte_strides [512, 8192, 61440] element_strides [1, 1, 1, 1] lower [0, 0] upper [0, 0] {byte_offset = 4096 : i64}
  // CHECK: engine.tensor_map %{{.*}} extents [128, 1920] byte_strides [256] element_strides [1, 1] box [64, 64] :
  // CHECK: engine.tensor_map %{{.*}} extents [64, 8, 2, 240] byte_strides [256, 128, 2048] element_strides [1, 1, 1, 1] box [64, 8, 2, 8] :
  func.func @host(%x: memref<8x15x16x128xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@stores blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<8x15x16x128xbf16>)
    return
  }
}

// -----

// Boxes: the window of a tile, whose lines have two panels of channels, and the
// tile itself. What lies outside of the tensor is the hardware's business.

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 1>

module attributes {gpu.container_module} {
  // CHECK-LABEL: gpu.func @boxes
  // CHECK-SAME:    (%[[WINDOW:[^:]*]]: {{[^%]*}}, %[[TILE:[^:]*]]: {{[^%]*}})
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:     %[[PANEL:.*]] = arith.constant 25344 : index
  // CHECK-DAG:     %[[CM1:.*]] = arith.constant -1 : index
  // CHECK-DAG:     %[[N:.*]] = gpu.block_id x
  // CHECK:         engine.tma_load %[[WINDOW]][%[[C0]], %[[CM1]], %[[CM1]], %[[N]]] to %{{.*}}[%[[C0]]]
  // CHECK:         engine.tma_load %[[WINDOW]][%[[C64]], %[[CM1]], %[[CM1]], %[[N]]] to %{{.*}}[%[[PANEL]]]
  // CHECK:         engine.tma_store %{{.*}}[%[[C0]]] to %[[TILE]][%[[C0]], %[[C0]], %[[C0]], %[[N]]] :
  gpu.module @kernels {
    gpu.func @boxes(%x: memref<8x15x16x128xbf16>, %y: memref<8x15x16x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %m1 = arith.constant -1 : index
      %n = gpu.block_id x
      %window = memref.alloc() : memref<6x66x128xbf16, #smem>
      %tile = memref.alloc() : memref<4x64x64xbf16, #smem>
      %full = nvgpu.mbarrier.create -> !ring
      engine.load_box %x[%n, %m1, %m1, %c0] into %window, %full[%c0] : memref<8x15x16x128xbf16> into memref<6x66x128xbf16, #smem>, !ring
      gpu.barrier
      engine.store_box %tile into %y[%n, %c0, %c0, %c0] : memref<4x64x64xbf16, #smem> into memref<8x15x16x64xbf16>
      gpu.return
    }
  }
  // CHECK: func.func @host
  // CHECK: engine.tensor_map %{{.*}} extents [128, 16, 15, 8] byte_strides [256, 4096, 61440] element_strides [1, 1, 1, 1] box [64, 66, 6, 1] :
  // CHECK-SAME: memref<396x64xbf16, 3>
  // CHECK: engine.tensor_map %{{.*}} extents [64, 16, 15, 8] byte_strides [128, 2048, 30720] element_strides [1, 1, 1, 1] box [64, 64, 4, 1] :
  func.func @host(%x: memref<8x15x16x128xbf16>, %y: memref<8x15x16x64xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@boxes blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<8x15x16x128xbf16>, %y : memref<8x15x16x64xbf16>)
    return
  }
}
