// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a | FileCheck %s

// A ring of six stages leaves room to stage 64 rows of a team's 128. A residual that
// is loaded to where all rows are staged takes the room of a stage. With many
// products that is worth more than what it saves: a team waits for the residual
// while the other one multiplies. With few it is loaded ahead. An operand of another
// shape (a bias) changes nothing.

// CHECK-LABEL: func.func @bias
// CHECK:         conv.forward
// CHECK-SAME:    stages=6 copy=tma mma=wgmma split-k=1 teams=2 staging=64>
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
#row = affine_map<(n, p, q, k) -> (k)>
func.func @bias(%x: tensor<256x14x14x256xbf16>, %w: tensor<256x3x3x256xbf16>, %b: tensor<256xf32>) -> tensor<256x14x14x256xbf16> {
  %e = tensor.empty() : tensor<256x14x14x256xf32>
  %y = tensor.empty() : tensor<256x14x14x256xbf16>
  %c = conv.forward ins(%x, %w : tensor<256x14x14x256xbf16>, tensor<256x3x3x256xbf16>) outs(%e : tensor<256x14x14x256xf32>) pad [1, 1] -> tensor<256x14x14x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %b : tensor<256x14x14x256xf32>, tensor<256xf32>) outs(%y : tensor<256x14x14x256xbf16>) {
  ^bb0(%a: f32, %v: f32, %o: bf16):
    %t = arith.addf %a, %v : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<256x14x14x256xbf16>
  return %s : tensor<256x14x14x256xbf16>
}

// -----

// CHECK-LABEL: func.func @residual
// CHECK:         conv.forward
// CHECK-SAME:    stages=6 copy=tma mma=wgmma split-k=1 teams=2 staging=64>
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @residual(%x: tensor<256x14x14x256xbf16>, %w: tensor<256x3x3x256xbf16>, %r: tensor<256x14x14x256xbf16>) -> tensor<256x14x14x256xbf16> {
  %e = tensor.empty() : tensor<256x14x14x256xf32>
  %y = tensor.empty() : tensor<256x14x14x256xbf16>
  %c = conv.forward ins(%x, %w : tensor<256x14x14x256xbf16>, tensor<256x3x3x256xbf16>) outs(%e : tensor<256x14x14x256xf32>) pad [1, 1] -> tensor<256x14x14x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<256x14x14x256xf32>, tensor<256x14x14x256xbf16>) outs(%y : tensor<256x14x14x256xbf16>) {
  ^bb0(%a: f32, %v: bf16, %o: bf16):
    %w32 = arith.extf %v : bf16 to f32
    %t = arith.addf %a, %w32 : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<256x14x14x256xbf16>
  return %s : tensor<256x14x14x256xbf16>
}

// -----

// CHECK-LABEL: func.func @few_products
// CHECK:         conv.forward
// CHECK-SAME:    stages=5 copy=tma mma=wgmma split-k=1 teams=2>
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @few_products(%x: tensor<256x14x14x256xbf16>, %w: tensor<1024x1x1x256xbf16>, %r: tensor<256x14x14x1024xbf16>) -> tensor<256x14x14x1024xbf16> {
  %e = tensor.empty() : tensor<256x14x14x1024xf32>
  %y = tensor.empty() : tensor<256x14x14x1024xbf16>
  %c = conv.forward ins(%x, %w : tensor<256x14x14x256xbf16>, tensor<1024x1x1x256xbf16>) outs(%e : tensor<256x14x14x1024xf32>) -> tensor<256x14x14x1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<256x14x14x1024xf32>, tensor<256x14x14x1024xbf16>) outs(%y : tensor<256x14x14x1024xbf16>) {
  ^bb0(%a: f32, %v: bf16, %o: bf16):
    %w32 = arith.extf %v : bf16 to f32
    %t = arith.addf %a, %w32 : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<256x14x14x1024xbf16>
  return %s : tensor<256x14x14x1024xbf16>
}
