// RUN: conv-opt %s -conv-lower-tile-loads -split-input-file -verify-diagnostics

#x = #conv.view<rows = [7, 7], taps = [1, 1], stride = [9, 9], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

gpu.module @kernels {
  gpu.func @stride(%x: memref<8x63x63x64xbf16>, %s: memref<64x64xbf16, #smem>, %full: !ring, %i: index) kernel {
    // expected-error @below {{cannot be made by TMA: TMA element stride of spatial dimension 0 is 9, outside [1, 8]}}
    engine.load_tile %x[%i, %i, %i] into %s, %full[%i] view #x : memref<8x63x63x64xbf16> into memref<64x64xbf16, #smem>, !ring
    gpu.return
  }
}

// -----

#x = #conv.view<rows = [7, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

gpu.module @kernels {
  gpu.func @part(%all: memref<9x7x7x64xbf16>, %s: memref<64x64xbf16, #smem>, %full: !ring, %i: index) kernel {
    %x = memref.alloc() : memref<8x7x7x64xbf16>
    // expected-error @below {{needs a tensor that is an argument of the kernel}}
    engine.load_tile %x[%i, %i, %i] into %s, %full[%i] view #x : memref<8x7x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
    gpu.return
  }
}

// -----

#past = #conv.view<rows = [8, 8], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @past(%x: memref<8x16x14x64xbf16>, %s: memref<64x64xbf16, #smem>, %i: index) kernel {
    // expected-error @below {{cannot be made by TMA: TMA stores rows inside the tensor only, but spatial dimension 1 has rows from 0 to 14 of 14}}
    engine.store_tile %s into %x[%i, %i, %i] view #past : memref<64x64xbf16, #smem> into memref<8x16x14x64xbf16>
    gpu.return
  }
}

// -----

#phase = #conv.view<rows = [8, 7], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @interleaved_phase(%x: memref<8x16x14x128xbf16>, %s: memref<64x128xbf16, #smem>, %i: index) kernel {
    // expected-error @below {{cannot be made by TMA: TMA stores interleaved panels into rows of a matrix only}}
    engine.store_tile %s into %x[%i, %i, %i] view #phase interleaved : memref<64x128xbf16, #smem> into memref<8x16x14x128xbf16>
    gpu.return
  }
}

// -----

#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @wide_box(%y: memref<8x16x300x64xbf16>, %s: memref<1x257x64xbf16, #smem>, %i: index) kernel {
    // expected-error @below {{cannot be made by TMA: TMA copies boxes of at most 256 positions in a dimension, but there are 257}}
    engine.store_box %s into %y[%i, %i, %i, %i] : memref<1x257x64xbf16, #smem> into memref<8x16x300x64xbf16>
    gpu.return
  }
}
