// RUN: mlir-opt %s -convert-nvgpu-to-nvvm 2>&1 | FileCheck %s

// The operation verifies and nvvm.mma.sync has bf16, but nothing leads from one
// to the other. The pass says so, leaves the operation and succeeds.

// CHECK: error: 'nvgpu.mma.sync' op failed to deduce operand PTX types
// CHECK: func.func @bf16
// CHECK:   nvgpu.mma.sync
func.func @bf16(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  return %d : vector<2x2xf32>
}
