// RUN: not --crash mlir-opt %s
//
// A position in a struct is checked modulo 2^32 and used whole.

llvm.func @position(%a: !llvm.struct<(i32, i32)>) -> i32 {
  %e = llvm.extractvalue %a[4294967296] : !llvm.struct<(i32, i32)>
  llvm.return %e : i32
}
