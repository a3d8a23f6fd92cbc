// RUN: mlir-opt %s | not mlir-opt 2>&1 | FileCheck %s

// What is printed cannot be parsed: the attribute dictionary of a barrier
// without operands is taken for the optional `reductionOp`.

// CHECK: 'nvvm.barrier' op attribute 'reductionOp' failed to satisfy constraint
llvm.func @marked() {
  "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> {marked} : () -> ()
  llvm.return
}
