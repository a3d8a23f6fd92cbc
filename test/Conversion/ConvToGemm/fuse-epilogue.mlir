// RUN: conv-opt %s --conv-fuse-epilogue --split-input-file | FileCheck %s
// RUN: conv-opt %s --conv-fuse-epilogue --split-input-file --remarks-filter=conv-fuse-epilogue -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] epilogue-fused | Category:conv-fuse-epilogue | {{.*}}part of the kernel
// REMARK-DAG: remark: [Missed] epilogue-apart | Category:conv-fuse-epilogue | {{.*}}a kernel of its own: 

// A bias is indexed by the last loop, a residual is read through the view of
// the scatter, a scalar stays one.

#id = affine_map<(n, p, k) -> (n, p, k)>
#row = affine_map<(n, p, k) -> (k)>
#scalar = affine_map<(n, p, k) -> ()>

// CHECK-DAG: #[[MAP_ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[MAP_ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[MAP_SCALAR:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @bias_residual_scale
// CHECK-SAME: %[[acc:.+]]: tensor<8x6xf32>, %[[y0:.+]]: tensor<2x4x6xf32>, %[[bias:.+]]: tensor<6xf32>, %[[residual:.+]]: tensor<2x4x6xf16>, %[[scale:.+]]: f32, %[[z0:.+]]: tensor<2x4x6xf16>
func.func @bias_residual_scale(%acc: tensor<8x6xf32>, %y0: tensor<2x4x6xf32>, %bias: tensor<6xf32>, %residual: tensor<2x4x6xf16>, %scale: f32, %z0: tensor<2x4x6xf16>) -> tensor<2x4x6xf16> {
  // CHECK: %[[R:.+]] = conv.im2col %[[residual]] view <rows = [4], {{.*}} : tensor<2x4x6xf16> -> tensor<8x6xf16>
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<8x6xf16>
  // CHECK: %[[E:.+]] = linalg.generic {indexing_maps = [#[[MAP_ID]], #[[MAP_ROW]], #[[MAP_ID]], #[[MAP_SCALAR]], #[[MAP_ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[acc]], %[[bias]], %[[R]], %[[scale]] : {{.*}}) outs(%[[EMPTY]]
  // CHECK: arith.truncf
  // CHECK: conv.scatter %[[E]] into %[[z0]] view <rows = [4], {{.*}} : tensor<8x6xf16> into tensor<2x4x6xf16>
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id, #scalar, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias, %residual, %scale : tensor<2x4x6xf32>, tensor<6xf32>, tensor<2x4x6xf16>, f32) outs(%z0 : tensor<2x4x6xf16>) {
  ^bb0(%a: f32, %b: f32, %r: f16, %s: f32, %out: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.extf %r : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.mulf %2, %s : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<2x4x6xf16>
  return %z : tensor<2x4x6xf16>
}

// -----

// With groups a matrix is [m, g, n], and channel k is g * K/G + n.

#id = affine_map<(n, p, k) -> (n, p, k)>
#row = affine_map<(n, p, k) -> (k)>

// CHECK-DAG: #[[MAP_ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[MAP_ROW:.+]] = affine_map<(d0, d1, d2) -> (d1 * 3 + d2)>
// CHECK-LABEL: func @groups
func.func @groups(%acc: tensor<8x2x3xf32>, %y0: tensor<2x4x6xf32>, %bias: tensor<6xf32>, %z0: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[MAP_ID]], #[[MAP_ROW]], #[[MAP_ID]]]
  // CHECK: conv.scatter {{.*}} : tensor<8x2x3xf32> into tensor<2x4x6xf32>
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 2> : tensor<8x2x3xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<2x4x6xf32>, tensor<6xf32>) outs(%z0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  return %z : tensor<2x4x6xf32>
}

// -----

// The gradient of a 1x1 filter covers its tensor and has a tap dimension.

#id = affine_map<(k, s, c) -> (k, s, c)>

