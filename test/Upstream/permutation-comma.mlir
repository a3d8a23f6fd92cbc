// RUN: not --crash mlir-opt %s

// An ill-formed permutation is reported, and then read all the same: the parser
// follows a null pointer. conv-run parses foreign text in a child process first.

func.func @transpose(%x: tensor<3x4xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %t = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) permutation = [1 0]
  return %t : tensor<4x3xf32>
}
