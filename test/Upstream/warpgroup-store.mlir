// RUN: not mlir-opt %s -convert-nvgpu-to-nvvm 2>&1 | FileCheck %s

// The store of an accumulator verifies for every element type, but is lowered
// to stores of f32, one by one.

// CHECK: 'memref.store' op failed to verify that type of 'value' matches element type of 'memref'
func.func @store(%to: memref<64x64xbf16, 3>, %c: !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>) {
  nvgpu.warpgroup.mma.store %c, %to : !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>> to memref<64x64xbf16, 3>
  return
}