// CHECK-LABEL: func @weight_decay
// CHECK-SAME: %[[acc:arg0]]: tensor<6x1x4xf32>
func.func @weight_decay(%acc: tensor<6x1x4xf32>, %dw0: tensor<6x1x4xf32>, %w: tensor<6x1x4xf32>) -> tensor<6x1x4xf32> {
  // CHECK: %[[W:.+]] = conv.im2col {{.*}} : tensor<6x1x4xf32> -> tensor<6x1x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[acc]], %[[W]]
  // CHECK: conv.scatter {{.*}} : tensor<6x1x4xf32> into tensor<6x1x4xf32>
  %dw = conv.scatter %acc into %dw0 view <rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<6x1x4xf32> into tensor<6x1x4xf32> -> tensor<6x1x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dw, %w : tensor<6x1x4xf32>, tensor<6x1x4xf32>) outs(%dw0 : tensor<6x1x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x1x4xf32>
  return %z : tensor<6x1x4xf32>
}

// -----

// A chain moves as a whole.

#id = affine_map<(n, p, k) -> (n, p, k)>

// CHECK-LABEL: func @chain
func.func @chain(%acc: tensor<8x6xf32>, %y0: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: %[[N:.+]] = linalg.generic
  // CHECK: arith.negf
  // CHECK: %[[E:.+]] = linalg.generic {{.*}} ins(%[[N]]
  // CHECK: math.exp
  // CHECK: conv.scatter %[[E]]
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x4x6xf32>) outs(%y0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n : tensor<2x4x6xf32>) outs(%y0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  return %e : tensor<2x4x6xf32>
}

// -----

// What does not move: the result has another use, is one phase of several, is
// added to its destination, depends on the index.

#id = affine_map<(n, p, k) -> (n, p, k)>

// CHECK-LABEL: func @other_use
func.func @other_use(%acc: tensor<8x6xf32>, %y0: tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  // CHECK: conv.scatter
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x4x6xf32>)
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x4x6xf32>) outs(%y0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  return %y, %n : tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

// CHECK-LABEL: func @one_phase
func.func @one_phase(%acc: tensor<4x6xf32>, %y0: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: conv.scatter
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x4x6xf32>)
  %y = conv.scatter %acc into %y0 view <rows = [2], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<4x6xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x4x6xf32>) outs(%y0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  return %n : tensor<2x4x6xf32>
}

// CHECK-LABEL: func @reads_destination
func.func @reads_destination(%acc: tensor<8x6xf32>, %y0: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: conv.scatter
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x4x6xf32>)
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x4x6xf32>) outs(%y0 : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x6xf32>
  return %n : tensor<2x4x6xf32>
}

// CHECK-LABEL: func @reads_index
func.func @reads_index(%acc: tensor<8x6xi32>, %y0: tensor<2x4x6xi32>) -> tensor<2x4x6xi32> {
  // CHECK: conv.scatter
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x4x6xi32>)
  %y = conv.scatter %acc into %y0 view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<8x6xi32> into tensor<2x4x6xi32> -> tensor<2x4x6xi32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x4x6xi32>) outs(%y0 : tensor<2x4x6xi32>) {
  ^bb0(%a: i32, %out: i32):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %0 = arith.addi %a, %p : i32
    linalg.yield %0 : i32
  } -> tensor<2x4x6xi32>
  return %n : tensor<2x4x6xi32>
}

// -----

// Two scatters that write every other row each: the operation goes in front of
// both, a residual is read through the view of each.

#id = affine_map<(n, p, k) -> (n, p, k)>

// CHECK-LABEL: func @phases
// CHECK-SAME: %[[even:.+]]: tensor<8x6xf32>, %[[odd:.+]]: tensor<6x6xf32>, %{{.+}}: tensor<2x7x6xf32>, %[[residual:.+]]: tensor<2x7x6xf16>, %[[z0:.+]]: tensor<2x7x6xf16>
func.func @phases(%even: tensor<8x6xf32>, %odd: tensor<6x6xf32>, %y0: tensor<2x7x6xf32>, %residual: tensor<2x7x6xf16>, %z0: tensor<2x7x6xf16>) -> tensor<2x7x6xf16> {
  // CHECK: %[[R0:.+]] = conv.im2col %[[residual]] view <rows = [4], {{.*}} stride = [2], {{.*}} offset = [0], {{.*}} -> tensor<8x6xf16>
  // CHECK: %[[E0:.+]] = linalg.generic {{.*}} ins(%[[even]], %[[R0]]
  // CHECK: %[[Z:.+]] = conv.scatter %[[E0]] into %[[z0]] view <rows = [4]
  // CHECK: %[[R1:.+]] = conv.im2col %[[residual]] view <rows = [3], {{.*}} stride = [2], {{.*}} offset = [1], {{.*}} -> tensor<6x6xf16>
  // CHECK: %[[E1:.+]] = linalg.generic {{.*}} ins(%[[odd]], %[[R1]]
  // CHECK: conv.scatter %[[E1]] into %[[Z]] view <rows = [3]
  // CHECK-NOT: linalg.generic
  %a = conv.scatter %even into %y0 view <rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x7x6xf32> -> tensor<2x7x6xf32>
  %b = conv.scatter %odd into %a view <rows = [3], taps = [1], stride = [2], step = [1], offset = [1], groups = 1> : tensor<6x6xf32> into tensor<2x7x6xf32> -> tensor<2x7x6xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b, %residual : tensor<2x7x6xf32>, tensor<2x7x6xf16>) outs(%z0 : tensor<2x7x6xf16>) {
  ^bb0(%p: f32, %q: f16, %out: f16):
    %0 = arith.truncf %p : f32 to f16
    %1 = arith.addf %0, %q : f16
    linalg.yield %1 : f16
  } -> tensor<2x7x6xf16>
  return %z : tensor<2x7x6xf16>
}

