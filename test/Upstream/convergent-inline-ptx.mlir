// RUN: mlir-opt %s -convert-nvvm-to-llvm | mlir-translate -mlir-to-llvmir | FileCheck %s --check-prefix=CALL
// RUN: mlir-opt %s -convert-nvvm-to-llvm | mlir-translate -mlir-to-llvmir | opt -O3 -S | FileCheck %s

// `bar.arrive` counts a warp each time that it is executed. Its inline assembly
// is not convergent, so LLVM makes two of one: each half of a warp arrives.

// CALL: call void asm sideeffect "bar.arrive
// CHECK-COUNT-2: bar.arrive
llvm.func @turn(%first: !llvm.ptr, %second: !llvm.ptr, %isFirst: i1) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %threads = llvm.mlir.constant(256 : i32) : i32
  llvm.cond_br %isFirst, ^then, ^join
^then:
  llvm.store volatile %one, %first : i32, !llvm.ptr
  llvm.br ^join
^join:
  nvvm.barrier.arrive id = %one number_of_threads = %threads
  llvm.cond_br %isFirst, ^then2, ^end
^then2:
  llvm.store volatile %one, %second : i32, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}
