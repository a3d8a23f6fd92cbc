#!/usr/bin/env python3
"""Which schedule is chosen, and which code is made, for a fixed list of problems.

    scripts/fingerprint.py                 writes test/fingerprint/problems.tsv anew
    scripts/fingerprint.py --check         prints the lines that would change; status 1 where there are some
    scripts/fingerprint.py --jobs=2 --list=FILE

A line of the list has five columns: target, problem, named schedule (or `-`), chosen
schedule, and a hash of the PTX and of the launches. Kernels are called main_0, main_1
there, whatever the plan calls them. The first three columns are the input. A commit
that moves or renames changes no line. A commit that changes a decision changes some, and
says which and why.

The hash depends on the version of LLVM, which the first line of the list names.
`--check` with another version compares the schedules alone.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from schedule_keys import read_forms

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "test" / "fingerprint" / "problems.tsv"
HEADER_AT = 28  # lib/Runtime/PlanFile.cpp: magic, version, two sizes.

# What has to occur among the chosen schedules beside each form of kernel: a name,
# the words that a schedule or a problem has, and those that neither has.
OTHERS = [
    ("tiles, mma.sync", "implicit_gemm mma_sync", "gather=true"),
    ("tiles, fma", "implicit_gemm fma", ""),
    ("tiles through registers", "copy=sync mma_sync", ""),
    ("tiles, wmma", "mma=wmma", ""),
    ("tiles, wgmma", "implicit_gemm wgmma", "window=true gather=true"),
    ("matrix in a workspace", "im2col", ""),
    ("depthwise loops", "algorithm=loops forward", ""),
    ("depthwise loops of dgrad", "algorithm=loops dgrad", ""),
    ("depthwise loops of wgrad", "algorithm=loops wgrad", ""),
    ("depthwise loops, channels first", "algorithm=loops gather=true", ""),
    ("window of forward", "forward window=true", "gather=true"),
    ("window of dgrad", "dgrad window=true", "gather=true"),
    ("window of wgrad", "wgrad window=true", "gather=true"),
    ("window, channels first", "forward window=true gather=true", ""),
    ("window of wgrad, channels first", "wgrad window=true gather=true", ""),
    ("K-major wgrad", "wgrad k-major=true", "window=true"),
    ("filters as rows", "warps=1x4 mma=wgmma", "wgrad"),
    ("filters as rows, two warpgroups", "warps=1x8 mma=wgmma", "wgrad"),
    ("gathered tiles", "gather=true wgmma", "window=true"),
    ("split sums", "split-k=2", ""),
    ("tails", "tail=2", "nothing"),
    ("even parts", "tail=even", ""),
    ("teams", "teams=2", ""),
    ("residents", "resident=2", ""),
    ("clusters", "cluster=2x1", ""),
    ("clusters along gemm-n", "cluster=1x2", ""),
    ("parts of a result that wait", "staging=64", ""),
    ("merged groups", "merge=2", ""),
    ("folded taps", "fold=2x2", ""),
    ("padded channels", "fold=1x1", ""),
]


def wanted_lines():
    """Each form of the table by its example, and what is listed above."""
    for form in read_forms():
        example = [word for word in form.example.split() if not word.startswith("tile=")]
        yield form.name, " ".join(example), ""
    yield from OTHERS


def words(text):
    """The words of a line, values of keys also alone: `mma=fma`, `fma`."""
    found = set(text.split())
    return found | {word.partition("=")[2] for word in found if "=" in word}


def missing_forms(rows):
    lines = [words(" ".join(row[:2] + row[3:4])) for row in rows]
    return [
        name
        for name, there, absent in wanted_lines()
        if not any(
            words(there) - {""} <= line and not set(absent.split()) & line
            for line in lines
        )
    ]


def without_names(ptx, *texts):
    """The texts with the kernels of the PTX by their numbers: a kernel that is
    called something else is the same code."""
    names = re.findall(r"^\.visible \.entry ([\w$]+)\(", ptx, re.MULTILINE)
    numbers = {name: f"main_{number}" for number, name in enumerate(names)}
    # A name may begin as another one does; parameters begin with the kernel's.
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w$])({'|'.join(longest_first)})(?=_param_|(?![\w$]))")
    return [
        pattern.sub(lambda match: numbers[match[0]], text) if names else text
        for text in texts
    ]


def read_ptx(plan):
    """A plan's container holds images in the order of its header."""
    data = plan.to_bytes()
    (size,) = struct.unpack_from("<Q", data, 12)
    header = json.loads(data[HEADER_AT : HEADER_AT + size])
    at = HEADER_AT + size
    ptx = ""
    for image in header["images"]:
        if image["kind"] == "ptx":
            ptx += data[at : at + image["bytes"]].decode()
        at += image["bytes"]
    return ptx


