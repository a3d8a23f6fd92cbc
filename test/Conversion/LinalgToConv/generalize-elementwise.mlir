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

// -----

// What a body without inputs says, converts or computes from constants is filled.
// CHECK-LABEL: func @constant_bodies
// CHECK-SAME: %[[X:[^ ]*]]: tensor<4x6xf16>)
// CHECK: %[[C:.*]] = arith.constant 4.000000e+00 : f16
// CHECK-NOT: linalg.fill
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x6xf16>)
// CHECK-NEXT: ^bb0(%[[E:.*]]: f16,
// CHECK-NEXT: arith.mulf %[[E]], %[[C]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[P]]
func.func @constant_bodies(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %e = tensor.empty() : tensor<4x6xf16>
  %v = tensor.empty() : tensor<4xf32>
  %w = tensor.empty() : tensor<4x6xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%v : tensor<4xf32>) {
  ^bb0(%old: f32):
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %sum = arith.addf %one, %three : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %b = linalg.broadcast ins(%o : tensor<4xf32>) outs(%w : tensor<4x6xf32>) dimensions = [1]
  %c = linalg.map ins(%b : tensor<4x6xf32>) outs(%e : tensor<4x6xf16>) (%in: f32, %out: f16) {
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  }
  %p = linalg.mul ins(%x, %c : tensor<4x6xf16>, tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  return %p : tensor<4x6xf16>
}

// -----

// Another order, shape or part of what is filled is filled.
// CHECK-LABEL: func @moved
// CHECK-SAME: %[[X:[^ ]*]]: tensor<4x6xf32>)
// CHECK-NOT: linalg.{{fill|copy|transpose}}
// CHECK-NOT: tensor.{{expand_shape|extract_slice|pad|splat|from_elements}}
// CHECK-COUNT-7: linalg.generic {{.*}} ins(%{{[^ ]*}} : tensor<4x6xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @moved(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %e0 = tensor.empty() : tensor<6x4xf32>
  %e1 = tensor.empty() : tensor<24xf32>
  %e2 = tensor.empty() : tensor<5x8xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %c = arith.constant 3.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %f0 = linalg.fill ins(%c : f32) outs(%e0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %f1 = linalg.fill ins(%c : f32) outs(%e1 : tensor<24xf32>) -> tensor<24xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %f3 = linalg.fill ins(%c : f32) outs(%e3 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %copied = linalg.copy ins(%f : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %transposed = linalg.transpose ins(%f0 : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  %reshaped = tensor.expand_shape %f1 [[0, 1]] output_shape [4, 6] : tensor<24xf32> into tensor<4x6xf32>
  %slice = tensor.extract_slice %f2[1, 2] [4, 6] [1, 1] : tensor<5x8xf32> to tensor<4x6xf32>
  %padded = tensor.pad %f3 low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x4xf32> to tensor<4x6xf32>
  %splat = tensor.splat %c : tensor<4x6xf32>
  %element = tensor.from_elements %c : tensor<f32>
  %broadcast = linalg.broadcast ins(%element : tensor<f32>) outs(%e : tensor<4x6xf32>) dimensions = [0, 1]
  %r0 = linalg.add ins(%x, %copied : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r1 = linalg.mul ins(%r0, %transposed : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r2 = linalg.add ins(%r1, %reshaped : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r3 = linalg.mul ins(%r2, %slice : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r4 = linalg.add ins(%r3, %padded : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r5 = linalg.mul ins(%r4, %splat : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r6 = linalg.add ins(%r5, %broadcast : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r6 : tensor<4x6xf32>
}

// -----

// What a body computes from where it is stays.
// CHECK-LABEL: func @positions
// CHECK: linalg.index
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @positions(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xf32>) {
  ^bb0(%old: f32):
    %n = linalg.index 1 : index
    %s = arith.index_cast %n : index to i32
    %f = arith.sitofp %s : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x6xf32>
  %r = linalg.add ins(%x, %i : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// Memory has no bits: a condition is made where it is asked for.
#line = affine_map<(i) -> (i)>

// CHECK-LABEL: func @conditions_of_conditions
// CHECK-NOT: xi1>
// CHECK: return
func.func @conditions_of_conditions(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xi1>
  %f = tensor.empty() : tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %0 = arith.cmpf ogt, %a, %b : f32
    linalg.yield %0 : i1
  } -> tensor<8xi1>
  %d = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]} ins(%c, %c : tensor<8xi1>, tensor<8xi1>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: i1, %b: i1, %out: i1):
    %0 = arith.andi %a, %b : i1
    linalg.yield %0 : i1
  } -> tensor<8xi1>
  %s = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]} ins(%d, %x, %y : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: i1, %a: f32, %b: f32, %out: f32):
    %0 = arith.select %p, %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %t = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]} ins(%d, %y, %x : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: i1, %a: f32, %b: f32, %out: f32):
    %0 = arith.select %p, %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @condition
func.func @condition(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: xi1>
  // CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>)
  // CHECK: arith.cmpf
  // CHECK: arith.select
  %e = tensor.empty() : tensor<8xi1>
  %c = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %0 = arith.cmpf ogt, %a, %b : f32
    linalg.yield %0 : i1
  } -> tensor<8xi1>
  %f = tensor.empty() : tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#line, #line, #line, #line], iterator_types = ["parallel"]} ins(%c, %x, %y : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: i1, %a: f32, %b: f32, %out: f32):
    %0 = arith.select %p, %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %z : tensor<8xf32>
}
