// RUN: not --crash mlir-opt %s -o /dev/null 2>&1 | FileCheck %s

// The least integer stands for "see the operands" in a list of pads, and the
// verifier does not ask whether there is an operand (that of a slice does).
// Printing such an operation, or folding it, reads one that is not there.

// CHECK: tensor::PadOp::print
func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-9223372036854775808] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}
