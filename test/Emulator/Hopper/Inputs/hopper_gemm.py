#!/usr/bin/env python3
"""Writes a persistent warp-specialised kernel for Hopper, as a gpu.module of scf, arith and nvvm.

D[M][N] = A[M][K] times the transpose of B[N][K]. One thread of the first warpgroup loads tiles by
TMA into a ring of stages with full and empty mbarriers; two warpgroups multiply them by wgmma and
store D through swizzled shared memory by TMA. Operands may be K-major or MN-major (then stored as
[K][M] or [K][N]) and have any swizzle; a cluster of two workgroups shares the tiles of B by
multicast. With --conv the rows of A are gathered by im2col loads: a 3x3 convolution.

The kernel's arguments are tensor maps of A, B and D; --arguments prints them for conv-emulate.
--fault=NAME plants one mistake.
"""

import argparse

FAULTS = (
    "no-full-wait", "no-first-full-wait", "no-empty-wait", "wrong-consumer-parity",
    "wrong-producer-parity", "no-store-fence", "no-barrier-before-store",
    "no-barrier-before-stmatrix", "no-store-wait", "no-final-store-wait", "final-wgmma-wait-1",
    "no-loop-wgmma-wait", "expect-too-much", "expect-too-little", "empty-count-7",
    "no-init-barrier", "im2col-start", "stmatrix-misaligned", "stmatrix-out-of-range",
    # Beyond the classic ones.
    "release-before-wait", "no-init-fence", "no-wgmma-fence", "divergent-descriptor",
    "half-waits", "no-commit", "early-exit", "rank-arrival", "descriptor-overflow",
)

TILE_M, TILE_K = 128, 64
THREADS = 384
STAGING_PANEL = 64 * 128


