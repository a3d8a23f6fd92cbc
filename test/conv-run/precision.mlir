// Products and sums of floats: more precise than the text by default, in its
// types with --precision=text. Integers are what the text says in either case.
//
// RUN: conv-run %s --entry=floats --device=emulator --input=ones --verify | FileCheck %s --check-prefix=MORE
// RUN: conv-run %s --entry=floats --device=emulator --input=ones --verify --precision=text --output=%t.npy | FileCheck %s --check-prefix=TEXT
// RUN: python3 %S/Inputs/print_npy.py %t.npy | FileCheck %s --check-prefix=INF
// RUN: conv-run %s --entry=integers --device=emulator --input=ones --verify --json | FileCheck %s --check-prefix=INTEGERS
// RUN: not conv-run %s --precision=less 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not conv-run --problem="forward n=1 c=8 w=5 k=8 s=3" --precision=text 2>&1 | FileCheck %s --check-prefix=PROBLEM

// MORE: 1 convolution
// MORE: remark     {{.*}}precision.mlir:[[@LINE+31]]:8: imported as conv.forward with more precision than the text: it forms products, which the text forms in 'f16', in 'f32'; precision=text keeps the operation as written
// MORE: promise    deterministic; f16 products are summed in f32; where the text has a narrower type for products or sums, this is more precise (--precision=text is not)
// MORE: verify     full: passed, relative error 0 (

// TEXT: 0 convolutions
// TEXT: remark     {{.*}}not imported as a convolution: the precision of the text is asked for, and a convolution has more
// TEXT: promise    deterministic; every operation in the type that it is written in
// TEXT: verify     full: passed, relative error 0 (
// INF: (1, 4, 1): inf inf inf inf

// INTEGERS: 0 convolutions
// INTEGERS: "remarks": [
// INTEGERS: its products are formed in 'i8', where they wrap
// INTEGERS: "tolerance": 0,
// INTEGERS: "passed": true

// OTHER: error: --precision: expected more or text, got 'less'
// PROBLEM: error: --precision needs FILE.mlir: it is about the operations of linalg there

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

func.func @floats(%ones: tensor<1x4x1xf16>) -> tensor<1x4x1xf32> {
  %w = arith.constant dense<1000.0> : tensor<1x1x1xf16>
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<1x4x1xf16>
  %e = tensor.empty() : tensor<1x4x1xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %c = arith.constant dense<1000.0> : tensor<1x4x1xf16>
  %x = linalg.mul ins(%ones, %c : tensor<1x4x1xf16>, tensor<1x4x1xf16>) outs(%ex : tensor<1x4x1xf16>) -> tensor<1x4x1xf16>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x4x1xf16>, tensor<1x1x1xf16>) outs(%i : tensor<1x4x1xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %p = arith.mulf %a, %b : f16
    %n = arith.extf %p : f16 to f32
    %s = arith.addf %o, %n : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}

func.func @integers(%ones: tensor<1x4x1xi8>) -> tensor<1x4x1xi32> {
  %w = arith.constant dense<16> : tensor<1x1x1xi8>
  %z = arith.constant 0 : i32
  %ex = tensor.empty() : tensor<1x4x1xi8>
  %e = tensor.empty() : tensor<1x4x1xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<1x4x1xi32>) -> tensor<1x4x1xi32>
  %c = arith.constant dense<16> : tensor<1x4x1xi8>
  %x = linalg.mul ins(%ones, %c : tensor<1x4x1xi8>, tensor<1x4x1xi8>) outs(%ex : tensor<1x4x1xi8>) -> tensor<1x4x1xi8>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x4x1xi8>, tensor<1x1x1xi8>) outs(%i : tensor<1x4x1xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %p = arith.muli %a, %b : i8
    %n = arith.extsi %p : i8 to i32
    %s = arith.addi %o, %n : i32
    linalg.yield %s : i32
  } -> tensor<1x4x1xi32>
  return %y : tensor<1x4x1xi32>
}
