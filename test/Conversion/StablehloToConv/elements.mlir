// RUN: conv-opt %s --convert-stablehlo-to-conv | FileCheck %s

// CHECK: #[[CHANNELS:.*]] = affine_map<(d0, d1, d2) -> (d2)>

// What is no convolution becomes linalg, tensor and arith.

// CHECK-LABEL: func @elementwise
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: arith.cmpf ogt
// CHECK: arith.select
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: stablehlo
func.func @elementwise(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xbf16> {
  %0 = stablehlo.add %a, %b : tensor<3x4xf32>
  %1 = stablehlo.maximum %0, %b : tensor<3x4xf32>
  %2 = stablehlo.compare GT, %1, %a, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %3 = stablehlo.select %2, %1, %b : tensor<3x4xi1>, tensor<3x4xf32>
  %4 = stablehlo.convert %3 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  return %4 : tensor<3x4xbf16>
}

// CHECK-LABEL: func @clamp
// CHECK: ins(%arg1, %arg0, %arg2 : tensor<f32>, tensor<3x4xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[LOW:.*]]: f32, %[[X:.*]]: f32, %[[HIGH:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK-NEXT: arith.minimumf %[[MAX]], %[[HIGH]]
func.func @clamp(%x: tensor<3x4xf32>, %low: tensor<f32>, %high: tensor<f32>) -> tensor<3x4xf32> {
  %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A dimension of extent 1 is repeated as if it were none.
// CHECK-LABEL: func @broadcast
// CHECK: tensor.collapse_shape %arg0
// CHECK: linalg.generic {indexing_maps = [#[[CHANNELS]], {{.*}}ins(%{{.*}} : tensor<5xf32>)
func.func @broadcast(%b: tensor<1x1x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [0, 1, 2] : (tensor<1x1x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @moves
// CHECK: tensor.collapse_shape %arg0 {{.*}} into tensor<12xf32>
// CHECK: linalg.index 1
// CHECK: tensor.extract
// CHECK: linalg.transpose
// CHECK: tensor.expand_shape {{.*}} into tensor<2x6xf32>
func.func @moves(%x: tensor<3x4xf32>) -> (tensor<4x3xf32>, tensor<2x6xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<3x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func @parts
// CHECK: tensor.pad %arg0 low[1, 0] high[0, 2]
// CHECK: tensor.yield %{{.*}} : bf16
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [3, 4] [1, 1] : tensor<3x5xbf16> to tensor<3x4xbf16>
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 1] [2, 3] [1, 2] : tensor<2x3xbf16> into tensor<2x6xbf16>
// CHECK: tensor.extract_slice %arg0[0, 1] [2, 1] [1, 2] : tensor<2x3xbf16> to tensor<2x1xbf16>
// CHECK: tensor.concat dim(1)
// CHECK: math.absf
// CHECK: math.absi
func.func @parts(%x: tensor<2x3xbf16>, %i: tensor<4xi8>) -> (tensor<3x4xbf16>, tensor<2x7xbf16>, tensor<4xi8>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.convert %two : (tensor<i32>) -> tensor<bf16>
  %0 = stablehlo.pad %x, %c, low = [1, -1], high = [0, 2], interior = [0, 0] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<3x4xbf16>
  %1 = stablehlo.pad %x, %c, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x6xbf16>
  %2 = stablehlo.slice %x [0:2, 1:3:2] : (tensor<2x3xbf16>) -> tensor<2x1xbf16>
  %3 = stablehlo.concatenate %1, %2, dim = 1 : (tensor<2x6xbf16>, tensor<2x1xbf16>) -> tensor<2x7xbf16>
  %4 = stablehlo.abs %3 : tensor<2x7xbf16>
  %5 = stablehlo.abs %i : tensor<4xi8>
  return %0, %4, %5 : tensor<3x4xbf16>, tensor<2x7xbf16>, tensor<4xi8>
}

// A conversion is done in the body of the sum; narrow sums are wider, and
// rounded once.
// CHECK-LABEL: func @sums
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "reduction"]} ins(%arg0 : tensor<4x8x3xbf16>) outs(%[[INIT]] : tensor<8xf32>)
// CHECK: arith.extf
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x8x3xbf16>) outs(%{{.*}} : tensor<4x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x3xf32>) outs(%{{.*}} : tensor<4x3xbf16>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.truncf
func.func @sums(%x: tensor<4x8x3xbf16>) -> (tensor<8xf32>, tensor<4x3xbf16>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.convert %x : (tensor<4x8x3xbf16>) -> tensor<4x8x3xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reduce(%x init: %b) applies stablehlo.add across dimensions = [1] : (tensor<4x8x3xbf16>, tensor<bf16>) -> tensor<4x3xbf16>
  return %1, %2 : tensor<8xf32>, tensor<4x3xbf16>
}

// CHECK-LABEL: func @largest
// CHECK: arith.constant -128 : i8
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x8xi8>) outs(%{{.*}} : tensor<4xi8>)
// CHECK: arith.maxsi
func.func @largest(%x: tensor<4x8xi8>) -> tensor<4xi8> {
  %c = stablehlo.constant dense<-128> : tensor<i8>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xi8>, tensor<i8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// A number that is broadcast is a constant, too.
// CHECK-LABEL: func @windows
// CHECK: tensor.pad %arg0 low[0, 1] high[0, 0]
// CHECK: %[[WINDOW:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[MET:.*]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %[[WINDOW]] : tensor<4x9xf32>, tensor<3xf32>)
// CHECK: arith.maximumf
func.func @windows(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %i = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @batch
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg0 : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) outs(%{{.*}} : tensor<2x3x3xf32>)
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.addf {{.*}} : f32
func.func @batch(%x: tensor<2x3x4xbf16>) -> tensor<2x3x3xbf16> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x3xbf16>
  return %0 : tensor<2x3x3xbf16>
}

// Products are rounded to the result's type once they are added up; convolutions
// have no other type of the same width.
// CHECK-LABEL: func @narrow_products
// CHECK: arith.mulf {{.*}} : f64
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @narrow_products(%x: tensor<3x4xf64>, %y: tensor<3x4xf16>) -> (tensor<3x3xf32>, tensor<3x3xbf16>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x3xf32>
  %1 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x3xbf16>
  return %0, %1 : tensor<3x3xf32>, tensor<3x3xbf16>
}

// A window that is wider than the tensor.
// CHECK-LABEL: func @no_window
// CHECK-NOT: linalg.generic
// CHECK: return %{{.*}} : tensor<4x0xf32>
func.func @no_window(%x: tensor<4x2xf32>) -> tensor<4x0xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 5>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// The number of what each window selects, then sums over the windows that an
// element is in, backwards.
// CHECK-LABEL: func @scatter
// CHECK: %[[NONE:.*]] = linalg.fill ins(%c-1_i32 : i32)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %{{.*}} : tensor<4x9xf32>, tensor<3xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xi32>)
// CHECK: linalg.index 2
// CHECK: arith.cmpf oge
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 2] [4, 4] [1, 2] : tensor<4x4xi32> into tensor<4x11xi32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x11xf32>, tensor<4x11xi32>, tensor<3xf32>) outs(%{{.*}} : tensor<4x9xf32>)
// CHECK: arith.cmpi eq
// CHECK: arith.addf
func.func @scatter(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>) -> tensor<4x9xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// No window fits: the first value is left.
// CHECK-LABEL: func @no_selection
// CHECK-NOT: linalg.generic
// CHECK: linalg.fill ins(%{{.*}} : f32)
func.func @no_selection(%x: tensor<4x9xf32>, %dy: tensor<4x0xf32>) -> tensor<4x9xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 10>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x0xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// CHECK-LABEL: func @functions
// CHECK: linalg.index 1
// CHECK: arith.sitofp {{.*}} : i32 to f32
// CHECK: math.powf
// CHECK: math.erf %
// CHECK: math.isfinite
// CHECK: arith.xori %{{.*}}, %true : i1
func.func @functions(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  %1 = stablehlo.power %x, %0 : tensor<2x3xf32>
  %2 = chlo.erf %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = stablehlo.is_finite %2 : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %4 = stablehlo.not %3 : tensor<2x3xi1>
  return %4 : tensor<2x3xi1>
}
