// Kernels whose results show the value semantics of single ops, one warp each.
module {
  gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80", O = 3>] {
    llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i16>

    // out[32 i + lane]: shuffles up by 1, down by 2, index 5, butterfly 3 within eight lanes.
    llvm.func @shuffles(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c2 = llvm.mlir.constant(2 : i32) : i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %c5 = llvm.mlir.constant(5 : i32) : i32
      %none = llvm.mlir.constant(0 : i32) : i32
      %clamp = llvm.mlir.constant(31 : i32) : i32
      %segments = llvm.mlir.constant(6175 : i32) : i32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %up = nvvm.shfl.sync up %all, %lane, %c1, %none : i32 -> i32
      %down = nvvm.shfl.sync down %all, %lane, %c2, %clamp : i32 -> i32
      %index = nvvm.shfl.sync idx %all, %lane, %c5, %clamp : i32 -> i32
      %pair = nvvm.shfl.sync bfly %all, %lane, %c3, %segments {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
      %value = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
      %valid = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
      %wide = llvm.zext %valid : i1 to i32
      %sum = llvm.add %value, %wide : i32
      %p0 = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %p1 = llvm.getelementptr %p0[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p2 = llvm.getelementptr %p0[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p3 = llvm.getelementptr %p0[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %up, %p0 : i32, !llvm.ptr<1>
      llvm.store %down, %p1 : i32, !llvm.ptr<1>
      llvm.store %index, %p2 : i32, !llvm.ptr<1>
      llvm.store %sum, %p3 : i32, !llvm.ptr<1>
      llvm.return
    }

    // Lane 0 stores: ballot of odd lanes, any, all, uniform of "lane < 32"; sum, maximum and
    // xor of the lanes.
    llvm.func @votes(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c32 = llvm.mlir.constant(32 : i32) : i32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %bit = llvm.and %lane, %c1 : i32
      %odd = llvm.icmp "eq" %bit, %c1 : i32
      %true = llvm.icmp "ult" %lane, %c32 : i32
      %ballot = nvvm.vote.sync ballot %all, %odd -> i32
      %any = nvvm.vote.sync any %all, %odd -> i1
      %every = nvvm.vote.sync all %all, %odd -> i1
      %uniform = nvvm.vote.sync uni %all, %true -> i1
      %any32 = llvm.zext %any : i1 to i32
      %every32 = llvm.zext %every : i1 to i32
      %uniform32 = llvm.zext %uniform : i1 to i32
      %sum = nvvm.redux.sync add %lane, %all : i32 -> i32
      %max = nvvm.redux.sync max %lane, %all : i32 -> i32
      %xor = nvvm.redux.sync xor %lane, %all : i32 -> i32
      %leader = nvvm.elect.sync -> i1
      llvm.cond_br %leader, ^store, ^done
    ^store:
      %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %ballot, %out : i32, !llvm.ptr<1>
      llvm.store %any32, %p1 : i32, !llvm.ptr<1>
      llvm.store %every32, %p2 : i32, !llvm.ptr<1>
      llvm.store %uniform32, %p3 : i32, !llvm.ptr<1>
      llvm.store %sum, %p4 : i32, !llvm.ptr<1>
      llvm.store %max, %p5 : i32, !llvm.ptr<1>
      llvm.store %xor, %p6 : i32, !llvm.ptr<1>
      llvm.br ^done
    ^done:
      llvm.return
    }

    // Each lane holds the pair (2 lane, 2 lane + 1) of an 8x8 matrix; it is stored transposed,
    // loaded transposed, and loaded as it lies. out[lane], out[32 + lane]: the registers.
    llvm.func @transpose(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c7 = llvm.mlir.constant(7 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %low = llvm.shl %lane, %c1 : i32
      %next = llvm.add %low, %c1 : i32
      %high = llvm.shl %next, %c16 : i32
      %pair = llvm.or %low, %high : i32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %row = llvm.and %lane, %c7 : i32
      %bytes = llvm.mul %row, %c16 : i32
      %address = llvm.getelementptr %tile[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %address, %pair {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
      nvvm.bar.warp.sync %all : i32
      %back = nvvm.ldmatrix %address {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
      %turned = nvvm.ldmatrix %address {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
      %p0 = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %p1 = llvm.getelementptr %p0[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %back, %p0 : i32, !llvm.ptr<1>
      llvm.store %turned, %p1 : i32, !llvm.ptr<1>
      llvm.return
    }

    // Copies 4 bytes per lane, of which lanes from 16 on read 2 and the last one none.
    // out[lane]: what landed in shared memory.
    llvm.func @zero_fill(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c2 = llvm.mlir.constant(2 : i32) : i32
      %c4 = llvm.mlir.constant(4 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %upper = llvm.icmp "uge" %lane, %c16 : i32
      %last = llvm.icmp "eq" %lane, %c31 : i32
      %some = llvm.select %upper, %c2, %c4 : i1, i32
      %bytes = llvm.select %last, %c0, %some : i1, i32
      %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %to = llvm.getelementptr %tile[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      nvvm.cp.async.shared.global %to, %from, 4, cache = ca, %bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      %value = llvm.load %to : !llvm.ptr<3> -> i32
      %p = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %value, %p : i32, !llvm.ptr<1>
      llvm.return
    }

    // Two warps: out[0] threads with an odd number, out[1] whether all are, out[2] whether any is.
    llvm.func @reductions(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %c64 = llvm.mlir.constant(64 : i32) : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %odd = llvm.and %tid, %c1 : i32
      nvvm.barrier0
      %count = nvvm.barrier #nvvm.reduction<popc> %odd -> i32
      %every = nvvm.barrier #nvvm.reduction<and> %odd -> i32
      %any = nvvm.barrier #nvvm.reduction<or> %odd -> i32
      %first = llvm.icmp "eq" %tid, %c0 : i32
      llvm.cond_br %first, ^store, ^done
    ^store:
      %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %count, %out : i32, !llvm.ptr<1>
      llvm.store %every, %p1 : i32, !llvm.ptr<1>
      llvm.store %any, %p2 : i32, !llvm.ptr<1>
      llvm.br ^done
    ^done:
      llvm.return
    }

    // Warp 0 produces, warp 1 consumes, through a barrier that only the consumer waits for.
    llvm.func @handover(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c5 = llvm.mlir.constant(5 : i32) : i32
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %c64 = llvm.mlir.constant(64 : i32) : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %lane = llvm.and %tid, %c31 : i32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %slot = llvm.getelementptr %tile[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %consumes = llvm.icmp "ugt" %tid, %c31 : i32
      llvm.cond_br %consumes, ^consume, ^produce
    ^produce:
      %square = llvm.mul %tid, %tid : i32
      llvm.store %square, %slot : i32, !llvm.ptr<3>
      nvvm.barrier.arrive id = %c1 number_of_threads = %c64
      llvm.return
    ^consume:
      nvvm.barrier id = %c1 number_of_threads = %c64
      %generic = llvm.addrspacecast %slot : !llvm.ptr<3> to !llvm.ptr
      %value = llvm.load %generic : !llvm.ptr -> i32
      %p = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %value, %p : i32, !llvm.ptr<1>
      llvm.return
    }

    // One thread per workgroup: its position in the grid and in its cluster, as decimal digits
    // x, y, rank in the cluster, size of the cluster.
    llvm.func @registers(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c10 = llvm.mlir.constant(10 : i32) : i32
      %x = nvvm.read.ptx.sreg.ctaid.x : i32
      %y = nvvm.read.ptx.sreg.ctaid.y : i32
      %columns = nvvm.read.ptx.sreg.nctaid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
      %row = llvm.mul %y, %columns : i32
      %index = llvm.add %row, %x : i32
      %d0 = llvm.mul %x, %c10 : i32
      %d1 = llvm.add %d0, %y : i32
      %d2 = llvm.mul %d1, %c10 : i32
      %d3 = llvm.add %d2, %rank : i32
      %d4 = llvm.mul %d3, %c10 : i32
      %d5 = llvm.add %d4, %size : i32
      %p = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %d5, %p : i32, !llvm.ptr<1>
      llvm.return
    }

    // Every thread adds its number to a counter in shared and to one in global memory.
    llvm.func @atomics(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %first = llvm.icmp "eq" %tid, %c0 : i32
      llvm.cond_br %first, ^init, ^count
    ^init:
      llvm.store %c0, %tile : i32, !llvm.ptr<3>
      llvm.br ^count
    ^count:
      nvvm.barrier
      %old = llvm.atomicrmw add %tile, %tid monotonic : !llvm.ptr<3>, i32
      %other = llvm.atomicrmw add %out, %tid monotonic : !llvm.ptr<1>, i32
      nvvm.barrier
      llvm.cond_br %first, ^store, ^done
    ^store:
      %sum = llvm.load %tile : !llvm.ptr<3> -> i32
      %slot = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %sum, %slot : i32, !llvm.ptr<1>
      llvm.br ^done
    ^done:
      llvm.return
    }
  }
}
