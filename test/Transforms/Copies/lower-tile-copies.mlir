// RUN: conv-opt %s -conv-lower-tile-copies -canonicalize -cse -split-input-file | FileCheck %s

// 16-byte copies. The divisions of the row are above the loop, and so are its
// bounds tests, one bit a tap; in it there is one test of that bit and one
// addition for each chunk.

#x = #conv.view<rows = [56, 56], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#slot = strided<[32, 1], offset: ?>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @padded
  // CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C56:.*]] = arith.constant 56 : index
  // CHECK:         %[[FLAT:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2, 3]] : memref<8x56x56x64xbf16> into memref<1605632xbf16>
  // CHECK:         arith.divui %{{.*}}, %[[C56]]
  // CHECK:         arith.cmpi ult, %{{.*}}, %[[C56]]
  // CHECK:         scf.for %[[T:.*]] =
  // CHECK-NOT:       arith.divui %{{.*}}, %[[C56]]
  // CHECK-NOT:       arith.cmpi ult
  // CHECK:           %[[BIT:.*]] = arith.shli %{{.*}}, %{{.*}} : i32
  // CHECK:           %[[COMMON:.*]] = arith.andi %{{.*}}, %[[BIT]] : i32
  // CHECK:           %[[IN:.*]] = arith.cmpi ne, %[[COMMON]], %{{.*}} : i32
  // CHECK:           %[[SIZE:.*]] = arith.select %[[IN]], %[[C8]], %[[C0]]
  // CHECK:           nvgpu.device_async_copy %[[FLAT]][%{{.*}}], %{{.*}}[%{{.*}}], 8, %[[SIZE]] {bypassL1}
  // CHECK-COUNT-3:   nvgpu.device_async_copy
  // CHECK-NOT:       nvgpu.device_async_copy
  gpu.func @padded(%x: memref<8x56x56x64xbf16>, %s: memref<128x32xbf16, #slot, #smem>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c128 = arith.constant 128 : index
    %b = gpu.block_id x
    %m = arith.muli %b, %c128 : index
    scf.for %t = %c0 to %c9 step %c1 {
      conv.im2col %x[%m, %t, %c0] into %s async view #x
        : memref<8x56x56x64xbf16> into memref<128x32xbf16, #slot, #smem>
    }
    gpu.return
  }
}

// -----

// A matrix that lies in the tensor as it is, and whose tiles all are whole:
// neither a division of the row nor a test.

#x = #conv.view<rows = [16, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @pointwise
  // CHECK-NOT:     arith.constant 16 : index
  // CHECK-NOT:     arith.cmpi
  // CHECK-NOT:     arith.select
  // CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, 8 {bypassL1}
  gpu.func @pointwise(%x: memref<2x16x16x64xf16>, %s: memref<64x32xf16, #smem>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %b = gpu.block_id x
    %m = arith.muli %b, %c64 : index
    conv.im2col %x[%m, %c0, %c0] into %s async view #x : memref<2x16x16x64xf16> into memref<64x32xf16, #smem>
    gpu.return
  }
}

// -----

// A filter with more taps than a register has bits: each padded dimension is
// tested in the loop.

#x = #conv.view<rows = [56, 56], taps = [7, 7], stride = [1, 1], step = [1, 1], offset = [-3, -3], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @many_taps
  // CHECK-DAG:     %[[C56:.*]] = arith.constant 56 : index
  // CHECK:         scf.for
  // CHECK:           %[[INW:.*]] = arith.cmpi ult, %{{.*}}, %[[C56]]
  // CHECK:           %[[INH:.*]] = arith.cmpi ult, %{{.*}}, %[[C56]]
  // CHECK:           arith.andi %[[INW]], %[[INH]]
  gpu.func @many_taps(%x: memref<8x56x56x64xbf16>, %s: memref<128x64xbf16, #smem>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c49 = arith.constant 49 : index
    %c128 = arith.constant 128 : index
    %b = gpu.block_id x
    %m = arith.muli %b, %c128 : index
    scf.for %t = %c0 to %c49 step %c1 {
      conv.im2col %x[%m, %t, %c0] into %s async view #x
        : memref<8x56x56x64xbf16> into memref<128x64xbf16, #smem>
    }
    gpu.return
  }
}

// -----

// Rows that are evenly spaced share one address; the distances are constants.

