// Golden kernel of one workgroup of two warps, with 128 numbers of i32:
//   out[0]         their sum: shuffles within a warp, shared memory between warps
//   out[1 + t]     in[(t + 1) % 64] + in[64 + t]: a neighbour's value through shared
//                  memory
//
// Faults for the tests: a line "// NAME: op" belongs to the kernel with that fault only,
// a line that ends in "// without NAME" to all others.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80", O = 3>] {
  llvm.mlir.global internal @partial() {addr_space = 3 : i32} : !llvm.array<2 x i32>
  llvm.mlir.global internal @exchange() {addr_space = 3 : i32} : !llvm.array<64 x i32>

  // in: 128 x i32, out[0]: their sum, out[1..64]: in[(t + 1) % 64] + in[t + 64].
  llvm.func @row_sums(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32 // without MASK
    // MASK: %all = llvm.mlir.constant(254 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %warp = llvm.lshr %tid, %c5 : i32
    %exchange = llvm.mlir.addressof @exchange : !llvm.ptr<3>
    %mine = llvm.getelementptr %exchange[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %c0, %mine : i32, !llvm.ptr<3>
    %p0 = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %p1 = llvm.getelementptr %p0[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %v0 = llvm.load %p0 : !llvm.ptr<1> -> i32 // without MISALIGNED
    // MISALIGNED: %w0 = llvm.load %p0 : !llvm.ptr<1> -> i64
    // MISALIGNED: %v0 = llvm.trunc %w0 : i64 to i32
    %v1 = llvm.load %p1 : !llvm.ptr<1> -> i32
    %s0 = llvm.add %v0, %v1 : i32
    %x1 = nvvm.shfl.sync bfly %all, %s0, %c16, %c31 : i32 -> i32
    %s1 = llvm.add %s0, %x1 : i32
    %x2 = nvvm.shfl.sync bfly %all, %s1, %c8, %c31 : i32 -> i32
    %s2 = llvm.add %s1, %x2 : i32
    %x3 = nvvm.shfl.sync bfly %all, %s2, %c4, %c31 : i32 -> i32
    %s3 = llvm.add %s2, %x3 : i32
    %x4 = nvvm.shfl.sync bfly %all, %s3, %c2, %c31 : i32 -> i32
    %s4 = llvm.add %s3, %x4 : i32
    %x5 = nvvm.shfl.sync bfly %all, %s4, %c1, %c31 : i32 -> i32
    %s5 = llvm.add %s4, %x5 : i32
    %elected = nvvm.elect.sync -> i1
    %partials = llvm.mlir.addressof @partial : !llvm.ptr<3>
    llvm.cond_br %elected, ^write, ^meet
  ^write:
    %slot = llvm.getelementptr %partials[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %s5, %slot : i32, !llvm.ptr<3> // without UNINITIALISED
    // SHUFFLE: %bad = nvvm.shfl.sync idx %all, %s5, %c0, %c31 : i32 -> i32
    // BARRIER: nvvm.barrier
    llvm.br ^meet
  ^meet:
    nvvm.barrier
    %last = llvm.icmp "eq" %tid, %c31 : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    // EXITED: llvm.cond_br %first, ^done, ^rest
    // EXITS: llvm.cond_br %last, ^done, ^rest
  // EXITED: ^done: llvm.return
  // EXITS: ^done: llvm.return
  // EXITED: ^unused:
  // EXITS: ^unused:
    llvm.cond_br %first, ^total, ^rest
  ^total:
    %second = llvm.getelementptr %partials[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %t0 = llvm.load %partials : !llvm.ptr<3> -> i32
    %t1 = llvm.load %second : !llvm.ptr<3> -> i32
    %t = llvm.add %t0, %t1 : i32
    llvm.store %t, %out : i32, !llvm.ptr<1>
    llvm.br ^rest
  ^rest:
    llvm.store %v0, %mine : i32, !llvm.ptr<3>
    nvvm.barrier // without RACE THREADS DEADLOCK NUMBER
    // THREADS: %warps = llvm.add %warp, %c1 : i32
    // THREADS: %count = llvm.shl %warps, %c5 : i32
    // THREADS: nvvm.barrier id = %c0 number_of_threads = %count
    // DEADLOCK: nvvm.barrier id = %warp number_of_threads = %c64
    // NUMBER: nvvm.barrier id = %c16 number_of_threads = %c64
    %next = llvm.add %tid, %c1 : i32
    %wrapped = llvm.and %next, %c63 : i32 // without BOUNDS
    // BOUNDS: %wrapped = llvm.add %next, %c63 : i32
    %other = llvm.getelementptr %exchange[%wrapped] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.load %other : !llvm.ptr<3> -> i32
    %sum = llvm.add %theirs, %v1 : i32
    %o0 = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %o1 = llvm.getelementptr %o0[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %sum, %o1 : i32, !llvm.ptr<1>
    llvm.return
  }
}
