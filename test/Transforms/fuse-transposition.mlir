// RUN: conv-opt %s -conv-fuse-transposition -split-input-file | FileCheck %s

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#parts = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
#view = #conv.view<rows = [5, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// The transposition goes into the scatter of a whole result.

// CHECK-LABEL: @whole
// CHECK:         %[[SUM:.*]] = linalg.matmul
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2x24x5x8xf32>
// CHECK:         %[[Y:.*]] = conv.scatter %[[SUM]] into %[[E]] view <rows = [5, 8], {{.*}}> channels_first : tensor<80x24xf32> into tensor<2x24x5x8xf32> -> tensor<2x24x5x8xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[Y]]
func.func @whole(%a: tensor<80x16xf32>, %b: tensor<16x24xf32>, %i: tensor<80x24xf32>, %y0: tensor<2x5x8x24xf32>) -> tensor<2x24x5x8xf32> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<80x16xf32>, tensor<16x24xf32>) outs(%i : tensor<80x24xf32>) -> tensor<80x24xf32>
  %y = conv.scatter %s into %y0 view #view : tensor<80x24xf32> into tensor<2x5x8x24xf32> -> tensor<2x5x8x24xf32>
  %e = tensor.empty() : tensor<2x24x5x8xf32>
  %t = linalg.transpose ins(%y : tensor<2x5x8x24xf32>) outs(%e : tensor<2x24x5x8xf32>) permutation = [0, 3, 1, 2]
  return %t : tensor<2x24x5x8xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#parts = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
#view = #conv.view<rows = [5, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#odd = #conv.view<rows = [5, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// Not a sum of parts, not rows that have no neighbours, not another permutation.

// CHECK-LABEL: @not
// CHECK-NOT:     channels_first
// CHECK-COUNT-3: linalg.transpose
// CHECK-NOT:     channels_first
func.func @not(%a: tensor<80x16xf32>, %b: tensor<16x24xf32>, %i: tensor<80x24xf32>, %y0: tensor<2x5x8x24xf32>,
               %c: tensor<70x16xf32>, %j: tensor<70x24xf32>, %z0: tensor<2x5x7x24xf32>) -> (tensor<2x24x5x8xf32>, tensor<2x24x5x7xf32>, tensor<2x8x5x24xf32>) {
  %s = linalg.matmul {conv.schedule = #parts} ins(%a, %b : tensor<80x16xf32>, tensor<16x24xf32>) outs(%i : tensor<80x24xf32>) -> tensor<80x24xf32>
  %y = conv.scatter %s into %y0 view #view : tensor<80x24xf32> into tensor<2x5x8x24xf32> -> tensor<2x5x8x24xf32>
  %e = tensor.empty() : tensor<2x24x5x8xf32>
  %t = linalg.transpose ins(%y : tensor<2x5x8x24xf32>) outs(%e : tensor<2x24x5x8xf32>) permutation = [0, 3, 1, 2]

  %r = linalg.matmul {conv.schedule = #schedule} ins(%c, %b : tensor<70x16xf32>, tensor<16x24xf32>) outs(%j : tensor<70x24xf32>) -> tensor<70x24xf32>
  %z = conv.scatter %r into %z0 view #odd : tensor<70x24xf32> into tensor<2x5x7x24xf32> -> tensor<2x5x7x24xf32>
  %f = tensor.empty() : tensor<2x24x5x7xf32>
  %u = linalg.transpose ins(%z : tensor<2x5x7x24xf32>) outs(%f : tensor<2x24x5x7xf32>) permutation = [0, 3, 1, 2]

  %q = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<80x16xf32>, tensor<16x24xf32>) outs(%i : tensor<80x24xf32>) -> tensor<80x24xf32>
  %x = conv.scatter %q into %y0 view #view : tensor<80x24xf32> into tensor<2x5x8x24xf32> -> tensor<2x5x8x24xf32>
  %g = tensor.empty() : tensor<2x8x5x24xf32>
  %v = linalg.transpose ins(%x : tensor<2x5x8x24xf32>) outs(%g : tensor<2x8x5x24xf32>) permutation = [0, 2, 1, 3]
  return %t, %u, %v : tensor<2x24x5x8xf32>, tensor<2x24x5x7xf32>, tensor<2x8x5x24xf32>
}
