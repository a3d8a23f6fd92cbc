// Operands of convolutions that have one value everywhere, as gradients of a sum
// have: a kernel of its own fills the tensor.
//
// RUN: conv-run %s --entry=image --target=sm_80 --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=image --target=sm_90a --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=filter --target=sm_80 --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=filter --target=sm_90a --device=emulator --input=integers --verify --algorithm=im2col | FileCheck %s
// RUN: conv-run %s --entry=gradient --target=sm_80 --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=gradient --target=sm_90a --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=pointwise --target=sm_90a --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=bytes --target=sm_90a --device=emulator --input=integers --verify | FileCheck %s

// CHECK: kernel {{.*}}_fill:
// CHECK: verify     full: passed, relative error 0 (

func.func @image(%w: tensor<16x3x2x8xbf16>) -> tensor<2x9x7x16xbf16> {
  %two = arith.constant 2.0 : bf16
  %e = tensor.empty() : tensor<2x9x7x8xbf16>
  %x = linalg.fill ins(%two : bf16) outs(%e : tensor<2x9x7x8xbf16>) -> tensor<2x9x7x8xbf16>
  %i = tensor.empty() : tensor<2x9x7x16xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x9x7x8xbf16>, tensor<16x3x2x8xbf16>) outs(%i : tensor<2x9x7x16xbf16>)
      pad [1, 0:1] -> tensor<2x9x7x16xbf16>
  return %y : tensor<2x9x7x16xbf16>
}

func.func @filter(%dy: tensor<2x9x7x16xbf16>) -> tensor<2x9x7x8xbf16> {
  %two = arith.constant 2.0 : bf16
  %e = tensor.empty() : tensor<16x3x2x8xbf16>
  %w = linalg.fill ins(%two : bf16) outs(%e : tensor<16x3x2x8xbf16>) -> tensor<16x3x2x8xbf16>
  %i = tensor.empty() : tensor<2x9x7x8xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x9x7x16xbf16>, tensor<16x3x2x8xbf16>) outs(%i : tensor<2x9x7x8xbf16>)
      pad [1, 0:1] -> tensor<2x9x7x8xbf16>
  return %dx : tensor<2x9x7x8xbf16>
}

func.func @gradient(%x: tensor<2x9x7x8xbf16>) -> tensor<16x3x2x8xbf16> {
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<2x9x7x16xbf16>
  %dy = linalg.fill ins(%one : bf16) outs(%e : tensor<2x9x7x16xbf16>) -> tensor<2x9x7x16xbf16>
  %i = tensor.empty() : tensor<16x3x2x8xbf16>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x7x8xbf16>, tensor<2x9x7x16xbf16>) outs(%i : tensor<16x3x2x8xbf16>)
      pad [1, 0:1] -> tensor<16x3x2x8xbf16>
  return %dw : tensor<16x3x2x8xbf16>
}

func.func @pointwise(%dy: tensor<2x9x7x16xbf16>) -> tensor<16x1x1x8xbf16> {
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<2x9x7x8xbf16>
  %x = linalg.fill ins(%one : bf16) outs(%e : tensor<2x9x7x8xbf16>) -> tensor<2x9x7x8xbf16>
  %i = tensor.empty() : tensor<16x1x1x8xbf16>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x7x8xbf16>, tensor<2x9x7x16xbf16>) outs(%i : tensor<16x1x1x8xbf16>)
      -> tensor<16x1x1x8xbf16>
  return %dw : tensor<16x1x1x8xbf16>
}

func.func @bytes(%x: tensor<2x9x7x16xi8>) -> tensor<32x3x2x16xi32> {
  %one = arith.constant 1 : i8
  %e = tensor.empty() : tensor<2x9x7x32xi8>
  %dy = linalg.fill ins(%one : i8) outs(%e : tensor<2x9x7x32xi8>) -> tensor<2x9x7x32xi8>
  %i = tensor.empty() : tensor<32x3x2x16xi32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x7x16xi8>, tensor<2x9x7x32xi8>) outs(%i : tensor<32x3x2x16xi32>)
      pad [1, 0:1] -> tensor<32x3x2x16xi32>
  return %dw : tensor<32x3x2x16xi32>
}
