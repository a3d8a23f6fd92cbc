// A convolution, a normalisation over the batch behind its bias, and the
// gradient of that bias: it is 0, and a kernel gives what roundings leave. It is
// compared with the magnitude of what was added up; what is off by more fails.
//
// RUN: conv-run %s --target=sm_80 --device=emulator --verify | FileCheck %s
// RUN: sed 's/0.0, 0.0]>/0.0, 1.0e-3]>/' %s > %t.mlir
// RUN: not conv-run %t.mlir --reference=%s --target=sm_80 --device=emulator --verify | FileCheck %s --check-prefix=WRONG
//
// CHECK: verify     full: passed, relative error {{[0-9.]+}}e-0{{[78]}} (at most 1e-06)
// WRONG: verify     full: FAILED, {{.*}} result1 element [7] is 0.00{{.*}}, expected {{[-0-9.e]+}}, at most {{[0-9.]+}}e-0{{[56]}} from it

#all = affine_map<(k, n, p, q) -> (n, p, q, k)>
#of_k = affine_map<(k, n, p, q) -> (k)>
#k = affine_map<(k) -> (k)>

func.func @joint(%x: tensor<2x6x5x16xf32>, %w: tensor<8x3x2x16xf32>, %bias: tensor<8xf32>, %gradient: tensor<2x4x4x8xf32>) -> (tensor<2x4x4x8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 32.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %none = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<8xf32>) -> tensor<8xf32>
  %empty = tensor.empty() : tensor<2x4x4x8xf32>
  %products = conv.forward ins(%x, %w : tensor<2x6x5x16xf32>, tensor<8x3x2x16xf32>) outs(%empty : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #of_k, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%products, %bias : tensor<2x4x4x8xf32>, tensor<8xf32>) outs(%empty : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x8xf32>
  %sums = linalg.generic {indexing_maps = [#all, #of_k], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%y : tensor<2x4x4x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.addf %old, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %mean = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]} ins(%sums : tensor<8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.divf %a, %count : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %centred = linalg.generic {indexing_maps = [#all, #of_k, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %mean : tensor<2x4x4x8xf32>, tensor<8xf32>) outs(%empty : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x8xf32>
  %squares = linalg.generic {indexing_maps = [#all, #of_k], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%centred : tensor<2x4x4x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %scale = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]} ins(%squares : tensor<8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = arith.divf %a, %count : f32
    %s = arith.addf %v, %epsilon : f32
    %r = math.rsqrt %s : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %normal = linalg.generic {indexing_maps = [#all, #of_k, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%centred, %scale : tensor<2x4x4x8xf32>, tensor<8xf32>) outs(%empty : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x8xf32>
  %first = linalg.generic {indexing_maps = [#all, #of_k], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%gradient : tensor<2x4x4x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.addf %old, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %second = linalg.generic {indexing_maps = [#all, #all, #of_k], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%gradient, %normal : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %dy = linalg.generic {indexing_maps = [#all, #all, #of_k, #of_k, #of_k, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%gradient, %normal, %first, %second, %scale : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %old: f32):
    %m = arith.divf %c, %count : f32
    %n = arith.divf %d, %count : f32
    %p = arith.mulf %b, %n : f32
    %s = arith.subf %a, %m : f32
    %t = arith.subf %s, %p : f32
    %r = arith.mulf %t, %e : f32
    linalg.yield %r : f32
  } -> tensor<2x4x4x8xf32>
  %db = linalg.generic {indexing_maps = [#all, #of_k], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<2x4x4x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.addf %old, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %change = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf32>
  %changed = linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = ["parallel"]} ins(%db, %change : tensor<8xf32>, tensor<8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %dy, %changed : tensor<2x4x4x8xf32>, tensor<8xf32>
}
