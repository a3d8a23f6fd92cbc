// RUN: not --crash mlir-opt %s -buffer-results-to-out-params="modify-public-functions=true hoist-static-allocs=true" 2>&1 | FileCheck %s

// With hoisted allocations the first result's buffer has been replaced when the
// second is looked at. conv-run refuses such functions beforehand.

// CHECK: promoteBufferResultsToOutParams
func.func @twice() -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %a, %a : memref<4xf32>, memref<4xf32>
}
