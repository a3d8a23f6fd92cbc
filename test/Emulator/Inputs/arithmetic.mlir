// Scalar arithmetic for which the host has no instruction, or calls a function.
module {
  llvm.func @__nv_expf(f32) -> f32

  // In: x. Out: x rounded to f16, to bf16, exp(x) twice, max(x, NaN), x^3 by fma.
  llvm.func @arithmetic(%data: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %data : !llvm.ptr<1> -> f32
    %nan = llvm.mlir.constant(0x7FC00000 : f32) : f32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %h = llvm.fptrunc %x : f32 to f16
    %from_h = llvm.fpext %h : f16 to f32
    %b = llvm.fptrunc %x : f32 to bf16
    %from_b = llvm.fpext %b : bf16 to f32
    %e0 = llvm.intr.exp(%x) : (f32) -> f32
    %e1 = llvm.call @__nv_expf(%x) : (f32) -> f32
    %m = llvm.intr.maxnum(%x, %nan) : (f32, f32) -> f32
    %square = llvm.fmul %x, %x : f32
    %cube = llvm.intr.fma(%square, %x, %zero) : (f32, f32, f32) -> f32
    %p1 = llvm.getelementptr %data[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %data[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p3 = llvm.getelementptr %data[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p4 = llvm.getelementptr %data[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p5 = llvm.getelementptr %data[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %from_h, %data : f32, !llvm.ptr<1>
    llvm.store %from_b, %p1 : f32, !llvm.ptr<1>
    llvm.store %e0, %p2 : f32, !llvm.ptr<1>
    llvm.store %e1, %p3 : f32, !llvm.ptr<1>
    llvm.store %m, %p4 : f32, !llvm.ptr<1>
    llvm.store %cube, %p5 : f32, !llvm.ptr<1>
    llvm.return
  }
}
