// RUN: conv-opt %s -split-input-file -conv-tile-to-workgroups | FileCheck %s

// A workgroup of a forward in bands has a tile of images, lines, columns and
// channels, and computes what is elementwise behind it.

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>

// CHECK-LABEL: @whole
// CHECK-SAME:    %[[Z:[a-z0-9]*]]: tensor<32x9x8x48xf32>)
// CHECK:         scf.forall
// CHECK:           conv.depthwise
// CHECK:           tensor.extract_slice %[[Z]]
// CHECK:           arith.addf
// CHECK:         conv.loops = #conv.schedule<algorithm=loops
func.func @whole(%x: tensor<32x9x8x48xbf16>, %w: tensor<48x9xbf16>, %z: tensor<32x9x8x48xf32>) -> tensor<32x9x8x48xf32> {
  %s = conv.depthwise %x, %w view #view schedule #schedule : tensor<32x9x8x48xbf16>, tensor<48x9xbf16> -> tensor<32x9x8x48xf32>
  %e = tensor.empty() : tensor<32x9x8x48xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %z : tensor<32x9x8x48xf32>, tensor<32x9x8x48xf32>) outs(%e : tensor<32x9x8x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<32x9x8x48xf32>
  return %y : tensor<32x9x8x48xf32>
}

// -----

// What reads a slice of a larger tensor is a kernel of its own: a workgroup
// counts places as in the results.

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>

// CHECK-LABEL: @slice
// CHECK:         scf.forall
// CHECK:           conv.depthwise
// CHECK-NOT:       arith.addf
// CHECK:         conv.loops = #conv.schedule<algorithm=loops
// CHECK:         arith.addf
func.func @slice(%x: tensor<32x9x8x48xbf16>, %w: tensor<48x9xbf16>, %larger: tensor<33x9x8x48xf32>) -> tensor<32x9x8x48xf32> {
  %z = tensor.extract_slice %larger[1, 0, 0, 0] [32, 9, 8, 48] [1, 1, 1, 1] : tensor<33x9x8x48xf32> to tensor<32x9x8x48xf32>
  %s = conv.depthwise %x, %w view #view schedule #schedule : tensor<32x9x8x48xbf16>, tensor<48x9xbf16> -> tensor<32x9x8x48xf32>
  %e = tensor.empty() : tensor<32x9x8x48xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %z : tensor<32x9x8x48xf32>, tensor<32x9x8x48xf32>) outs(%e : tensor<32x9x8x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<32x9x8x48xf32>
  return %y : tensor<32x9x8x48xf32>
}
