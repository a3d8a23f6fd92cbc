// RUN: conv-opt %s -split-input-file -conv-generalize-elementwise | FileCheck %s

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>

// What is broadcast, also to two readers, is read where it comes from.
// CHECK-LABEL: func @broadcast
// CHECK-SAME: %[[X:[^ ]*]]: tensor<4x6xf32>, %[[B:[^ ]*]]: tensor<4xf32>)
// CHECK-NOT: linalg.broadcast
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]], {{.*}} ins(%[[X]], %[[B]] :
// CHECK: arith.addf
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]], {{.*}} ins(%[[S]], %[[B]] :
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[P]]
func.func @broadcast(%x: tensor<4x6xf32>, %b: tensor<4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %w = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  %s = linalg.add ins(%x, %w : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %p = linalg.mul ins(%s, %w : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// -----

// What has one value in all places is a scalar of the body.
// CHECK-LABEL: func @scalars
// CHECK-SAME: %[[X:[^ ]*]]: tensor<4x6xf32>, %[[F:[^ ]*]]: f32)
// CHECK: %[[C:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4x6xf32>)
// CHECK: arith.maximumf %{{.*}}, %[[F]]
// CHECK: linalg.generic
// CHECK: arith.subf %[[C]], %
func.func @scalars(%x: tensor<4x6xf32>, %f: f32) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %c = arith.constant dense<3.0> : tensor<4x6xf32>
  %i = linalg.fill ins(%f : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = linalg.max ins(%x, %i : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = linalg.sub ins(%c, %m : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// -----

// Every form of an elementwise operation; what a reduction reads stays.
// CHECK-LABEL: func @forms
// CHECK: linalg.generic
// CHECK: math.absf
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: linalg.generic
// CHECK: linalg.yield
// CHECK: linalg.reduce
func.func @forms(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %v = tensor.empty() : tensor<4x6x5xf32>
  %a = linalg.abs ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %b = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%a : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = linalg.map { arith.mulf } ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  %w = linalg.broadcast ins(%m : tensor<4x6xf32>) outs(%v : tensor<4x6x5xf32>) dimensions = [2]
  %r = linalg.reduce { arith.addf } ins(%w : tensor<4x6x5xf32>) outs(%e : tensor<4x6xf32>) dimensions = [2]
  return %r : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @others
// CHECK: linalg.transpose
// CHECK: linalg.copy
// CHECK: linalg.fill
// CHECK: linalg.matmul
func.func @others(%x: tensor<4x6xf32>, %w: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %t0 = tensor.empty() : tensor<6x4xf32>
  %s = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%t0 : tensor<6x4xf32>) permutation = [1, 0]
  %c = linalg.copy ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %t, %c, %m : tensor<6x4xf32>, tensor<4x6xf32>, tensor<4x4xf32>
}
