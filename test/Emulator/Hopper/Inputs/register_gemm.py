"""Prints y = a * b^T of 64 rows with a in registers, a kernel in F7, or with
--arguments those of conv-emulate. b comes by TMA, panel by panel, and is
multiplied block by block."""

import argparse
import itertools

parser = argparse.ArgumentParser()
parser.add_argument("--type", default="bf16")
parser.add_argument("--n", type=int, default=64)
parser.add_argument("--rows", type=int, help="of the tile of b; n if not given")
parser.add_argument("--k", type=int, default=128, help="of a block")
parser.add_argument("--blocks", type=int, default=1)
parser.add_argument("--arguments", action="store_true")
options = parser.parse_args()
t, n, k, blocks = options.type, options.n, options.k, options.blocks
rows = options.rows or n

row_bytes = 2 * k
span = min(128, row_bytes & -row_bytes)
columns = span // 2
panels = k // columns
smem = blocks * rows * row_bytes

if options.arguments:
    print(f"--kernel=gemm --block=128 --smem={smem}")
    print(f"--arg={t}:{64 * blocks * k}:random")
    extents, box = f"{blocks * k},{n}", f"{columns},{rows}"
    print(f"--arg=tiled:{t}:random7:extents={extents}:box={box}:swizzle={span}")
    print(f"--arg=f32:{64 * n}:nan --gemm=64,{n},{blocks * k}")
    raise SystemExit

pair = f"vector<2x{t}>"
matrix = f"memref<64x{blocks * k}x{t}>"
tile = f"memref<{rows}x{k}x{t}, strided<[{k}, 1], offset: ?>, #smem>"
ring = f"memref<{blocks}x{rows}x{k}x{t}, #smem>"
flat = f"memref<{blocks * rows * k}x{t}, #smem>"
names = itertools.count()


def name():
    return f"%v{next(names)}"


def load_fragments(start, step):
    """Loads the registers of a for 16 positions; returns their names."""
    registers = []
    for i in range(4):
        inside, column, register = name(), name(), name()
        row = "%row8" if i % 2 else "%row"
        print(f"""
    {inside} = arith.constant {16 * step + 8 * (i // 2)} : index
    {column} = arith.addi {start}, {inside} : index
    {register} = vector.load %a[{row}, {column}] : {matrix}, {pair}""")
        registers.append(register)
    return ", ".join(registers)


def multiply(block, accumulator):
    """Adds the product of a block, with at most one instruction under way."""
    first, start, b = name(), name(), name()
    print(f"""
    {first} = arith.muli {block}, %k : index
    {start} = arith.addi {first}, %column : index
    {b} = memref.subview %ring[{block}, 0, 0] [1, {rows}, {k}] [1, 1, 1] : {ring} to {tile}""")
    registers = load_fragments(start, 0)
    for step in range(k // 16):
        result = name()
        print(f"""
    nvvm.wgmma.fence.aligned
    {result} = engine.register_mma [{registers}], {b} at {16 * step}, {accumulator} : {tile}, !acc
    nvvm.wgmma.commit.group.sync.aligned""")
        # The next registers, while the product runs.
        if step + 1 < k // 16:
            registers = load_fragments(start, step + 1)
        print("    nvvm.wgmma.wait.group.sync.aligned 1")
        accumulator = result
    return accumulator


print(f"""#smem = #gpu.address_space<workgroup>
!map = !nvgpu.tensormap.descriptor<tensor = memref<{rows}x{columns}x{t}, 3>, swizzle = swizzle_{span}b, l2promo = l2promo_128b, oob = zero, interleave = none>
!barriers = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 1>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x{n}xf32>>

gpu.module @kernels {{
  gpu.func @gemm(%a: {matrix}, %map: !map, %y: memref<64x{n}xf32>) kernel
      attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %k = arith.constant {k} : index
    %blocks = arith.constant {blocks} : index
    %bytes = arith.constant {smem} : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %warp = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %of_warp = arith.muli %warp, %c16 : index
    %of_lane = arith.divui %lane, %c4 : index
    %row = arith.addi %of_warp, %of_lane : index
    %row8 = arith.addi %row, %c8 : index
    %pair = arith.remui %lane, %c4 : index
    %column = arith.muli %pair, %c2 : index

    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %ring = memref.view %memory[%c0][] : memref<?xi8, #smem> to {ring}
    %flat = memref.collapse_shape %ring [[0, 1, 2]] : {ring} into {flat}
    %full = nvgpu.mbarrier.create -> !barriers
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {{
      nvgpu.mbarrier.init %full[%c0], %c1 : !barriers
      nvvm.fence.mbarrier.init
      nvgpu.mbarrier.arrive.expect_tx %full[%c0], %bytes : !barriers""")
for panel in range(blocks * panels):
    print(f"""
      %at{panel} = arith.constant {panel * rows * columns} : index
      %from{panel} = arith.constant {panel * columns} : index
      engine.tma_load %map[%from{panel}, %c0] to %flat[%at{panel}], %full[%c0] : !map, {flat}, !barriers""")
print("""
    }
    gpu.barrier
    nvgpu.mbarrier.try_wait.parity %full[%c0], %false, %ticks : !barriers
    %zero = engine.zero_accumulator : !acc""")
result = multiply("%c0", "%zero")
if blocks > 1:
    print(f"    %sum = scf.for %block = %c1 to %blocks step %c1 iter_args(%acc = {result}) -> (!acc) {{")
    print(f"    scf.yield {multiply('%block', '%acc')} : !acc")
    print("    }")
    result = "%sum"
print("    nvvm.wgmma.wait.group.sync.aligned 0")
print(f"    %f:{n // 8} = engine.read_accumulator {result} : !acc")
for i in range(n // 8):
    print(f"""
    %n{i} = arith.constant {8 * i} : index
    %y{i} = arith.addi %column, %n{i} : index
    %upper{i} = vector.extract %f#{i}[0] : vector<2xf32> from vector<2x2xf32>
    %lower{i} = vector.extract %f#{i}[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %upper{i}, %y[%row, %y{i}] : memref<64x{n}xf32>, vector<2xf32>
    vector.store %lower{i}, %y[%row8, %y{i}] : memref<64x{n}xf32>, vector<2xf32>""")
print("""
    gpu.return
  }
}""")
