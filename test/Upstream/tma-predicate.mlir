// RUN: mlir-opt %s -convert-nvvm-to-llvm | mlir-translate -mlir-to-llvmir | llc -march=nvptx64 -mcpu=sm_90a -mattr=+ptx80 | FileCheck %s

// A predicate makes the copy inline assembly. One that is a constant is printed
// as its value, which is no PTX: "Parsing error near '-': syntax error".

// CHECK: @-1 cp.async.bulk.tensor.2d
llvm.func @load(%map: !llvm.ptr, %barrier: !llvm.ptr<3>, %to: !llvm.ptr<7>, %c: i32) attributes {nvvm.kernel} {
  %true = llvm.mlir.constant(true) : i1
  nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %barrier, box[%c, %c] predicate = %true : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}
