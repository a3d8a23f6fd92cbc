// RUN: conv-opt %s -conv-lower-tile-loads -split-input-file -verify-diagnostics

#x = #conv.view<rows = [7, 7], taps = [1, 1], stride = [9, 9], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

gpu.module @kernels {
  gpu.func @stride(%x: memref<8x63x63x64xbf16>, %s: memref<64x64xbf16, #smem>, %full: !ring, %i: index) kernel {
    // expected-error @below {{cannot be made by TMA: TMA element stride of spatial dimension 0 is 9, outside [1, 8]}}
    conv.load_tile %x[%i, %i, %i] into %s, %full[%i] view #x : memref<8x63x63x64xbf16> into memref<64x64xbf16, #smem>, !ring
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
    conv.load_tile %x[%i, %i, %i] into %s, %full[%i] view #x : memref<8x7x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
    gpu.return
  }
}
