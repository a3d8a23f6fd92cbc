// RUN: conv-opt %s -conv-fuse-transposition -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-fuse-transposition -split-input-file --remarks-filter=conv-fuse-transposition -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] transposition-fused | Category:conv-fuse-transposition | {{.*}}part of the kernel
// REMARK-DAG: remark: [Missed] transposition-apart | Category:conv-fuse-transposition | {{.*}}a kernel of its own: 

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

// Not a sum of parts, not bytes without neighbours, not another permutation.

// CHECK-LABEL: @not
// CHECK-NOT:     channels_first
// CHECK-COUNT-3: linalg.transpose
// CHECK-NOT:     channels_first
func.func @not(%a: tensor<80x16xf32>, %b: tensor<16x24xf32>, %i: tensor<80x24xf32>, %y0: tensor<2x5x8x24xf32>,
               %c: tensor<70x16xi8>, %d: tensor<16x24xi8>, %j: tensor<70x24xi8>, %z0: tensor<2x5x7x24xi8>) -> (tensor<2x24x5x8xf32>, tensor<2x24x5x7xi8>, tensor<2x8x5x24xf32>) {
  %s = linalg.matmul {conv.schedule = #parts} ins(%a, %b : tensor<80x16xf32>, tensor<16x24xf32>) outs(%i : tensor<80x24xf32>) -> tensor<80x24xf32>
  %y = conv.scatter %s into %y0 view #view : tensor<80x24xf32> into tensor<2x5x8x24xf32> -> tensor<2x5x8x24xf32>
  %e = tensor.empty() : tensor<2x24x5x8xf32>
  %t = linalg.transpose ins(%y : tensor<2x5x8x24xf32>) outs(%e : tensor<2x24x5x8xf32>) permutation = [0, 3, 1, 2]

  %r = linalg.matmul {conv.schedule = #schedule} ins(%c, %d : tensor<70x16xi8>, tensor<16x24xi8>) outs(%j : tensor<70x24xi8>) -> tensor<70x24xi8>
  %z = conv.scatter %r into %z0 view #odd : tensor<70x24xi8> into tensor<2x5x7x24xi8> -> tensor<2x5x7x24xi8>
  %f = tensor.empty() : tensor<2x24x5x7xi8>
  %u = linalg.transpose ins(%z : tensor<2x5x7x24xi8>) outs(%f : tensor<2x24x5x7xi8>) permutation = [0, 3, 1, 2]

  %q = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<80x16xf32>, tensor<16x24xf32>) outs(%i : tensor<80x24xf32>) -> tensor<80x24xf32>
  %x = conv.scatter %q into %y0 view #view : tensor<80x24xf32> into tensor<2x5x8x24xf32> -> tensor<2x5x8x24xf32>
  %g = tensor.empty() : tensor<2x8x5x24xf32>
  %v = linalg.transpose ins(%x : tensor<2x5x8x24xf32>) outs(%g : tensor<2x8x5x24xf32>) permutation = [0, 2, 1, 3]
  return %t, %u, %v : tensor<2x24x5x8xf32>, tensor<2x24x5x7xi8>, tensor<2x8x5x24xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#odd = #conv.view<rows = [5, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// Wider elements need no neighbours.

// CHECK-LABEL: @odd
// CHECK:         conv.scatter {{.*}} channels_first : tensor<70x24xf16> into tensor<2x24x5x7xf16>
// CHECK-NOT:     linalg.transpose
func.func @odd(%a: tensor<70x16xf16>, %b: tensor<16x24xf16>, %i: tensor<70x24xf16>, %y0: tensor<2x5x7x24xf16>) -> tensor<2x24x5x7xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<70x16xf16>, tensor<16x24xf16>) outs(%i : tensor<70x24xf16>) -> tensor<70x24xf16>
  %y = conv.scatter %s into %y0 view #odd : tensor<70x24xf16> into tensor<2x5x7x24xf16> -> tensor<2x5x7x24xf16>
  %e = tensor.empty() : tensor<2x24x5x7xf16>
  %t = linalg.transpose ins(%y : tensor<2x5x7x24xf16>) outs(%e : tensor<2x24x5x7xf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<2x24x5x7xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// A phase that no tap reaches goes with the one beside it. One phase alone is not all of the result.

// CHECK-LABEL: @zeros
// CHECK:         %[[SUM:.*]] = linalg.matmul
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2x24x9xf16>
// CHECK:         %[[Y:.*]] = conv.scatter %[[SUM]] into %[[E]] view <rows = [5], {{.*}}> channels_first zero_fill : tensor<10x24xf16> into tensor<2x24x9xf16> -> tensor<2x24x9xf16>
// CHECK-NOT:     channels_first
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         return %[[Y]], %[[T]]
func.func @zeros(%a: tensor<10x16xf16>, %b: tensor<16x24xf16>, %i: tensor<10x24xf16>, %y0: tensor<2x9x24xf16>) -> (tensor<2x24x9xf16>, tensor<2x24x9xf16>) {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x16xf16>, tensor<16x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %zero = arith.constant 0.0 : f16
  %j = tensor.empty() : tensor<8x24xf16>
  %n = linalg.fill ins(%zero : f16) outs(%j : tensor<8x24xf16>) -> tensor<8x24xf16>
  %y1 = conv.scatter %s into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %n into %y1 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %e = tensor.empty() : tensor<2x24x9xf16>
  %t = linalg.transpose ins(%y2 : tensor<2x9x24xf16>) outs(%e : tensor<2x24x9xf16>) permutation = [0, 2, 1]

  %r = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x16xf16>, tensor<16x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %z = conv.scatter %r into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %f = tensor.empty() : tensor<2x24x9xf16>
  %u = linalg.transpose ins(%z : tensor<2x9x24xf16>) outs(%f : tensor<2x24x9xf16>) permutation = [0, 2, 1]
  return %t, %u : tensor<2x24x9xf16>, tensor<2x24x9xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// Phases write half of each sector: that is done beside many products.

// CHECK-LABEL: @phases
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2x24x9xf16>
// CHECK:         %[[Y0:.*]] = conv.scatter %{{.*}} into %[[E]] view <rows = [5], {{.*}}> channels_first : tensor<10x24xf16> into tensor<2x24x9xf16> -> tensor<2x24x9xf16>
// CHECK:         %[[Y1:.*]] = conv.scatter %{{.*}} into %[[Y0]] view <rows = [4], {{.*}}> channels_first : tensor<8x24xf16> into tensor<2x24x9xf16> -> tensor<2x24x9xf16>
// CHECK:         return %[[Y1]]
func.func @phases(%a: tensor<10x1024xf16>, %c: tensor<8x1024xf16>, %b: tensor<1024x24xf16>, %i: tensor<10x24xf16>, %j: tensor<8x24xf16>, %y0: tensor<2x9x24xf16>) -> tensor<2x24x9xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x1024xf16>, tensor<1024x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %n = linalg.matmul {conv.schedule = #schedule} ins(%c, %b : tensor<8x1024xf16>, tensor<1024x24xf16>) outs(%j : tensor<8x24xf16>) -> tensor<8x24xf16>
  %y1 = conv.scatter %s into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %n into %y1 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %e = tensor.empty() : tensor<2x24x9xf16>
  %t = linalg.transpose ins(%y2 : tensor<2x9x24xf16>) outs(%e : tensor<2x24x9xf16>) permutation = [0, 2, 1]
  return %t : tensor<2x24x9xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// Beside few, a kernel transposes the result.

// CHECK-LABEL: @few
// CHECK-NOT:     channels_first
// CHECK:         linalg.transpose
func.func @few(%a: tensor<10x256xf16>, %c: tensor<8x256xf16>, %b: tensor<256x24xf16>, %i: tensor<10x24xf16>, %j: tensor<8x24xf16>, %y0: tensor<2x9x24xf16>) -> tensor<2x24x9xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x256xf16>, tensor<256x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %n = linalg.matmul {conv.schedule = #schedule} ins(%c, %b : tensor<8x256xf16>, tensor<256x24xf16>) outs(%j : tensor<8x24xf16>) -> tensor<8x24xf16>
  %y1 = conv.scatter %s into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %n into %y1 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %e = tensor.empty() : tensor<2x24x9xf16>
  %t = linalg.transpose ins(%y2 : tensor<2x9x24xf16>) outs(%e : tensor<2x24x9xf16>) permutation = [0, 2, 1]
  return %t : tensor<2x24x9xf16>
}
