#!/usr/bin/env python3
"""Problems of real sizes, drawn at random: whether what is chosen for them compiles.

    scripts/compile_problems.py CONV_RUN [--count=500] [--seed=1] [--jobs=N]

The fuzzer of conv-run runs what it compiles, so its problems are small. Large tiles,
full shared memory and many stages are chosen for large problems only. Here nothing runs:
each problem is lowered to threads (form F7) without records of measurements, which takes
some 50 ms. So a schedule that is chosen, and refused later, is found.

Problems have 1 to 3 dimensions, batches to 256, all operations, element types, result
types, epilogues, groups, both layouts, and any target. A case depends on the seed and its
number alone. Printed: what was refused, with the message, and a count. Status 1: there was
such a problem; 2: bad usage.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import subprocess
import sys

TARGETS = ["sm_90a"] * 4 + ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
FLOAT8 = ("e4m3", "e5m2")
HAVE_FLOAT8 = ("sm_89", "sm_90", "sm_90a", "sm_100", "sm_120")
RESULTS = {
    "f16": ["f16", "f32"],
    "bf16": ["bf16", "f32"],
    "tf32": ["f32", "f16", "bf16"],
    "f32": ["f32", "f16", "bf16"],
    "f64": ["f64"],
    "s8": ["s32", "s8", "f32"],
    "e4m3": ["f32", "f16", "bf16", "e4m3", "e5m2"],
    "e5m2": ["f32", "f16", "bf16", "e4m3", "e5m2"],
}
CHANNELS = [1, 3, 8, 16, 24, 40, 48, 64, 64, 96, 112, 128, 160, 192, 256, 320, 384, 512, 1024, 2048]
# By the number of dimensions: names of extents and of taps, and how large the extents are.
DIMENSIONS = {
    1: ("w", "s", [50, 100, 1500, 3000]),
    2: ("hw", "rs", [7, 8, 13, 14, 17, 22, 28, 32, 33, 40, 56, 64, 112, 224]),
    3: ("dhw", "trs", [7, 8, 14, 16, 28]),
}


def draw_channels(draw):
    """Channels, filters and groups; groups divide both, and are often all of them."""
    c, k = draw.choice(CHANNELS), draw.choice(CHANNELS)
    groups = draw.choice([1] * 6 + [2, 4, 8, 32, c])
    if groups == c:
        return c, c * draw.choice([1, 1, 2]), c
    return max(c // groups, 1) * groups, max(k // groups, 1) * groups, groups


def draw_epilogue(draw, op, type):
    """Of f64 kernels have neither exponentials nor what is made of them."""
    exact = type == "f64"
    if op == "wgrad":
        return draw.choice([[]] * 4 + [["dbias"]])
    if op == "dgrad":
        return draw.choice([[]] * 3 + [["drelu"], ["drelu" if exact else "dgelu"]])
    parts = [part for part in ("scale", "bias", "residual") if draw.random() < 0.35]
    functions = ["relu", "clip:0:6"] + ([] if exact else ["gelu", "silu", "tanh"])
    return parts + ([draw.choice(functions)] if draw.random() < 0.4 else [])


def draw_filter(draw, extents):
    """One extent for all dimensions, mostly; the padded input is never smaller."""
    taps = draw.choice([1, 1, 2, 3, 3, 3, 3, 4, 5, 7])
    padding = taps // 2 if draw.random() < 0.75 else 0
    dilation = 2 if draw.random() < 0.1 and (taps - 1) * 2 < min(extents) else 1
    return [min(taps, extent) for extent in extents], padding, dilation


def draw_problem(draw):
    """A target and the text of a problem."""
    target = draw.choice(TARGETS)
    types = [type for type in RESULTS if type not in FLOAT8 or target in HAVE_FLOAT8]
    op, type = draw.choice(["forward", "dgrad", "wgrad"]), draw.choice(types + ["f16", "bf16"])
    names, tap_names, sizes = DIMENSIONS[draw.choice([1, 2, 2, 2, 3])]
    size = draw.choice(sizes)
    extents = [size if draw.random() < 0.8 else draw.choice(sizes) for _ in names]
    taps, padding, dilation = draw_filter(draw, extents)
    c, k, groups = draw_channels(draw)
    words = [op, f"n={draw.choice([1, 1, 2, 4, 8, 16, 32, 64, 128, 256])}", f"c={c}", f"k={k}"]
    words += [f"{name}={extent}" for name, extent in zip(names, extents)]
    words += [f"{name}={count}" for name, count in zip(tap_names, taps)]
    words += [f"stride={draw.choice([1, 1, 1, 2, 2, 3, 4])}", f"pad={padding}"]
    words += [f"dilation={dilation}", f"groups={groups}"]
    words += [f"type={type}", f"out-type={draw.choice(RESULTS[type])}"]
    if draw.random() < 0.2:
        words.append("layout=nchw")
    if epilogue := draw_epilogue(draw, op, type):
        words.append("epilogue=" + ",".join(epilogue))
    return target, " ".join(words)


def compile_problem(tool, target, problem):
    """What the tool says of a problem that it refuses; nothing of others."""
    command = [tool, "--problem=" + problem, "--target=" + target, "--no-tuning"]
    done = subprocess.run([*command, "--emit=mlir:f7", "-o", "-"], capture_output=True, text=True)
    if done.returncode == 0 and "gpu.func" in done.stdout:
        return None
    return done.stderr.strip() or f"status {done.returncode}, and no kernel"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", metavar="CONV_RUN")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.count < 1 or options.jobs < 1:
        parser.error("--count and --jobs: expected numbers from 1 on")
    cases = [draw_problem(random.Random(f"{options.seed}/{i}")) for i in range(options.count)]
    refused = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda case: compile_problem(options.tool, *case), cases)
        for (target, problem), message in zip(cases, answers):
            if message:
                refused[target] += 1
                print(f'--problem="{problem}" --target={target}\n  {message}', flush=True)
    print(f"{options.count - refused.total()} of {options.count} problems compile")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
