#!/usr/bin/env python3
"""Prints a golden kernel at the nvvm level: D = A * transpose(B).

A is MxK, B is NxK (f16 or bf16, row-major), D is MxN (f32). One workgroup of
four warps computes a tile of D: a ring of stages filled by cp.async, an XOR
swizzle, ldmatrix, mma.sync m16n8k16.

--fault=NAME plants one mistake; each is one changed line of the kernel.
"""

import argparse

FAULTS = (
    "no-wait", "wait-one-too-many", "no-barrier", "wrong-slot", "no-commit",
    "source-out-of-bounds", "source-misaligned", "row-misaligned",
    "shared-out-of-bounds", "store-past-end", "uninitialised", "copy-before-barrier",
)

MATRIX = "!llvm.struct<(i32, i32, i32, i32)>"
ACCUMULATOR = "!llvm.struct<(f32, f32, f32, f32)>"
LDMATRIX = ("num = 4 : i32, layout = #nvvm.mma_layout<row>, "
            "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
            "eltType = #nvvm.ld_st_matrix_elt_type<b16>")
CHUNK = 16  # bytes of a cp.async and of a row of an 8x8 matrix
THREADS = 128


class Emitter:
    """Collects lines; values are named %0, %1, ... Integers become constants."""

    def __init__(self):
        self.lines, self.count = [], 0

    def line(self, text):
        self.lines.append("    " + text)

    def value(self, text):
        name = f"%v{self.count}"
        self.count += 1
        self.line(f"{name} = {text}")
        return name

    def i32(self, x):
        return self.value(f"llvm.mlir.constant({x} : i32) : i32") if isinstance(x, int) else x

    def op(self, name, a, b):
        return self.value(f"llvm.{name} {self.i32(a)}, {self.i32(b)} : i32")

    def add(self, a, *others):
        for b in others:
            a = a if b == 0 else self.op("add", a, b)
        return a

    def mul(self, a, b):
        return self.op("mul", a, b)

    def shared(self, base, offset):
        return self.value(f"llvm.getelementptr {base}[{self.i32(offset)}] "
                          ": (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8")

    def globally(self, base, offset):
        wide = self.value(f"llvm.zext {offset} : i32 to i64")
        return self.value(f"llvm.getelementptr {base}[{wide}] "
                          ": (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8")