#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @filter
  // CHECK:         scf.for
  // CHECK:           nvgpu.device_async_copy %{{.*}}[%[[E:[0-9]+]]], %{{.*}}[%{{.*}}], 8 {bypassL1}
  // Sixteen rows of 9 * 64 elements below.
  // CHECK:           %[[NEXT:.*]] = arith.addi %[[E]], %c9216
  // CHECK:           nvgpu.device_async_copy %{{.*}}[%[[NEXT]]]
  gpu.func @filter(%w: memref<64x3x3x64xbf16>, %s: memref<32x64xbf16, #smem>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c32 = arith.constant 32 : index
    %b = gpu.block_id x
    %n = arith.muli %b, %c32 : index
    scf.for %t = %c0 to %c9 step %c1 {
      conv.im2col %w[%n, %t, %c0] into %s async view #w
        : memref<64x3x3x64xbf16> into memref<32x64xbf16, #smem>
    }
    gpu.return
  }
}

// -----

// A row that is not known to start a tile is tested, and a channel offset that
// is not known to be aligned narrows the copies.

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @anywhere
  // CHECK:         %[[C32:.*]] = arith.constant 32 : index
  // CHECK:         arith.cmpi ult, %{{.*}}, %[[C32]]
  // CHECK:         nvgpu.device_async_copy %{{.*}}, 2, %{{[^{]*}} : memref<2048xf16>
  gpu.func @anywhere(%x: memref<2x16x64xf16>, %s: memref<16x64xf16, #smem>, %m: index, %j: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c = arith.muli %j, %c2 : index
    conv.im2col %x[%m, %c0, %c] into %s async view #x : memref<2x16x64xf16> into memref<16x64xf16, #smem>
    gpu.return
  }
}

// -----

// 20 channels keep 8 bytes aligned. Channels past them are zero: the test of
// each piece. Rows past the matrix (2*5*7) fail the test of their coordinate.

#x = #conv.view<rows = [5, 7], taps = [2, 1], stride = [1, 1], step = [-1, 1], offset = [1, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @twenty
  // CHECK-DAG:     %[[OUTSIDE:.*]] = arith.constant -1073741824 : index
  // CHECK-DAG:     %[[C20:.*]] = arith.constant 20 : index
  // CHECK-DAG:     %[[C70:.*]] = arith.constant 70 : index
  // CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %[[C70]]
  // CHECK:         arith.select %[[EXISTS]], %{{.*}}, %[[OUTSIDE]]
  // CHECK:         arith.cmpi ult, %{{.*}}, %[[C20]]
  // CHECK:         nvgpu.device_async_copy %{{.*}}, 4, %{{[^{]*}} : memref<1200xf16>
  // CHECK:         arith.cmpi ult, %{{.*}}, %[[C20]]
  // CHECK:         nvgpu.device_async_copy %{{.*}}, 4, %{{[^{]*}} : memref<1200xf16>
  // CHECK-NOT:     nvgpu.device_async_copy
  gpu.func @twenty(%x: memref<2x6x5x20xf16>, %s: memref<32x32xf16, #smem>, %b: index, %t: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %m = arith.muli %b, %c32 : index
    conv.im2col %x[%m, %t, %c0] into %s async view #x : memref<2x6x5x20xf16> into memref<32x32xf16, #smem>
    gpu.return
  }
}

// -----

// Odd channels cannot be copied asynchronously; one store to shared memory.

#x = #conv.view<rows = [9], taps = [3], stride = [1], step = [2], offset = [-2], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @odd
  // CHECK-NOT:     nvgpu.device_async_copy
  // CHECK-COUNT-8: vector.load %{{.*}} : memref<45xbf16>, vector<1xbf16>
  // CHECK-NOT:     vector.load
  // CHECK:         vector.store %{{.*}} {alignment = 16 : i64} : memref<512xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  gpu.func @odd(%x: memref<1x9x5xbf16>, %s: memref<32x16xbf16, #smem>, %t: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %t, %c0] into %s view #x : memref<1x9x5xbf16> into memref<32x16xbf16, #smem>
    gpu.return
  }
}

// -----

// Groups: the channel of the tensor is g*C/G + c. Threads that have no chunk of
// the tile do nothing.

#x = #conv.view<rows = [8, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 4>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @groups
  // CHECK-SAME:    %[[G:[^:]*]]: index)
  // CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
  // CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
  // CHECK-DAG:     %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %[[C32]]
  // CHECK-DAG:     arith.muli %[[G]], %[[C16]]
  // CHECK:         scf.if %[[HAS]]
  // CHECK-NEXT:      arith.addi
  // CHECK-NEXT:      nvgpu.device_async_copy
  gpu.func @groups(%x: memref<1x8x8x64xf16>, %s: memref<16x16xf16, #smem>, %g: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %g, %c0] into %s async view #x : memref<1x8x8x64xf16> into memref<16x16xf16, #smem>
    gpu.return
  }
}

// -----

// A copy that must be done at once is loads and stores.

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sync
  // CHECK:         %[[V:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<1024xf16>, vector<8xf16>
  // CHECK:         vector.store %[[V]]
  gpu.func @sync(%x: memref<1x16x64xf16>, %s: memref<16x64xf16, #smem>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16, #smem>
    gpu.return
  }
}

