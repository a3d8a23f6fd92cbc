// RUN: conv-opt %s -split-input-file -conv-drop-assertions -verify-diagnostics -allow-unregistered-dialect
// RUN: conv-opt %s -split-input-file -conv-tile-plain-kernels -verify-diagnostics -allow-unregistered-dialect
// RUN: conv-opt %s -split-input-file -conv-to-nvvm -verify-diagnostics -allow-unregistered-dialect

// What has another effect than its results has no place in a kernel. Bodies are
// fused, moved and dropped by their results alone.

#id = affine_map<(d0) -> (d0)>

func.func @elements(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %in, %zero : f32
    // expected-error @below {{'cf.assert' op has no kernel: expected a condition that constants show to be true, since a kernel checks nothing while it runs; remove the assertion 'x is positive' if the inputs keep it}}
    cf.assert %positive, "x is positive"
    linalg.yield %in : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @never(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %false = arith.constant false
    // expected-error @below {{'cf.assert' op has no kernel}}
    cf.assert %false, "never"
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @stored(%x: tensor<8xf32>) -> tensor<8xf32> {
  %place = memref.alloc() : memref<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    // expected-error @below {{'memref.store' op has no kernel: expected operations that only compute their results in the body of 'linalg.generic'}}
    memref.store %in, %place[%i] : memref<8xf32>
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
    // expected-error @below {{'test.note' op has no kernel: expected operations that only compute their results in the body of 'linalg.map'}}
    "test.note"(%in) : (f32) -> ()
    linalg.yield %in : f32
  }
  return %y : tensor<8xf32>
}