class Gemm:
    def __init__(self, options):
        self.o, self.e = options, Emitter()
        self.a_bytes = options.tile_m * options.tile_k * 2
        self.b_bytes = options.tile_n * options.tile_k * 2
        self.stage_bytes = self.a_bytes + self.b_bytes
        self.warp_m, self.warp_n = options.tile_m // 2, options.tile_n // 2
        self.blocks_k = options.k // options.tile_k

    def fault(self, name):
        return self.o.fault == name

    def swizzled(self, row, chunk):
        """Byte offset of a chunk of a row; eight rows touch all banks."""
        e, chunks = self.e, self.o.tile_k * 2 // CHUNK
        key = e.op("and", e.op("lshr", row, 1), chunks - 1)
        return e.add(e.mul(row, self.o.tile_k * 2), e.mul(e.op("xor", chunk, key), CHUNK))

    def positions(self):
        e = self.e
        self.smem = e.value("llvm.mlir.addressof @smem : !llvm.ptr<3>")
        self.tid = e.value("nvvm.read.ptx.sreg.tid.x : i32")
        self.m0 = e.mul(e.value("nvvm.read.ptx.sreg.ctaid.x : i32"), self.o.tile_m)
        self.n0 = e.mul(e.value("nvvm.read.ptx.sreg.ctaid.y : i32"), self.o.tile_n)
        self.lane, self.warp = e.op("and", self.tid, 31), e.op("lshr", self.tid, 5)
        self.wm = e.mul(e.op("and", self.warp, 1), self.warp_m)
        self.wn = e.mul(e.op("lshr", self.warp, 1), self.warp_n)

    def copy_operand(self, stage, block, source, rows, origin, offset):
        e, chunks = self.e, self.o.tile_k * 2 // CHUNK
        for i in range(rows * chunks // THREADS):
            index = e.add(self.tid, i * THREADS)
            row, chunk = e.op("udiv", index, chunks), e.op("urem", index, chunks)
            to = e.shared(stage, e.add(self.swizzled(row, chunk), offset))
            at = e.add(e.mul(e.add(origin, row), self.o.k * 2),
                       e.mul(block, self.o.tile_k * 2), e.mul(chunk, CHUNK))
            if self.fault("source-out-of-bounds") and source == "%B":
                at = e.add(at, 64)
            if self.fault("source-misaligned") and source == "%B":
                at = e.op("xor", at, 8)
            e.line(f"nvvm.cp.async.shared.global {to}, {e.globally(source, at)}, {CHUNK}, "
                   "cache = cg : !llvm.ptr<3>, !llvm.ptr<1>")

    def copy_stage(self, stage, block):
        self.copy_operand(stage, block, "%A", self.o.tile_m, self.m0, 0)
        if not self.fault("uninitialised"):
            self.copy_operand(stage, block, "%B", self.o.tile_n, self.n0, self.a_bytes)

    def commit(self):
        if not self.fault("no-commit"):
            self.e.line("nvvm.cp.async.commit.group")

    def slot(self, block):
        e = self.e
        return e.shared(self.smem, e.mul(e.op("urem", block, self.o.stages), self.stage_bytes))

    def load_matrix(self, stage, row, chunk, offset):
        """Four 8x8 matrices as four operand registers."""
        e, is_f16 = self.e, self.o.type == "f16"
        at = e.add(self.swizzled(row, chunk), offset)
        if self.fault("row-misaligned"):
            at = e.add(at, 8)
        if self.fault("shared-out-of-bounds"):
            at = e.add(at, self.o.stages * self.stage_bytes)
        loaded = e.value(f"nvvm.ldmatrix {e.shared(stage, at)} {{{LDMATRIX}}} "
                         f": (!llvm.ptr<3>) -> {MATRIX}")
        registers = [e.value(f"llvm.extractvalue {loaded}[{i}] : {MATRIX}") for i in range(4)]
        if is_f16:
            registers = [e.value(f"llvm.bitcast {r} : i32 to vector<2xf16>") for r in registers]
        return registers

    def multiply(self, a, b, c):
        e = self.e
        register = "vector<2xf16>" if self.o.type == "f16" else "i32"
        types = ("multiplicandAPtxType = #nvvm.mma_type<%s>, multiplicandBPtxType = "
                 "#nvvm.mma_type<%s>, " % (self.o.type, self.o.type))
        product = e.value(
            f"nvvm.mma.sync A[{', '.join(a)}] B[{', '.join(b)}] C[{', '.join(c)}] "
            f"{{{types}layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
            f"shape = #nvvm.shape<m = 16, n = 8, k = 16>}} "
            f": ({register}, {register}, f32) -> {ACCUMULATOR}")
        return [e.value(f"llvm.extractvalue {product}[{i}] : {ACCUMULATOR}") for i in range(4)]

    def compute(self, stage, accumulators):
        e, lane = self.e, self.lane
        for step in range(self.o.tile_k // 16):
            a, b = [], []
            for m in range(0, self.warp_m, 16):
                row = e.add(self.wm, e.op("and", lane, 15), m)
                a.append(self.load_matrix(stage, row, e.add(e.op("lshr", lane, 4), step * 2), 0))
            for n in range(0, self.warp_n, 16):
                row = e.add(self.wn, e.op("and", lane, 7), e.mul(e.op("lshr", lane, 4), 8), n)
                chunk = e.add(e.op("and", e.op("lshr", lane, 3), 1), step * 2)
                r = self.load_matrix(stage, row, chunk, self.a_bytes)
                b += [r[0:2], r[2:4]]
            accumulators = [self.multiply(a[i // len(b)], b[i % len(b)], c)
                            for i, c in enumerate(accumulators)]
        return accumulators

    def prologue(self):
        for stage in range(self.o.stages - 1):
            self.copy_stage(self.e.shared(self.smem, stage * self.stage_bytes), self.e.i32(stage))
            self.commit()

    def loop(self):
        e, stages = self.e, self.o.stages
        count = self.warp_m // 16 * (self.warp_n // 8)
        names = [f"%acc{i}" for i in range(4 * count)]
        types = ", ".join(["i32"] + ["f32"] * len(names))
        zero, first = e.value("llvm.mlir.constant(0.0 : f32) : f32"), e.i32(0)
        e.line(f"llvm.br ^loop({', '.join([first] + [zero] * len(names))} : {types})")
        e.lines.append(f"  ^loop({', '.join(['%block: i32'] + [n + ': f32' for n in names])}):")
        if not self.fault("no-wait"):
            pending = stages - 1 if self.fault("wait-one-too-many") else stages - 2
            e.line(f"nvvm.cp.async.wait.group {pending}")
        if not self.fault("no-barrier") and not self.fault("copy-before-barrier"):
            e.line("nvvm.barrier")
        ahead = e.add("%block", stages - 1)
        more = e.value(f'llvm.icmp "ult" {ahead}, {e.i32(self.blocks_k)} : i32')
        e.line(f"llvm.cond_br {more}, ^fetch, ^compute")
        e.lines.append("  ^fetch:")
        self.copy_stage(self.slot("%block" if self.fault("wrong-slot") else ahead), ahead)
        e.line("llvm.br ^compute")
        e.lines.append("  ^compute:")
        self.commit()
        if self.fault("copy-before-barrier"):
            e.line("nvvm.barrier")
        grouped = [names[i:i + 4] for i in range(0, len(names), 4)]
        grouped = self.compute(self.slot("%block"), grouped)
        following = e.add("%block", 1)
        again = e.value(f'llvm.icmp "ult" {following}, {e.i32(self.blocks_k)} : i32')
        flat = [name for group in grouped for name in group]
        e.line(f"llvm.cond_br {again}, ^loop({', '.join([following] + flat)} : {types}), ^store")
        return grouped

    def store(self, accumulators):
        e, lane = self.e, self.lane
        e.lines.append("  ^store:")
        e.line("nvvm.cp.async.wait.group 0")
        across = self.warp_n // 8
        for i, group in enumerate(accumulators):
            for half in range(2):
                row = e.add(self.m0, self.wm, e.op("lshr", lane, 2), i // across * 16 + 8 * half)
                column = e.add(self.n0, self.wn, e.mul(e.op("and", lane, 3), 2), i % across * 8)
                at = e.mul(e.add(e.mul(row, self.o.n), column), 4)
                if self.fault("store-past-end"):
                    at = e.add(at, 8)
                pair = e.value("llvm.mlir.undef : vector<2xf32>")
                for k in range(2):
                    pair = e.value(f"llvm.insertelement {group[2 * half + k]}, "
                                   f"{pair}[{e.i32(k)} : i32] : vector<2xf32>")
                e.line(f"llvm.store {pair}, {e.globally('%D', at)} "
                       "{alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>")
        e.line("llvm.return")

    def module(self):
        self.positions()
        self.prologue()
        self.store(self.loop())
        body = "\n".join(self.e.lines)
        return f"""gpu.module @kernels [#nvvm.target<chip = "sm_80", O = 3>] {{
  llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<0 x i8>
  llvm.func @gemm(%A: !llvm.ptr<1>, %B: !llvm.ptr<1>, %D: !llvm.ptr<1>) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}>}} {{
{body}
  }}
}}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("m", 64), ("n", 64), ("k", 128), ("tile-m", 32), ("tile-n", 32),
                          ("tile-k", 32), ("stages", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--type", choices=("f16", "bf16"), default="f16")
    parser.add_argument("--fault", choices=FAULTS)
    print(Gemm(parser.parse_args()).module())


if __name__ == "__main__":
    main()