// -----

// The second scatter writes some rows again, or leaves some as they were: what
// was written in between must stay.

#id = affine_map<(n, p, k) -> (n, p, k)>

// CHECK-LABEL: func @not_all_rows
func.func @not_all_rows(%even: tensor<8x6xf32>, %odd: tensor<4x6xf32>, %y0: tensor<2x7x6xf32>) -> tensor<2x7x6xf32> {
  // CHECK: conv.scatter
  // CHECK: conv.scatter
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x7x6xf32>)
  %a = conv.scatter %even into %y0 view <rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<8x6xf32> into tensor<2x7x6xf32> -> tensor<2x7x6xf32>
  %b = conv.scatter %odd into %a view <rows = [2], taps = [1], stride = [2], step = [1], offset = [1], groups = 1> : tensor<4x6xf32> into tensor<2x7x6xf32> -> tensor<2x7x6xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b : tensor<2x7x6xf32>) outs(%y0 : tensor<2x7x6xf32>) {
  ^bb0(%p: f32, %out: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<2x7x6xf32>
  return %z : tensor<2x7x6xf32>
}

// CHECK-LABEL: func @filter_gradient
func.func @filter_gradient(%acc: tensor<6x3x4xf32>, %dw0: tensor<6x3x4xf32>, %z0: tensor<6x3x4xf16>) -> tensor<6x3x4xf16> {
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<6x3x4xf16>)
  // CHECK: conv.scatter {{.*}} : tensor<6x3x4xf16> into tensor<6x3x4xf16>
  // CHECK-NOT: linalg.generic
  %dw = conv.scatter %acc into %dw0 view <rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1> : tensor<6x3x4xf32> into tensor<6x3x4xf32> -> tensor<6x3x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dw : tensor<6x3x4xf32>) outs(%z0 : tensor<6x3x4xf16>) {
  ^bb0(%p: f32, %out: f16):
    %0 = arith.truncf %p : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<6x3x4xf16>
  return %z : tensor<6x3x4xf16>
}

// Results of two convolutions in two shapes: the sum takes that of one of them,
// and keeps it.
#two = affine_map<(m, k) -> (m, k)>

// CHECK-LABEL: func @two_shapes
func.func @two_shapes(%p: tensor<6x8xf32>, %q: tensor<6x8xf32>, %y0: tensor<2x3x8xf32>, %z0: tensor<1x6x8xf32>, %s0: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK: conv.scatter
  // CHECK: linalg.generic
  // CHECK: conv.scatter
  // CHECK-NOT: linalg.generic
  %a = conv.scatter %p into %y0 view <rows = [3], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<6x8xf32> into tensor<2x3x8xf32> -> tensor<2x3x8xf32>
  %b = conv.scatter %q into %z0 view <rows = [6], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<6x8xf32> into tensor<1x6x8xf32> -> tensor<1x6x8xf32>
  %ac = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %bc = tensor.collapse_shape %b [[0, 1], [2]] : tensor<1x6x8xf32> into tensor<6x8xf32>
  %s = linalg.generic {indexing_maps = [#two, #two, #two], iterator_types = ["parallel", "parallel"]} ins(%ac, %bc : tensor<6x8xf32>, tensor<6x8xf32>) outs(%s0 : tensor<6x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<6x8xf32>
  return %s : tensor<6x8xf32>
}
