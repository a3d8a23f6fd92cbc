// RUN: conv-opt %s --conv-to-matrices='chip=sm_90a schedule="copy=tma mma=wgmma window=true"' --remarks-filter='convert-conv-to-gemm' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// RUN: conv-opt %s --conv-to-matrices='chip=sm_90a schedule="copy=tma mma=wgmma warps=1x4 tile=64x64x32"' --remarks-filter='convert-conv-to-gemm' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// RUN: conv-opt %s --conv-to-matrices='chip=sm_80 schedule="mma=wmma"' --remarks-filter='convert-conv-to-gemm' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// RUN: conv-opt %s --conv-to-matrices='chip=sm_90a schedule="algorithm=im2col"' --remarks-filter='convert-conv-to-gemm' -o /dev/null 2>&1 | FileCheck %s --check-prefix=IM2COL

// A filter with its filters last is read by the kernels of all forms whose filter is a matrix of
// taps. A matrix in a workspace has its own order.

// READ:   [Passed] filter-read
// IM2COL: [Missed] filter-transposed {{.*}} Remark="a kernel of its own puts the filters first: algorithm=im2col has its own order of the filter"
func.func @forward(%x: tensor<2x9x10x32xf16>, %w: tensor<3x2x32x64xf16>) -> tensor<2x7x9x64xf16> {
  %e = tensor.empty() : tensor<64x3x2x32xf16>
  %t = linalg.transpose ins(%w : tensor<3x2x32x64xf16>) outs(%e : tensor<64x3x2x32xf16>) permutation = [3, 0, 1, 2]
  %d = tensor.empty() : tensor<2x7x9x64xf16>
  %y = conv.forward ins(%x, %t : tensor<2x9x10x32xf16>, tensor<64x3x2x32xf16>) outs(%d : tensor<2x7x9x64xf16>) -> tensor<2x7x9x64xf16>
  return %y : tensor<2x7x9x64xf16>
}
