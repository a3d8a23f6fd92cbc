// RUN: mlir-opt %s -canonicalize | FileCheck %s

// The product of two matrices is computed twice after canonicalisation: once as
// it is, and once with the addend for its accumulator.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @twice
// CHECK-COUNT-2: vector.contract
// CHECK-NOT: arith.addf
// CHECK: arith.mulf
func.func @twice(%a: vector<16x8xf32>, %b: vector<4x8xf32>, %x: vector<16x4xf32>) -> vector<16x4xf32> {
  %zero = arith.constant dense<0.0> : vector<16x4xf32>
  %0 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %zero : vector<16x8xf32>, vector<4x8xf32> into vector<16x4xf32>
  %1 = arith.addf %0, %x : vector<16x4xf32>
  %2 = arith.mulf %0, %1 : vector<16x4xf32>
  return %2 : vector<16x4xf32>
}
