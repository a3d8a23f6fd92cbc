// RUN: conv-opt %s | conv-opt | FileCheck %s
// RUN: conv-opt %s --mlir-print-op-generic | conv-opt | FileCheck %s

// Round trips: every rank, both layouts, tensors and buffers; defaults are not
// printed.

// CHECK-LABEL: func @forward_1d
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x16x5xf32>, tensor<7x3x5xf32>) outs(%{{.*}} : tensor<2x14x7xf32>) -> tensor<2x14x7xf32>
func.func @forward_1d(%x: tensor<2x16x5xf32>, %w: tensor<7x3x5xf32>, %y: tensor<2x14x7xf32>) -> tensor<2x14x7xf32> {
  %0 = conv.forward ins(%x, %w : tensor<2x16x5xf32>, tensor<7x3x5xf32>) outs(%y : tensor<2x14x7xf32>)
         stride [1] pad [0] dilation [1] input_dilation [1] groups 1 layout nhwc acc f32 -> tensor<2x14x7xf32>
  return %0 : tensor<2x14x7xf32>
}

// CHECK-LABEL: func @forward_2d_everything
// CHECK: conv.forward
// CHECK-SAME: outs(%{{.*}} : tensor<2x9x28x6xf32>)
// CHECK-SAME: stride [2, 1] pad [1, -1:2] dilation [1, 2] input_dilation [1, 2] groups 2 acc f64
// CHECK-SAME: {conv.schedule = #conv.schedule<{{.*}}>} -> tensor<2x9x28x6xf32>
func.func @forward_2d_everything(%x: tensor<2x17x16x4xbf16>, %w: tensor<6x3x3x2xbf16>, %y: tensor<2x9x28x6xf32>) -> tensor<2x9x28x6xf32> {
  %0 = conv.forward ins(%x, %w : tensor<2x17x16x4xbf16>, tensor<6x3x3x2xbf16>) outs(%y : tensor<2x9x28x6xf32>)
         stride [2, 1] pad [1, -1:2] dilation [1, 2] input_dilation [1, 2] groups 2 acc f64
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>}
         -> tensor<2x9x28x6xf32>
  return %0 : tensor<2x9x28x6xf32>
}

// CHECK-LABEL: func @forward_tf32
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x16x5xf32>, tensor<7x3x5xf32>) outs(%{{.*}} : tensor<2x7x7xf32>) stride [2] precision tf32 -> tensor<2x7x7xf32>
func.func @forward_tf32(%x: tensor<2x16x5xf32>, %w: tensor<7x3x5xf32>, %y: tensor<2x7x7xf32>) -> tensor<2x7x7xf32> {
  %0 = conv.forward ins(%x, %w : tensor<2x16x5xf32>, tensor<7x3x5xf32>) outs(%y : tensor<2x7x7xf32>)
         stride [2] acc f32 precision tf32 -> tensor<2x7x7xf32>
  return %0 : tensor<2x7x7xf32>
}

// CHECK-LABEL: func @forward_3d_buffers
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : memref<1x4x5x6x2xf16>, memref<3x1x2x3x2xf16>)
// CHECK-SAME: outs(%{{.*}} : memref<1x4x4x6x3xf16>) pad [0, 0, 1]{{$}}
func.func @forward_3d_buffers(%x: memref<1x4x5x6x2xf16>, %w: memref<3x1x2x3x2xf16>, %y: memref<1x4x4x6x3xf16>) {
  conv.forward ins(%x, %w : memref<1x4x5x6x2xf16>, memref<3x1x2x3x2xf16>) outs(%y : memref<1x4x4x6x3xf16>) pad [0, 0, 1]
  return
}

// CHECK-LABEL: func @forward_nchw_integers
// CHECK: conv.forward
// CHECK-SAME: groups 2 layout nchw
// CHECK-NOT: acc
func.func @forward_nchw_integers(%x: tensor<2x4x7x8xi8>, %w: tensor<6x2x3x2xi8>, %y: tensor<2x6x5x7xi32>) -> tensor<2x6x5x7xi32> {
  %0 = conv.forward ins(%x, %w : tensor<2x4x7x8xi8>, tensor<6x2x3x2xi8>) outs(%y : tensor<2x6x5x7xi32>)
         groups 2 layout nchw acc i32 -> tensor<2x6x5x7xi32>
  return %0 : tensor<2x6x5x7xi32>
}

// 1-D, channels first, strided buffers.
// CHECK-LABEL: func @forward_1d_strided_buffers
// CHECK: conv.forward {{.*}} groups 2 layout nchw{{$}}
func.func @forward_1d_strided_buffers(%x: memref<8x4x56xf32, strided<[?, ?, ?], offset: ?>>, %w: memref<6x2x3xf32>, %y: memref<8x6x54xf32>) {
  conv.forward ins(%x, %w : memref<8x4x56xf32, strided<[?, ?, ?], offset: ?>>, memref<6x2x3xf32>)
               outs(%y : memref<8x6x54xf32>) groups 2 layout nchw
  return
}

