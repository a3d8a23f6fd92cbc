// RUN: conv-opt %s -conv-lower-tile-copies -split-input-file -verify-diagnostics

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @global(%x: memref<1x16x64xf16>, %s: memref<16x64xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'conv.im2col' op can only copy into workgroup memory in a kernel, but its destination is 'memref<16x64xf16>'}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @rank(%x: memref<1x16x64xf16>, %s: memref<16x1x64xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{must copy a tile of two dimensions (rows, channels)}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x1x64xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @narrow(%x: memref<1x16x64xf16>, %s: memref<16x4xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{rows of a shared tile must be a multiple of 16 bytes, but are 8}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x4xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @strided(%x: memref<1x16x64xf16, strided<[2048, 128, 1]>>, %s: memref<16x64xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{source must be dense}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16, strided<[2048, 128, 1]>> into memref<16x64xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @threads(%x: memref<1x16x64xf16>, %s: memref<16x64xf16, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{needs a kernel whose 'known_block_size' is set}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @narrow_rows(%x: memref<1x16x64xf16>, %s: memref<16x64xf16, strided<[32, 1]>, #smem>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{destination must be dense, but is 'memref<16x64xf16, strided<[32, 1]>, #gpu.address_space<workgroup>>'}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16, strided<[32, 1]>, #smem>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @wide_rows(%x: memref<1x16x64xf16>, %s: memref<16x64xf16, strided<[128, 1]>, #smem>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{destination must be dense, but is 'memref<16x64xf16, strided<[128, 1]>, #gpu.address_space<workgroup>>'}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16, strided<[128, 1]>, #smem>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @empty(%x: memref<1x16x64xf16>, %s: memref<0x64xf16, #smem>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{must copy a tile of a static shape that is not empty, but its destination is 'memref<0x64xf16, #gpu.address_space<workgroup>>'}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<0x64xf16, #smem>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @dynamic(%x: memref<1x16x64xf16>, %s: memref<?x64xf16, #smem>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{must copy a tile of a static shape that is not empty, but its destination is 'memref<?x64xf16, #gpu.address_space<workgroup>>'}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<?x64xf16, #smem>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @negative_threads(%x: memref<1x16x64xf16>, %s: memref<16x64xf16, #smem>) kernel attributes {known_block_size = array<i32: -32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{needs a kernel whose 'known_block_size' is positive, but it has -32}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<16x64xf16, #smem>
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @large(%x: memref<1x16x64xf16>, %s: memref<4096x64xf16, #smem>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{must copy a tile of at most 232448 bytes, but its destination has 524288}}
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<1x16x64xf16> into memref<4096x64xf16, #smem>
    gpu.return
  }
}

// -----

// The plan of a kernel has `registers` where rows begin anywhere.

#x = #conv.view<rows = [9], taps = [3], stride = [1], step = [2], offset = [-2], groups = 1>
gpu.module @kernels {
  gpu.func @odd(%x: memref<1x9x5xbf16>, %s: memref<32x16xbf16, #gpu.address_space<workgroup>>, %t: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{copies 4 bytes or more where it is async, but its rows are aligned to 2}}
    conv.im2col %x[%c0, %t, %c0] into %s async view #x : memref<1x9x5xbf16> into memref<32x16xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}
