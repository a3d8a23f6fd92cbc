// RUN: not conv-opt %s -conv-overlap-launches 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: not conv-opt %s -pass-pipeline='builtin.module(func.func(conv-fold-taps),gpu.module(gpu.func(cse)))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: conv-opt %s -conv-fold-taps -canonicalize | FileCheck %s --check-prefix=RUNS
// RUN: conv-opt %s -pass-pipeline='builtin.module(func.func(conv-merge-groups,cse),canonicalize{max-iterations=2})' | FileCheck %s --check-prefix=RUNS
// RUN: not conv-opt %s -conv-overlap-launches -o %t.none.mlir
// RUN: not ls %t.none.mlir

// A pass that finds no operation to run on is an error, not a success that
// changed nothing.

// FLAT: conv-opt: error: conv-overlap-launches ran on nothing: it was asked for as 'builtin.module(gpu.module(conv-overlap-launches))', and the input has no gpu.module there; one that is deeper is reached as in --pass-pipeline='builtin.module(gpu.module(gpu.func(PASS)))'
// NESTED: conv-opt: error: cse ran on nothing: it was asked for as 'builtin.module(gpu.module(gpu.func(cse)))', and the input has no gpu.func there
// RUNS: func.func @f
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
