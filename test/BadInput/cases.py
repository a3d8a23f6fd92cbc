"""The table of bad_input.py: command lines and words of their messages."""

import os

import fixtures

RUN = ["--problem=" + fixtures.PROBLEM, "--device=emulator"]
MODULE = ["--device=emulator", "--target=sm_80"]


def problem(text):
    return ["--problem=" + text, "--device=emulator"]


PROBLEMS = [
    (["--problem=", "--device=emulator"], ["--problem", "value"]),
    (problem("forward"), ["--problem", "c"]),
    (problem("sideways c=8 h=4 w=4 k=8 r=1 s=1"), ["sideways", "forward"]),
    (problem("forward c=8 h=4 w=4 r=1 s=1"), ["k"]),
    (problem("forward c=8 h=4 w=4 k=8 s=1"), ["r"]),
    (problem("forward c=8 w=4 k=8 r=1 s=1"), ["h"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 c=9"), ["c"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 colour=3"), ["colour"]),
    (problem("forward c=eight h=4 w=4 k=8 r=1 s=1"), ["eight"]),
    (problem("forward c=8x h=4 w=4 k=8 r=1 s=1"), ["8x"]),
    (problem("forward c= h=4 w=4 k=8 r=1 s=1"), ["c"]),
    (problem("forward c h=4 w=4 k=8 r=1 s=1"), ["c"]),
    (problem("forward c=99999999999999999999 h=4 w=4 k=8 r=1 s=1"), ["c"]),
    (problem("forward c=0 h=4 w=4 k=8 r=1 s=1"), ["conv-c3"]),
    (problem("forward n=-1 c=8 h=4 w=4 k=8 r=1 s=1"), ["conv-c2"]),
    (problem("forward c=8 h=4 w=4 k=9 r=1 s=1 groups=2"), ["conv-c6"]),
    (problem("forward c=9 h=4 w=4 k=8 r=1 s=1 groups=2"), ["conv-c5"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 groups=0"), ["conv-c4"]),
    (problem("forward c=8 h=4 w=4 k=8 r=5 s=1"), ["conv-c12"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 pad=-2"), ["conv-c11"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 stride=0"), ["conv-c7"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 dilation=0"), ["conv-c8"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 stride=1x2x3"), ["stride"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 pad=1:2:3"), ["pad"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 type=int4"), ["int4"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 out-type=f64"), ["f64"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 layout=chwn"), ["chwn"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 epilogue=gelu"), ["gelu"]),
    (problem("dgrad c=8 h=4 w=4 k=8 r=1 s=1 epilogue=relu"), ["epilogue"]),
    (problem("forward n=999 c=99999 h=9999 w=9999 k=8 r=1 s=1"), ["GiB", "memory"]),
    (problem("forward n=2147483647 c=2147483647 h=2147483647 w=4 k=8 r=1 s=1"), ["conv-c13"]),
]

UNSUPPORTED = [
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 type=e4m3") + ["--target=sm_80"],
     ["e4m3", "sm_89", "not on sm_80"]),
    (problem("dgrad c=8 h=4 w=4 k=8 r=1 s=1 type=e5m2") + ["--target=sm_86", "--emit=plan", "-o", "out.plan"],
     ["e5m2", "sm_89", "not on sm_86"]),
    (RUN + ["--target=sm_100a"], ["sm_100a", "not supported yet"]),
    (RUN + ["--target=sm_100a"], ["sm_100a", "not supported yet"]),
    (RUN + ["--target=sm_120a"], ["sm_120a", "not supported yet"]),
    (RUN + ["--algorithm=loops"], ["loops", "not supported yet"]),
    (RUN + ["--algorithm=im2col", "--schedule=algorithm=implicit_gemm"], ["algorithm", "twice"]),
]

OPTIONS = [
    ([], ["--problem", "--help"]),
    (["--device=emulator"], ["expected FILE"]),
    (RUN + ["--frobnicate"], ["--frobnicate"]),
    (RUN + ["--verfy=full"], ["--verfy"]),
    (RUN + ["-x"], ["-x"]),
    (RUN + ["good.mlir"], ["one of FILE"]),
    (["good.mlir", "good.plan"], ["one file"]),
    (["problem.txt"], ["problem.txt"]),
    (RUN + ["--device=emulator"], ["twice"]),
    (RUN + ["--verify=some"], ["--verify", "some"]),
    (RUN + ["--verify="], ["--verify"]),
    (RUN + ["--verify=sample:0"], ["sample", "0"]),
    (RUN + ["--verify=sample:many"], ["many"]),
    (RUN + ["--benchmark=0"], ["--benchmark", "0"]),
    (RUN + ["--benchmark=1e3"], ["1e3"]),
    (["--fuzz=-1"], ["--fuzz", "-1"]),
    (["--fuzz=2", "--seed=x"], ["--seed", "x"]),
    (["--fuzz", "--problem=" + fixtures.PROBLEM], ["one of FILE"]),
    (["--fuzz", "--verify"], ["--fuzz"]),
    (RUN + ["--emit=fatbin", "-o", "out"], ["fatbin"]),
    (RUN + ["--emit=mlir:f5", "-o", "out"], ["f5"]),
    (RUN + ["--emit=ptx:f1", "-o", "out"], ["ptx:f1"]),
    (RUN + ["--emit=ptx"], ["-o PATH"]),
    (RUN + ["-o", "out"], ["--emit"]),
    (RUN + ["--emit=ptx", "-o"], ["-o"]),
    (RUN + ["--emit=ptx", "-o", "out", "--verify"], ["--emit"]),
    (RUN + ["--emit=ptx", "-o", "absent/out"], ["absent"]),
    (RUN + ["--emit=ptx", "-o", "folder.npy"], ["folder"]),
    (RUN + ["--target=sm_70"], ["sm_70", "sm_80"]),
    (RUN + ["--target="], ["--target"]),
    (RUN + ["--algorithm=winograd"], ["winograd"]),
    (["--problem=" + fixtures.PROBLEM, "--device=toaster"], ["toaster", "emulator"]),
    (["--problem=" + fixtures.PROBLEM, "--device=cuda:first"], ["cuda:first"]),
    (["--problem=" + fixtures.PROBLEM, "--device=emulator:1"], ["emulator:1"]),
    (RUN + ["--json=yes"], ["--json"]),
    (RUN + ["--entry=main"], ["--entry"]),
    (RUN + ["--cuda-path=toolkit"], ["toolkit", "ptxas"]),
    (["some.plan", "--schedule=stages=2"], ["plan", "--schedule"]),
    (["some.plan", "--emit=ptx", "-o", "out"], ["plan", "--emit"]),
]

SCHEDULES = [
    (RUN + ["--schedule=colour=red"], ["colour"]),
    (RUN + ["--schedule=tile"], ["tile"]),
    (RUN + ["--schedule=tile=128x64"], ["tile", "three"]),
    (RUN + ["--schedule=tile=128x64x0"], ["tile"]),
    (RUN + ["--schedule=tile=axbxc"], ["axbxc"]),
    (RUN + ["--schedule=stages=2 stages=3"], ["twice"]),
    (RUN + ["--schedule=stages=1"], ["stages"]),
    (RUN + ["--schedule=stages=99"], ["stages"]),
    (RUN + ["--schedule=tile=256x256x64 warps=4x4 stages=8"], ["shared memory"]),
    (RUN + ["--schedule=tile=1024x1024x32 warps=2x2"], ["accumulators"]),
    (RUN + ["--schedule=tile=48x64x32 warps=2x2"], ["gemm-m"]),
    (RUN + ["--schedule=tile=64x24x32 warps=2x2"], ["gemm-n"]),
    (RUN + ["--schedule=tile=64x64x24 warps=2x2"], ["gemm-k"]),
    (RUN + ["--schedule=tile=1024x1024x32 warps=8x8"], ["threads"]),
    (RUN + ["--target=sm_90", "--schedule=mma=wgmma"], ["TMA and wgmma are on sm_90a"]),
    (RUN + ["--schedule=copy=tma mma=mma_sync"], ["mma=wgmma goes with copy=tma"]),
    (RUN + ["--schedule=mma=fma"], ["mma=fma is for f32", "bf16"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 type=f32") + ["--schedule=mma=mma_sync"],
     ["multiplies no f32", "mma=fma"]),
    (problem("forward c=8 h=4 w=4 k=8 r=1 s=1 type=s8") + ["--schedule=mma=wgmma"], ["s8 has no wgmma kernel yet"]),
    (RUN + ["--schedule=copy=dma"], ["dma"]),
    (RUN + ["--schedule=merge=0"], ["merge=0", "positive"]),
    (RUN + ["--schedule=merge=2"], ["merge (2) must divide the 1 groups"]),
    (RUN + ["--schedule=algorithm=loops"], ["loops"]),
    (problem("dgrad c=64 h=8 w=8 k=64 r=2 s=2 stride=2")
     + ["--target=sm_80", "--schedule=algorithm=im2col split-k=2"], ["stride phases", "split-k"]),
]

TUNING = [
    (RUN + ["--tune=0"], ["--tune", "0"]),
    (RUN + ["--tune=many"], ["--tune", "many"]),
    (RUN + ["--tune"], ["--tune", "emulator"]),
    (RUN + ["--tune", "--verify"], ["--tune", "verifies the winner"]),
    (RUN + ["--tune", "--schedule=stages=2"], ["--tune", "schedules"]),
    (RUN + ["--tune", "--no-tuning"], ["--no-tuning"]),
    (RUN + ["--no-tuning", "--tuning-file=good.json"], ["--no-tuning", "--tuning-file"]),
    (RUN + ["--tuning-file="], ["--tuning-file"]),
    (["some.plan", "--tune"], ["plan", "--tune"]),
    (["some.plan", "--tuning-file=good.json"], ["plan", "--tuning-file"]),
    (["--fuzz=1", "--tuning-file=good.json"], ["--fuzz"]),
    (["--device=emulator", "noconv.mlir", "--tune"], ["no convolution"]),
    (RUN + ["--tuning-file=absent.json"], ["absent.json"]),
    (RUN + ["--tuning-file=folder.npy"], ["folder.npy"]),
    (RUN + ["--tuning-file=empty.json"], ["empty.json", "not JSON"]),
    (RUN + ["--tuning-file=list.json"], ["list.json", "an object"]),
    (RUN + ["--tuning-file=plan.json"], ["plan.json", "conv-mlir-tuning"]),
    (RUN + ["--tuning-file=version.json"], ["version.json", "version: expected an integer"]),
    (RUN + ["--tuning-file=records.json"], ["records.json", "records: expected an array"]),
    (RUN + ["--tuning-file=record.json"], ["record.json", "records[0]", "target"]),
    (RUN + ["--tune", "--tuning-file=empty.json"], ["empty.json"]),
    (RUN + ["--tune", "--tuning-file=newer.json"], ["newer.json", "version 1, got 2"]),
]

TENSORS = [
    (RUN + ["--input=absent.npy"], ["absent.npy"]),
    (RUN + ["--input=good.txt"], ["good.txt"]),
    (RUN + ["--input=empty.npy"], ["empty.npy"]),
    (RUN + ["--input=magic.npy"], ["magic.npy"]),
    (RUN + ["--input=version.npy"], ["version.npy"]),
    (RUN + ["--input=header.npy"], ["header.npy"]),
    (RUN + ["--input=nodict.npy"], ["nodict.npy"]),
    (RUN + ["--input=nokey.npy"], ["nokey.npy"]),
    (RUN + ["--input=short.npy"], ["short.npy"]),
    (RUN + ["--input=long.npy"], ["long.npy"]),
    (RUN + ["--input=shape.npy"], ["1x4x5x8", "1x5x4x8"]),
    (RUN + ["--input=rank.npy"], ["4x5x8"]),
    (RUN + ["--input=huge.npy"], ["huge.npy"]),
    (RUN + ["--input=negative.npy"], ["negative.npy"]),
    (RUN + ["--input=complex.npy"], ["complex.npy"]),
    (RUN + ["--input=text.npy"], ["text.npy"]),
    (RUN + ["--input=folder.npy"], ["folder.npy"]),
    (RUN + ["--input=notzip.npz:x"], ["notzip.npz"]),
    (RUN + ["--input=empty.npz:x"], ["empty.npz"]),
    (RUN + ["--input=empty.npz:"], ["key"]),
    (RUN + ["--input=random:now"], ["now"]),
    (RUN + ["--input=integers:-1"], ["-1"]),
    (RUN + ["--input=ones"] * 1 + ["--input=good.npy"], ["w", "8x3x3x8"]),
    (RUN + ["--input=ones"] * 4, ["--input", "at most 3"]),
    (RUN + ["--output=a.npy"] * 2, ["--output", "at most 1"]),
    (RUN + ["--output=a.txt"], ["a.txt"]),
    (RUN + ["--output=absent/a.npy"], ["absent"]),
    (RUN + ["--output=folder.npy"], ["folder"]),
]

MODULES = [
    (MODULE + ["absent.mlir"], ["absent.mlir"]),
    (MODULE + ["folder.mlir"], ["folder.mlir"]),
    (MODULE + ["empty.mlir"], ["public function"]),
    (MODULE + ["syntax.mlir"], ["syntax.mlir:4:"]),
    (MODULE + ["unknown.mlir"], ["unknown.mlir:3:", "conv.backward"]),
    (MODULE + ["garbage.mlir"], ["garbage.mlir:1:"]),
    (MODULE + ["private.mlir"], ["public function"]),
    (MODULE + ["two.mlir"], ["--entry", "@main", "@other"]),
    (MODULE + ["two.mlir", "--entry=third"], ["@third", "@main"]),
    (MODULE + ["declared.mlir"], ["public function"]),
    (MODULE + ["extent.mlir"], ["extent.mlir:3:", "conv-c16"]),
    (MODULE + ["groups.mlir"], ["groups.mlir:3:", "conv-c5"]),
    (MODULE + ["window.mlir"], ["window.mlir:3:", "conv-c12"]),
    (MODULE + ["dynamic.mlir"], ["argument0", "static shape"]),
    (MODULE + ["scalar.mlir"], ["argument0", "tensor"]),
    (MODULE + ["bool.mlir"], ["argument0", "i1"]),
    (MODULE + ["noop.mlir"], ["noop.mlir:2:", "argument"]),
    (MODULE + ["softmax.mlir"], ["softmax.mlir:5:", "linalg.softmax", "no kernel"]),
    (MODULE + ["total.mlir"], ["total.mlir:6:", "no kernel", "1 to 10 dimensions"]),
    (MODULE + ["e5m2.mlir"], ["e5m2.mlir:3:", "e5m2", "sm_89"]),
    (MODULE + ["narrow.mlir"], ["8-bit floats", "sm_89", "not on sm_80"]),
    (MODULE + ["layout.mlir"], ["layout.mlir:4:", "nhwc or nchw", "hwcn"]),
    (MODULE + ["split.mlir"], ["split.mlir:3:", "split-k is 9", "8 blocks of 16"]),
    (MODULE + ["schedule.mlir"], ["schedule.mlir:3:", "cannot run"]),
    (MODULE + ["branch.mlir"], ["branch.mlir", "one block"]),
    (MODULE + ["twice.mlir"], ["twice.mlir:3:", "result 1"]),
    (MODULE + ["nothing.mlir"], ["nothing.mlir:1:", "result"]),
    (MODULE + ["name.mlir"], ["name.mlir:1:", "main one"]),
    (MODULE + ["call.mlir"], ["call.mlir"]),
]

PLANS = [
    (["--device=emulator", "absent.plan"], ["absent.plan"]),
    (["--device=emulator", "empty.plan"], ["empty.plan"]),
    (["--device=emulator", "magic.plan"], ["magic.plan"]),
    (["--device=emulator", "version.plan"], ["version.plan", "version"]),
    (["--device=emulator", "flipped.plan"], ["flipped.plan"]),
    (["--device=emulator", "trailing.plan"], ["trailing.plan"]),
    (["--device=emulator", "text.plan"], ["text.plan"]),
    (["--device=emulator", "good.plan", "--input=shape.npy"], ["1x5x4x8"]),
    (["--device=emulator", "good.plan"] + ["--output=a.npy"] * 2, ["at most 1"]),
]


def in_group(group, folder):
    """The cases of a group; plans are cut at every 64th byte."""
    table = {
        "problems": PROBLEMS,
        "unsupported": UNSUPPORTED,
        "options": OPTIONS,
        "schedules": SCHEDULES,
        "tensors": TENSORS,
        "tuning": TUNING,
        "modules": MODULES,
        "plans": PLANS,
    }[group]
    if group != "plans":
        return table
    cuts = fixtures.truncations(folder, "small.plan", 64)
    size = os.path.getsize(os.path.join(folder, "good.plan"))
    cuts += fixtures.truncations(folder, "good.plan", size // 24 // 64 * 64)
    return table + [(["--device=emulator", name], [name]) for name in cuts]