// The extents of dx are its own: 8 and 9 both give P = 4.
// CHECK-LABEL: func @dgrad
// CHECK: conv.dgrad {{.*}} stride [2, 1] pad [1, 0] -> tensor<2x8x9x3xf16>
// CHECK: conv.dgrad {{.*}} stride [2, 1] pad [1:0, 0] -> tensor<2x9x9x3xf16>
func.func @dgrad(%dy: tensor<2x4x7x5xf16>, %w: tensor<5x3x3x3xf16>, %dx8: tensor<2x8x9x3xf16>, %dx9: tensor<2x9x9x3xf16>) {
  %0 = conv.dgrad ins(%dy, %w : tensor<2x4x7x5xf16>, tensor<5x3x3x3xf16>) outs(%dx8 : tensor<2x8x9x3xf16>)
         stride [2, 1] pad [1, 0] -> tensor<2x8x9x3xf16>
  %1 = conv.dgrad ins(%dy, %w : tensor<2x4x7x5xf16>, tensor<5x3x3x3xf16>) outs(%dx9 : tensor<2x9x9x3xf16>)
         stride [2, 1] pad [1:0, 0] -> tensor<2x9x9x3xf16>
  return
}

// CHECK-LABEL: func @dgrad_3d_nchw_buffers
// CHECK: conv.dgrad {{.*}} layout nchw{{$}}
func.func @dgrad_3d_nchw_buffers(%dy: memref<1x3x4x4x6xf64>, %w: memref<3x2x1x2x3xf64>, %dx: memref<1x2x4x5x8xf64>) {
  conv.dgrad ins(%dy, %w : memref<1x3x4x4x6xf64>, memref<3x2x1x2x3xf64>) outs(%dx : memref<1x2x4x5x8xf64>) layout nchw
  return
}

// CHECK-LABEL: func @wgrad
// CHECK: conv.wgrad {{.*}} stride [2, 1] pad [1, 0] -> tensor<5x3x3x3xf32>
func.func @wgrad(%x: tensor<2x8x9x3xbf16>, %dy: tensor<2x4x7x5xbf16>, %dw: tensor<5x3x3x3xf32>) -> tensor<5x3x3x3xf32> {
  %0 = conv.wgrad ins(%x, %dy : tensor<2x8x9x3xbf16>, tensor<2x4x7x5xbf16>) outs(%dw : tensor<5x3x3x3xf32>)
         stride [2, 1] pad [1, 0] -> tensor<5x3x3x3xf32>
  return %0 : tensor<5x3x3x3xf32>
}

// CHECK-LABEL: func @dgrad_of_two_types
// CHECK: conv.dgrad ins({{.*}} : tensor<2x4x7x5xf8E5M2>, tensor<5x3x3x3xf8E4M3FN>) outs({{.*}} : tensor<2x8x9x3xf16>) stride [2, 1] pad [1, 0]
func.func @dgrad_of_two_types(%dy: tensor<2x4x7x5xf8E5M2>, %w: tensor<5x3x3x3xf8E4M3FN>, %dx: tensor<2x8x9x3xf16>) -> tensor<2x8x9x3xf16> {
  %0 = conv.dgrad ins(%dy, %w : tensor<2x4x7x5xf8E5M2>, tensor<5x3x3x3xf8E4M3FN>) outs(%dx : tensor<2x8x9x3xf16>)
         stride [2, 1] pad [1, 0] -> tensor<2x8x9x3xf16>
  return %0 : tensor<2x8x9x3xf16>
}

// CHECK-LABEL: func @wgrad_1d_buffers
// CHECK: conv.wgrad ins({{.*}}) outs({{.*}}) dilation [2]{{$}}
func.func @wgrad_1d_buffers(%x: memref<2x16x5xf32>, %dy: memref<2x12x7xf32>, %dw: memref<7x3x5xf32>) {
  conv.wgrad ins(%x, %dy : memref<2x16x5xf32>, memref<2x12x7xf32>) outs(%dw : memref<7x3x5xf32>) dilation [2]
  return
}

// An empty batch is a convolution that computes nothing.
// CHECK-LABEL: func @empty_batch
// CHECK: conv.forward {{.*}} -> tensor<0x14x7xf32>
func.func @empty_batch(%x: tensor<0x16x5xf32>, %w: tensor<7x3x5xf32>, %y: tensor<0x14x7xf32>) -> tensor<0x14x7xf32> {
  %0 = conv.forward ins(%x, %w : tensor<0x16x5xf32>, tensor<7x3x5xf32>) outs(%y : tensor<0x14x7xf32>) -> tensor<0x14x7xf32>
  return %0 : tensor<0x14x7xf32>
}

// CHECK-LABEL: func @flip_and_accumulate
// CHECK: conv.wgrad {{.*}} groups 2 layout nchw flip acc f64 accumulate -> tensor<6x2x2xf32>
// CHECK: conv.dgrad {{.*}} outs(%{{.*}} : memref<1x5x4xf32>) flip accumulate{{$}}
func.func @flip_and_accumulate(%x: tensor<2x4x9xf32>, %dy: tensor<2x6x8xf32>, %dw: tensor<6x2x2xf32>, %b: memref<1x4x6xf32>, %w: memref<6x2x4xf32>, %dx: memref<1x5x4xf32>) -> tensor<6x2x2xf32> {
  %0 = conv.wgrad ins(%x, %dy : tensor<2x4x9xf32>, tensor<2x6x8xf32>) outs(%dw : tensor<6x2x2xf32>) groups 2 layout nchw flip acc f64 accumulate -> tensor<6x2x2xf32>
  conv.dgrad ins(%b, %w : memref<1x4x6xf32>, memref<6x2x4xf32>) outs(%dx : memref<1x5x4xf32>) flip accumulate
  return %0 : tensor<6x2x2xf32>
}