def hash_code(ptx, plan):
    """Of the PTX and of how kernels are launched."""
    digest = hashlib.sha256(ptx.encode())
    for launch in plan.launches:
        digest.update(repr((launch.grid, launch.block, launch.cluster)).encode())
        digest.update(repr((launch.dynamic_shared_bytes,)).encode())
    return digest.hexdigest()[:12]


def fingerprint(row):
    import conv_mlir

    target, problem, named = row[:3]
    try:
        plan = conv_mlir.compile(
            *(problem, target, None if named == "-" else named), ptxas="", device=""
        )
    except conv_mlir.Error as error:
        return [target, problem, named, "refused", str(error).replace("\n", " ")]
    ptx = read_ptx(plan)
    ptx, schedule = without_names(ptx, ptx, plan.schedule)
    return [target, problem, named, schedule, hash_code(ptx, plan)]


def read(path):
    lines = Path(path).read_text().splitlines()
    rows = [line.split("\t") for line in lines if line and line[0] != "#"]
    for number, row in enumerate(rows, 1):
        if len(row) < 3:
            sys.exit(f"error: {path}: row {number}: expected at least 3 columns")
    return lines[0] if lines and lines[0][0] == "#" else "", rows


def llvm_version():
    """Of the library, as the tool beside it says."""
    tool = Path(os.environ["CONV_MLIR_LIBRARY"]).parent.parent / "bin" / "conv-opt"
    run = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in run.stdout.splitlines()]
    return next((line for line in lines if "LLVM" in line), "an unknown LLVM")


def report(old, new, with_code):
    """Prints what changed; returns how many rows did."""
    count = 0
    columns = slice(3, 5 if with_code else 4)
    for before, after in zip(old, new):
        if before[columns] == after[columns]:
            continue
        count += 1
        print("\t".join(after[:3]))
        if before[3:4] != after[3:4]:
            print(f"  schedule {(before[3:4] or ['none'])[0]}\n        -> {after[3]}")
        else:
            print(f"  code {(before[4:5] or ['none'])[0]} -> {after[4]}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", default=LIST, type=Path)
    arguments = parser.parse_args()

    os.environ.setdefault(
        "CONV_MLIR_LIBRARY", str(ROOT / "build/release/lib/libconv-mlir.so")
    )
    os.environ.pop("CONV_MLIR_TUNING", None)
    os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
    sys.path.insert(0, str(ROOT / "python"))

    import conv_mlir

    conv_mlir.version()  # Here, and not once for each row, where there is no library.
    head, old = read(arguments.list)
    version = f"# {llvm_version()}"
    # Fresh processes: the compiler's library starts no thread before a fork.
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        new = pool.map(fingerprint, old, chunksize=8)
    missing = missing_forms(new)
    if missing and arguments.list == LIST:
        sys.exit("error: no problem of the list has: " + "; ".join(missing))
    if arguments.check:
        count = report(old, new, with_code=head == version)
        print(f"{count} of {len(new)} rows differ")
        return 1 if count else 0
    text = [version] + ["\t".join(row) for row in new]
    arguments.list.write_text("\n".join(text) + "\n")
    print(f"{report(old, new, True)} of {len(new)} rows differ from before")
    return 0


if __name__ == "__main__":
    sys.exit(main())
