// RUN: conv-opt %s -conv-fuse-input-transposition | FileCheck %s
// RUN: conv-opt %s -conv-fuse-input-transposition --remarks-filter=conv-fuse-input-transposition -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] transposition-fused | Category:conv-fuse-input-transposition | {{.*}}read with its channels first
// REMARK-DAG: remark: [Missed] transposition-apart | Category:conv-fuse-input-transposition | {{.*}}a kernel of its own

#gather = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, gather = true>
#plain = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#view = #conv.view<rows = [5, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// The view stays that of the tensor with its channels last.

// CHECK-LABEL: @gathered
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x5x7xbf16>
// CHECK:         %[[A:.*]] = conv.im2col %[[X]] view <rows = [5, 7], {{.*}}> channels_first : tensor<2x16x5x7xbf16> -> tensor<70x16xbf16>
// CHECK:         linalg.matmul {{.*}} ins(%[[A]]
func.func @gathered(%x: tensor<2x16x5x7xbf16>, %b: tensor<16x24xbf16>, %i: tensor<70x24xf32>) -> tensor<70x24xf32> {
  %e = tensor.empty() : tensor<2x5x7x16xbf16>
  %t = linalg.transpose ins(%x : tensor<2x16x5x7xbf16>) outs(%e : tensor<2x5x7x16xbf16>) permutation = [0, 2, 3, 1]
  %a = conv.im2col %t view #view : tensor<2x5x7x16xbf16> -> tensor<70x16xbf16>
  %s = linalg.matmul {conv.schedule = #gather} ins(%a, %b : tensor<70x16xbf16>, tensor<16x24xbf16>) outs(%i : tensor<70x24xf32>) -> tensor<70x24xf32>
  return %s : tensor<70x24xf32>
}

// Not where the schedule does not say so, nor another permutation.

// CHECK-LABEL: @not
// CHECK-NOT:     channels_first
func.func @not(%x: tensor<2x16x5x7xbf16>, %z: tensor<2x5x16x7xbf16>, %b: tensor<16x24xbf16>, %i: tensor<70x24xf32>) -> (tensor<70x24xf32>, tensor<70x24xf32>) {
  %e = tensor.empty() : tensor<2x5x7x16xbf16>
  %t = linalg.transpose ins(%x : tensor<2x16x5x7xbf16>) outs(%e : tensor<2x5x7x16xbf16>) permutation = [0, 2, 3, 1]
  %a = conv.im2col %t view #view : tensor<2x5x7x16xbf16> -> tensor<70x16xbf16>
  %s = linalg.matmul {conv.schedule = #plain} ins(%a, %b : tensor<70x16xbf16>, tensor<16x24xbf16>) outs(%i : tensor<70x24xf32>) -> tensor<70x24xf32>
  %u = linalg.transpose ins(%z : tensor<2x5x16x7xbf16>) outs(%e : tensor<2x5x7x16xbf16>) permutation = [0, 1, 3, 2]
  %c = conv.im2col %u view #view : tensor<2x5x7x16xbf16> -> tensor<70x16xbf16>
  %v = linalg.matmul {conv.schedule = #gather} ins(%c, %b : tensor<70x16xbf16>, tensor<16x24xbf16>) outs(%i : tensor<70x24xf32>) -> tensor<70x24xf32>
  return %s, %v : tensor<70x24xf32>, tensor<70x24xf32>
}