class Kernel:
    def __init__(self, options):
        self.o = o = options
        self.row = {0: 16, 32: 32, 64: 64, 128: 128}[o.swizzle]  # bytes of a row of a box
        self.inner = self.row // 2  # elements
        self.a_bytes = TILE_M * TILE_K * 2
        self.b_bytes = o.tile_n * TILE_K * 2
        self.b_ring = o.stages * self.a_bytes
        self.staging = self.b_ring + o.stages * self.b_bytes
        self.panels = o.tile_n // 64
        self.full = self.staging + 2 * self.panels * STAGING_PANEL
        self.empty = self.full + 8 * o.stages
        self.shared = self.empty + 8 * o.stages
        self.cluster = 2 if o.cluster else 1
        self.tiles_n = o.n // o.tile_n
        self.tiles = o.m // TILE_M // self.cluster * self.tiles_n
        self.blocks = o.k // TILE_K
        self.lines = []
        self.count = 0
        self.depth = 2

    def fault(self, name):
        return self.o.fault == name

    # Text.

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text):
        self.count += 1
        name = f"%v{self.count}"
        self.line(f"{name} = {text}")
        return name

    def open(self, text):
        self.line(text + " {")
        self.depth += 1

    def close(self, text=""):
        self.depth -= 1
        self.line("}" + text)

    def i32(self, number):
        return self.value(f"arith.constant {number} : i32")

    def op(self, name, a, b):
        a, b = (x if isinstance(x, str) else self.i32(x) for x in (a, b))
        return self.value(f"arith.{name} {a}, {b} : i32")

    def equal(self, a, b):
        b = b if isinstance(b, str) else self.i32(b)
        return self.value(f"arith.cmpi eq, {a}, {b} : i32")

    def at(self, offset, base=None):
        """A pointer to shared memory."""
        offset = offset if isinstance(offset, str) else self.i32(offset)
        return self.value(f"llvm.getelementptr {base or '%smem'}[{offset}] "
                          ": (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8")

    def slot(self, start, stage, size):
        return self.at(self.op("addi", self.op("muli", stage, size), start))

    def next_slot(self, stage, phase):
        after = self.op("addi", stage, 1)
        wraps = self.equal(after, self.o.stages)
        flipped = self.op("xori", phase, 1)
        zero = self.i32(0)
        return (self.value(f"arith.select {wraps}, {zero}, {after} : i32"),
                self.value(f"arith.select {wraps}, {flipped}, {phase} : i32"))

    # Set-up.

    def init(self):
        o = self.o
        self.open("scf.if %is_first")
        for stage in range(o.stages):
            one, count = self.i32(1), self.i32(7 if self.fault("empty-count-7") else 8 * self.cluster)
            self.line(f"nvvm.mbarrier.init {self.at(self.full + 8 * stage)}, {one} : !llvm.ptr<3>, i32")
            self.line(f"nvvm.mbarrier.init {self.at(self.empty + 8 * stage)}, {count} : !llvm.ptr<3>, i32")
        if not self.fault("no-init-fence"):
            self.line("nvvm.fence.mbarrier.init")
        self.close()
        if self.fault("no-init-barrier"):
            return
        self.meet()

    def meet(self):
        if self.cluster == 1:
            self.line("nvvm.barrier")
        else:
            self.line("nvvm.cluster.arrive {aligned}")
            self.line("nvvm.cluster.wait {aligned}")

    def positions(self):
        self.line("%smem = llvm.mlir.addressof @smem : !llvm.ptr<3>")
        self.line("%tid = nvvm.read.ptx.sreg.tid.x : i32")
        self.line("%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32")
        self.line("%start = nvvm.read.ptx.sreg.clusterid.x : i32")
        self.line("%step = nvvm.read.ptx.sreg.nclusterid.x : i32")
        zero, mask, clamp = self.i32(0), self.i32(-1), self.i32(31)
        self.line("%c0 = arith.constant 0 : i32")
        self.line("%c1 = arith.constant 1 : i32")
        self.line("%ticks = arith.constant 1000000 : i32")
        self.line(f"%tiles = arith.constant {self.tiles} : i32")
        self.line(f"%blocks = arith.constant {self.blocks} : i32")
        own = self.op("divui", "%tid", 128)
        self.line(f"%group = nvvm.shfl.sync idx {mask}, {own}, {zero}, {clamp} : i32 -> i32")
        self.line(f"%is_first = arith.cmpi eq, %tid, {zero} : i32")

    def tile_position(self, tile):
        """First row and first column of D, and the workgroup's own rows."""
        across = self.op("remui", tile, self.tiles_n)
        down = self.op("divui", tile, self.tiles_n)
        down = self.op("addi", self.op("muli", down, self.cluster), "%rank")
        return self.op("muli", down, TILE_M), self.op("muli", across, self.o.tile_n)

    # The producer.

    def load(self, map_name, destination, barrier, coordinates, offsets=(), multicast=False):
        cluster = self.value(f"llvm.addrspacecast {destination} : !llvm.ptr<3> to !llvm.ptr<7>")
        im2col = f" im2col[{', '.join(offsets)}]" if offsets else ""
        mask = ""
        if multicast:
            mask = f" multicast_mask = {self.value('arith.constant 3 : i16')}"
        mode = " {mode = #nvvm.tma_load_mode<im2col>}" if offsets else ""
        self.line(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {cluster}, {map_name}, {barrier}, "
                  f"box[{', '.join(coordinates)}]{im2col}{mask}{mode} : !llvm.ptr<7>, !llvm.ptr")

    def load_operand(self, map_name, base, barrier, rows, k0, row0, major, part=0, parts=1):
        """A tile of `rows` x TILE_K; of a multicast tile, the rows of one part."""
        share = rows // parts
        if major == "k":
            for i in range(TILE_K // self.inner):
                offset = i * rows * self.row
                if parts > 1:
                    offset = self.op("addi", self.op("muli", part, share * self.row), offset)
                    row = self.op("addi", row0, self.op("muli", part, share))
                else:
                    row = row0
                self.load(map_name, self.at(offset, base), barrier,
                          [self.op("addi", k0, i * self.inner), row], multicast=parts > 1)
            return
        for i in range(share // self.inner):
            panel = self.op("addi", self.op("muli", part, share // self.inner), i) if parts > 1 else self.i32(i)
            offset = self.op("muli", panel, TILE_K * self.row)
            row = self.op("addi", row0, self.op("muli", panel, self.inner))
            self.load(map_name, self.at(offset, base), barrier, [row, k0], multicast=parts > 1)

    def load_pixels(self, base, barrier, block, row0):
        n, h, w, c = self.o.conv[:4]
        tap = self.op("remui", block, 9)
        channel = self.op("muli", self.op("divui", block, 9), TILE_K)
        q = self.op("remui", row0, self.o.out_w)
        rest = self.op("divui", row0, self.o.out_w)
        p = self.op("remui", rest, self.o.out_h)
        image = self.op("divui", rest, self.o.out_h)
        shift = -2 if self.fault("im2col-start") else -1
        x = self.op("addi", self.op("muli", q, self.o.stride), shift)
        y = self.op("addi", self.op("muli", p, self.o.stride), -1)
        offsets = [self.value(f"arith.trunci {self.op(name, tap, 3)} : i32 to i16")
                   for name in ("remui", "divui")]
        self.load("%a", base, barrier, [channel, x, y, image], offsets)

    def producer(self):
        o = self.o
        self.open("scf.if %is_first")
        self.line("%q:2 = scf.for %tile = %start to %tiles step %step "
                  "iter_args(%s0 = %c0, %p0 = %c0) -> (i32, i32) : i32 {")
        self.depth += 1
        row0, column0 = self.tile_position("%tile")
        self.line("%r:2 = scf.for %block = %c0 to %blocks step %c1 "
                  "iter_args(%stage = %s0, %phase = %p0) -> (i32, i32) : i32 {")
        self.depth += 1
        full, empty = (self.slot(start, "%stage", 8) for start in (self.full, self.empty))
        parity = "%phase" if self.fault("wrong-producer-parity") else self.op("xori", "%phase", 1)
        if not self.fault("no-empty-wait"):
            self.line(f"nvvm.mbarrier.try_wait.parity {empty}, {parity}, %ticks : !llvm.ptr<3>, i32, i32")
        expected = self.a_bytes + self.b_bytes
        expected += {"expect-too-much": 16, "expect-too-little": -self.b_bytes}.get(o.fault, 0)
        self.line(f"nvvm.mbarrier.arrive.expect_tx {full}, {self.i32(expected)} : !llvm.ptr<3>, i32")
        k0 = self.op("muli", "%block", TILE_K)
        a = self.slot(0, "%stage", self.a_bytes)
        b = self.slot(self.b_ring, "%stage", self.b_bytes)
        if o.conv:
            self.load_pixels(a, full, "%block", row0)
        else:
            self.load_operand("%a", a, full, TILE_M, k0, row0, o.a_major)
        if o.conv:
            tap, channel = self.op("remui", "%block", 9), self.op("divui", "%block", 9)
            k0 = self.op("addi", self.op("muli", tap, o.conv[3]), self.op("muli", channel, TILE_K))
        self.load_operand("%b", b, full, o.tile_n, k0, column0, o.b_major, "%rank", self.cluster)
        self.line(f"scf.yield {', '.join(self.next_slot('%stage', '%phase'))} : i32, i32")
        self.close()
        self.line("scf.yield %r#0, %r#1 : i32, i32")
        self.close()
        self.close()

    # The consumers.

    def descriptor(self, start, rows, major):
        """Of an operand that starts at a 32-bit shared address; constant but for the address."""
        field = self.op("andi", self.op("shrui", start, 4), 0x3FFF)
        swizzle = {0: 0, 128: 1, 64: 2, 32: 3}[self.o.swizzle]
        if major == "k":
            stride, leading = 8 * self.row, (rows * 16 if not swizzle else 16)
        else:
            stride, leading = 8 * self.row, TILE_K * self.row
            if not swizzle:
                stride, leading = leading, stride
        high = swizzle << 62 | (stride >> 4) << 32 | (leading >> 4) << 16
        high -= 1 << 64 if high >> 63 else 0
        wide = self.value(f"arith.extui {field} : i32 to i64")
        base = self.value(f"arith.constant {high} : i64")
        return self.value(f"arith.ori {wide}, {base} : i64")

    def k_step(self, rows, major, step):
        """Bytes from the start of a tile to the operand of k16 step `step`."""
        if major == "mn":
            return 16 * step * self.row
        return 16 * step // self.inner * rows * self.row + 16 * step % self.inner * 2

    def multiply(self, a, b, accumulator):
        o = self.o
        register = "f16" if o.type == "f16" else "bf16"
        layout_a = "row" if o.a_major == "k" else "col"
        layout_b = "col" if o.b_major == "k" else "row"
        return self.value(
            f"nvvm.wgmma.mma_async {a}, {b}, {accumulator}, #nvvm.shape<m = 64, n = {o.tile_n}, k = 16>, "
            f"D [<f32>, <one>], A [<{register}>, <one>, <{layout_a}>], B [<{register}>, <one>, <{layout_b}>]\n"
            f"        : {self.struct} -> {self.struct}")

    def shifted(self, descriptor, amount):
        if amount == 0:
            return descriptor
        delta = self.value(f"arith.constant {amount >> 4} : i64")
        return self.value(f"arith.addi {descriptor}, {delta} : i64")

    def release(self, stage):
        """Lane 0 of each warp, or lane r for workgroup r of a cluster, gives a slot back."""
        empty = self.slot(self.empty, stage, 8)
        if self.cluster == 1:
            self.open("scf.if %is_lane0")
            self.value(f"nvvm.mbarrier.arrive {empty} : !llvm.ptr<3> -> i64")
            self.close()
            return
        arrives = self.value(f"arith.cmpi ult, %lane, {self.i32(2)} : i32")
        self.open(f"scf.if {arrives}")
        target = "%c1" if self.fault("rank-arrival") else "%lane"
        remote = self.value(f"nvvm.mapa {empty}, {target} : !llvm.ptr<3> -> !llvm.ptr<7>")
        self.line(f"nvvm.mbarrier.arrive {remote} {{scope = #nvvm.mem_scope<cluster>, relaxed = true}} : !llvm.ptr<7>")
        self.close()

    def main_loop(self):
        o = self.o
        self.line(f"%zero = llvm.mlir.zero : {self.struct}")
        self.line("%m:4 = scf.for %block = %c0 to %blocks step %c1 iter_args(%stage = %s0, %phase = %p0, "
                  f"%previous = %c0, %acc = %zero) -> (i32, i32, i32, {self.struct}) : i32 {{")
        self.depth += 1
        full = self.slot(self.full, "%stage", 8)
        parity = self.op("xori", "%phase", 1) if self.fault("wrong-consumer-parity") else "%phase"
        wait = f"nvvm.mbarrier.try_wait.parity {full}, {parity}, %ticks : !llvm.ptr<3>, i32, i32"
        skipped = {"no-first-full-wait": "ne", "half-waits": "eq"}.get(o.fault)
        if skipped:
            half = self.op("andi", self.op("divui", "%tid", 32), 1)
            which = half if self.fault("half-waits") else "%block"
            waits = self.value(f"arith.cmpi {skipped}, {which}, %c0 : i32")
            self.open(f"scf.if {waits}")
            self.line(wait)
            self.close()
        elif not self.fault("no-full-wait"):
            self.line(wait)
        bases = []
        for start, size, rows, major, part in (
                (0, self.a_bytes, TILE_M, o.a_major, "%own"), (self.b_ring, self.b_bytes, o.tile_n, o.b_major, None)):
            address = self.op("addi", self.op("addi", "%base", start), self.op("muli", "%stage", size))
            if part:
                own = 64 * self.row if major == "k" else 64 // self.inner * TILE_K * self.row
                address = self.op("addi", address, self.op("muli", part, own))
            if part and self.fault("divergent-descriptor"):
                address = self.op("addi", address, self.op("muli", self.op("shrui", "%lane", 4), 128))
            bases.append(self.descriptor(address, rows, major))
        accumulator = "%acc"
        if not self.fault("no-wgmma-fence"):
            self.line("nvvm.wgmma.fence.aligned")
        for step in range(TILE_K // 16):
            extra = 1 << 18 if self.fault("descriptor-overflow") else 0
            a = self.shifted(bases[0], self.k_step(TILE_M, o.a_major, step) + extra)
            b = self.shifted(bases[1], self.k_step(o.tile_n, o.b_major, step))
            accumulator = self.multiply(a, b, accumulator)
        if not self.fault("no-commit"):
            self.line("nvvm.wgmma.commit.group.sync.aligned")
        before = self.fault("release-before-wait")
        if not before and not self.fault("no-loop-wgmma-wait"):
            self.line("nvvm.wgmma.wait.group.sync.aligned 1")
        later = self.value("arith.cmpi ne, %block, %c0 : i32")
        self.open(f"scf.if {later}")
        self.release("%previous")
        self.close()
        if before:
            self.line("nvvm.wgmma.wait.group.sync.aligned 1")
        following = self.next_slot("%stage", "%phase")
        self.line(f"scf.yield {', '.join(following)}, %stage, {accumulator} : i32, i32, i32, {self.struct}")
        self.close()
        self.line(f"nvvm.wgmma.wait.group.sync.aligned {int(self.fault('final-wgmma-wait-1'))}")
        self.release("%m#2")

    def group_barrier(self):
        """All threads of the own warpgroup."""
        self.line("nvvm.barrier id = %named number_of_threads = %c128")

    def epilogue(self):
        o = self.o
        if not self.fault("no-store-wait"):
            self.open("scf.if %is_leader")
            self.line("nvvm.cp.async.bulk.wait_group 0 {read}")
            self.close()
        if not self.fault("no-barrier-before-stmatrix"):
            self.group_barrier()
        low = self.op("andi", "%lane", 7)
        row = self.op("addi", low, self.op("andi", "%lane", 8))
        row = self.op("addi", row, self.op("muli", "%warp", 16))
        for panel in range(self.panels):
            for quarter in range(4):
                words = []
                for pair in range(4):
                    first = panel * 32 + quarter * 8 + pair * 2
                    both = [self.value(f"llvm.extractvalue %m#3[{first + i}] : {self.struct}") for i in range(2)]
                    vector = self.value(f"vector.from_elements {', '.join(both)} : vector<2xf32>")
                    short = self.value(f"arith.truncf {vector} : vector<2xf32> to vector<2x{o.type}>")
                    words.append(self.value(f"llvm.bitcast {short} : vector<2x{o.type}> to i32"))
                chunk = self.op("xori", self.op("addi", self.op("shrui", "%lane", 4), 2 * quarter), low)
                offset = self.op("addi", self.op("muli", row, 128), self.op("muli", chunk, 16))
                offset = self.op("addi", offset, panel * STAGING_PANEL)
                if self.fault("stmatrix-misaligned"):
                    offset = self.op("addi", offset, 8)
                if self.fault("stmatrix-out-of-range"):
                    offset = self.op("addi", offset, self.shared)
                self.line(f"nvvm.stmatrix {self.at(offset, '%panels')}, {', '.join(words)} "
                          "{layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
                          "eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32")
        if not self.fault("no-store-fence"):
            self.line("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}")
        if not self.fault("no-barrier-before-store"):
            self.group_barrier()
        self.open("scf.if %is_leader")
        own_row = self.op("addi", self.row0, self.op("muli", "%own", 64))
        for panel in range(self.panels):
            column = self.op("addi", self.column0, 64 * panel)
            self.line(f"nvvm.cp.async.bulk.tensor.global.shared.cta %d, {self.at(panel * STAGING_PANEL, '%panels')}, "
                      f"box[{column}, {own_row}] : !llvm.ptr, !llvm.ptr<3>")
        self.line("nvvm.cp.async.bulk.commit.group")
        self.close()

    def consumer(self):
        self.line("%own = arith.subi %group, %c1 : i32")
        self.line("%base = llvm.ptrtoint %smem : !llvm.ptr<3> to i32")
        self.line("%c128 = arith.constant 128 : i32")
        self.line(f"%lane = arith.remui %tid, {self.i32(32)} : i32")
        self.line("%in_group = arith.remui %tid, %c128 : i32")
        self.line(f"%warp = arith.divui %in_group, {self.i32(32)} : i32")
        self.line("%is_lane0 = arith.cmpi eq, %lane, %c0 : i32")
        self.line("%is_leader = arith.cmpi eq, %in_group, %c0 : i32")
        self.line(f"%named = arith.addi %own, {self.i32(3)} : i32")
        panels = self.op("muli", "%own", self.panels * STAGING_PANEL)
        self.line(f"%panels = llvm.getelementptr %smem[{self.op('addi', panels, self.staging)}] "
                  ": (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8")
        self.line("%q:2 = scf.for %tile = %start to %tiles step %step "
                  "iter_args(%s0 = %c0, %p0 = %c0) -> (i32, i32) : i32 {")
        self.depth += 1
        self.row0, self.column0 = self.tile_position("%tile")
        self.main_loop()
        self.epilogue()
        self.line("scf.yield %m#0, %m#1 : i32, i32")
        self.close()
        if not self.fault("no-final-store-wait"):
            self.open("scf.if %is_leader")
            self.line("nvvm.cp.async.bulk.wait_group 0")
            self.close()

    def module(self):
        self.struct = f"!llvm.struct<({', '.join(['f32'] * (self.o.tile_n // 2))})>"
        self.positions()
        self.init()
        self.line("%is_producer = arith.cmpi eq, %group, %c0 : i32")
        self.open("scf.if %is_producer")
        self.line("nvvm.setmaxregister decrease 40")
        self.producer()
        self.close(" else {")
        self.depth += 1
        self.line("nvvm.setmaxregister increase 232")
        self.consumer()
        self.close()
        # Nobody leaves while a peer may still write here or arrive here.
        if self.cluster == 2 and not self.fault("early-exit"):
            self.meet()
        self.line("llvm.return")
        parameter = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"
        cluster = ", nvvm.cluster_dim = array<i32: 2, 1, 1>" if self.cluster == 2 else ""
        body = "\n".join(self.lines)
        return f"""gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86", O = 3>] {{
  llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
  llvm.func @gemm(%a: {parameter},
                  %b: {parameter},
                  %d: {parameter})
      attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}>, nvvm.minctasm = 1 : i32{cluster}}} {{
{body}
  }}
}}"""

    # How to run it.

    def operand_map(self, fill, rows, tile_rows, major, swizzle):
        o = self.o
        extents, box = ([o.k, rows], [self.inner, tile_rows]) if major == "k" else \
                       ([rows, o.k], [self.inner, TILE_K])
        return (f"--arg=tiled:{o.type}:{fill}:extents={extents[0]},{extents[1]}:"
                f"box={box[0]},{box[1]}:swizzle={swizzle}")

    def arguments(self):
        o = self.o
        if o.conv:
            n, h, w, c = o.conv[:4]
            a = (f"--arg=im2col:{o.type}:random:extents={c},{w},{h},{n}:lower=-1,-1:upper=-1,-1:"
                 f"steps=1,{o.stride},{o.stride},1:channels={TILE_K}:pixels={TILE_M}:swizzle={o.swizzle}")
        else:
            a = self.operand_map("random", o.m, TILE_M, o.a_major, o.swizzle)
        b = self.operand_map("random7", o.n, o.tile_n // self.cluster, o.b_major, o.swizzle)
        d = f"--arg=tiled:{o.type}:nan:extents={o.n},{o.rows}:box=64,64:swizzle=128"
        check = f"--forward={','.join(map(str, o.conv))},3,3,1,{o.stride}" if o.conv else \
                f"--gemm={o.m},{o.n},{o.k}"
        if o.a_major == "mn":
            check += " --a-mn"
        if o.b_major == "mn":
            check += " --b-mn"
        cluster = " --cluster=2" if self.cluster == 2 else ""
        return f"--kernel=gemm --block={THREADS}{cluster} --smem={self.shared} {a} {b} {d} {check}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("m", 256), ("n", 128), ("k", 256), ("tile-n", 64), ("stages", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--type", choices=("f16", "bf16"), default="f16")
    parser.add_argument("--a-major", choices=("k", "mn"), default="k")
    parser.add_argument("--b-major", choices=("k", "mn"), default="k")
    parser.add_argument("--swizzle", type=int, choices=(0, 32, 64, 128), default=128)
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--conv", help="N,H,W,C,K of a 3x3 convolution padded by one")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--arguments", action="store_true")
    options = parser.parse_args()
    if options.conv:
        options.conv = n, h, w, c, k = [int(x) for x in options.conv.split(",")]
        options.out_h, options.out_w = ((x - 1) // options.stride + 1 for x in (h, w))
        options.m, options.n, options.k = n * options.out_h * options.out_w, k, 9 * c
    options.rows = options.m
    options.m = (options.m + TILE_M - 1) // TILE_M * TILE_M
    return options


if __name__ == "__main__":
    kernel = Kernel(parse())
    text = kernel.module()
    print(kernel.arguments() if kernel.o.arguments else text)