// -----

// An operand of the epilogue comes through the memory of the operand tiles.

#y = #conv.view<rows = [40], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @residual
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         gpu.barrier
  // CHECK:         %[[TILE:.*]] = memref.alloc() : memref<32x16xf16, #gpu.address_space<workgroup>>
  // CHECK:         nvgpu.device_async_copy
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         gpu.barrier
  // CHECK:         vector.transfer_read %[[TILE]]
  gpu.func @residual(%r: memref<2x40x24xf16>, %b: index) -> vector<32x16xf16>
      attributes {conv.kernel_plan = #conv.kernel_plan<reads = [staged]>, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %m = arith.muli %b, %c32 : index
    %p = arith.constant 0.0 : f16
    %ring = memref.alloc() : memref<2x64x16xf16, #smem>
    memref.store %p, %ring[%c0, %c0, %c0] : memref<2x64x16xf16, #smem>
    %v = conv.im2col %r[%m, %c0, %c0] view #y : memref<2x40x24xf16> -> vector<32x16xf16>
    gpu.return %v : vector<32x16xf16>
  }
}

// -----

// What the plan says that threads load stays.

#y = #conv.view<rows = [40], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @fragments
  // CHECK:         conv.im2col {{.*}} -> vector<32x16xf16>
  gpu.func @fragments(%r: memref<2x40x24xf16>, %b: index) -> vector<32x16xf16>
      attributes {conv.kernel_plan = #conv.kernel_plan<reads = [fragments]>, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = conv.im2col %r[%c0, %c0, %c0] view #y : memref<2x40x24xf16> -> vector<32x16xf16>
    gpu.return %v : vector<32x16xf16>
  }
}

// -----

// Stride phases: what differs between them is looked up where the phase is
// known; the row is divided by such a number once, in front of the loop. Phases
// have 2x1 and 1x2 taps: the mask of a row has a bit for those of its phase.

#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @phases
  // CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
  // CHECK:         %[[P:.*]] = arith.andi
  // CHECK:         %[[FIRST:.*]] = arith.cmpi ult, %[[P]], %{{.*}}
  // CHECK-DAG:     %[[ROWS:.*]] = arith.select %[[FIRST]], %[[C4]], %[[C3]]
  // CHECK:         %[[Q:.*]] = arith.divui %{{.*}}, %[[ROWS]]
  // CHECK:         arith.muli %[[Q]], %[[ROWS]]
  // CHECK:         scf.for %[[T:.*]] =
  // CHECK-NOT:       arith.divui
  // CHECK:           %[[BIT:.*]] = arith.shli %{{.*}}, %{{.*}} : i32
  // CHECK:           %[[COMMON:.*]] = arith.andi %{{.*}}, %[[BIT]] : i32
  // CHECK:           nvgpu.device_async_copy
  gpu.func @phases(%dy: memref<2x5x5x32xf16>, %s: memref<16x32xf16, #smem>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %b = gpu.block_id x
    %p = arith.andi %b, %c1 : index
    %m = arith.muli %b, %c16 : index
    scf.for %t = %c0 to %c2 step %c1 {
      conv.im2col %dy[%m, %t, %c0] into %s async at %p views [<rows = [5, 4], taps = [2, 1], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1>, <rows = [5, 3], taps = [1, 2], stride = [1, 1], step = [1, 1], offset = [0, 1], groups = 1>]
        : memref<2x5x5x32xf16> into memref<16x32xf16, #smem>
    }
    gpu.return
  }
}

// -----

// Rows that follow from the block of gemm-k: they are divided in the loop, and
// tested, since the ring runs ahead of the last one. A row group and a column
// that do not change are not.

#x = #conv.view<rows = [8, 8], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [0, 0], groups = 1, row_groups = 2>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @rows_in_the_loop
  // CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
  // 2 images of 16x16x64 elements in a row group.
  // CHECK-DAG:     %[[C32768:.*]] = arith.constant 32768 : index
  // CHECK:         scf.for
  // CHECK:           arith.cmpi ult, %{{.*}}, %[[C128]]
  // CHECK:           arith.divui %{{.*}}, %[[C8]]
  // CHECK:           arith.muli %{{.*}}, %[[C32768]]
  // CHECK:           nvgpu.device_async_copy
  gpu.func @rows_in_the_loop(%x: memref<4x16x16x64xf16>, %s: memref<32x64xf16, #smem>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %g = gpu.block_id x
    scf.for %m = %c0 to %c128 step %c32 {
      conv.im2col %x[%g, %m, %c0, %c0] into %s async view #x : memref<4x16x16x64xf16> into memref<32x64xf16, #smem>
    }
    gpu.return
  }
}
