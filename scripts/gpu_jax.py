#!/usr/bin/env python3
"""conv_mlir.jax on a GPU: whether it is right, and what it gains.

Input: a bundle or a checkout with a build, and JAX 0.10 with CUDA. Output, on standard
output: a line for each part. Status 1 where something was wrong, 2 where there is no GPU.

    scripts/gpu_jax.py [--parts samples,recorded,step] [--count 100] [--batch 64]

samples   random convolutions, all orders of dimensions, forward and both gradients, in
          f32, tf32, f16 and bf16: to the bit what JAX computes on the CPU
recorded  two layers and their gradients in a process whose XLA records every call in a
          command buffer (a CUDA graph), five runs with other inputs: as on the CPU
step      gradients of a stage of ResNet-50 in bf16, JAX's convolutions and ours in turns
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in ("python", "python/tests")]

import jax  # noqa: E402
import numpy  # noqa: E402
from conv_mlir.jax import conv_general_dilated  # noqa: E402
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax_cases import integers, padded_apart, random_case, results  # noqa: E402

PARTS = ("samples", "recorded", "step")
KINDS = {
    "f32": ("float32", lax.Precision.HIGHEST),
    "tf32": ("float32", None),
    "f16": ("float16", None),
    "bf16": ("bfloat16", None),
}
RECORDS = "--xla_gpu_enable_command_buffer=+CUSTOM_CALL --xla_gpu_graph_min_graph_size=1"
NHWC = ("NHWC", "HWIO", "NHWC")
TURNS, STEPS = 9, 20


def on_cpu(program, *operands):
    """What JAX makes of a program on the CPU."""
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.jit(program)(*operands)


def wrong_results(found, expected):
    """The places of arrays that differ."""
    pairs = zip(found, expected, strict=True)
    return [
        place
        for place, (a, b) in enumerate(pairs)
        if not numpy.array_equal(numpy.asarray(a), numpy.asarray(b).astype(a.dtype))
    ]


def check_samples(options):
    count = wrong = 0
    for number in range(options.count):
        *shapes, arguments = random_case(number)
        x, w = (integers(seed, *shape) for seed, shape in enumerate(shapes))
        expected = on_cpu(lambda x, w: results(padded_apart, x, w, arguments), x, w)
        for kind, (dtype, precision) in KINDS.items():
            more = dict(arguments, precision=precision)
            program = jax.jit(lambda x, w: results(conv_general_dilated, x, w, more))
            places = wrong_results(program(x.astype(dtype), w.astype(dtype)), expected)
            count += 1
            wrong += bool(places)
            if places:
                print(f"wrong: results {places} of {kind} {shapes} {arguments}", flush=True)
    print(f"samples: {count - wrong} of {count} right")
    return wrong == 0


def two_layers(convolve):
    def loss(w1, w2, x):
        y = jax.nn.relu(convolve(x, w1, (2, 1), "SAME", dimension_numbers=NHWC))
        return convolve(y, w2, (1, 1), "SAME", dimension_numbers=NHWC).sum()

    return jax.value_and_grad(loss, (0, 1, 2))


def check_recorded(options):
    """In this process, or one whose XLA records."""
    if RECORDS not in os.environ.get("XLA_FLAGS", ""):
        flags = f"{os.environ.get('XLA_FLAGS', '')} {RECORDS}".strip()
        command = [sys.executable, __file__, "--parts", "recorded"]
        more = {"XLA_FLAGS": flags, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        return not subprocess.run(command, env={**os.environ, **more}).returncode
    ours, right = jax.jit(two_layers(conv_general_dilated)), True
    for run in range(5):
        shapes = (3, 2, 8, 16), (3, 3, 16, 64), (2, 9, 8, 8)
        operands = [integers(10 * run + i, *shape) for i, shape in enumerate(shapes)]
        expected = jax.tree.leaves(on_cpu(two_layers(lax.conv_general_dilated), *operands))
        right &= not wrong_results(jax.tree.leaves(ours(*operands)), expected)
    print(f"recorded: {'right' if right else 'WRONG'}")
    return right


def stage(convolve):
    """The gradients of four bottlenecks."""

    def loss(parameters, x):
        for weights in parameters:
            y = x
            for w in weights:
                y = jax.nn.relu(convolve(y, w, (1, 1), "SAME", dimension_numbers=NHWC))
            x = x + y / 8
        return (x.astype(jnp.float32) ** 2).mean()

    return jax.jit(jax.grad(loss))


def time_step(options):
    shapes = (1, 1, 256, 64), (3, 3, 64, 64), (1, 1, 64, 256)
    keys = iter(jax.random.split(jax.random.key(0), 20))
    parameters = [[jax.random.normal(next(keys), s, jnp.bfloat16) / 16 for s in shapes] for _ in range(4)]
    x = jax.random.normal(next(keys), (options.batch, 56, 56, 256), jnp.bfloat16)
    steps = dict(theirs=stage(lax.conv_general_dilated), ours=stage(conv_general_dilated))
    times = {name: [] for name in steps}
    for step in steps.values():
        jax.block_until_ready(step(parameters, x))
    for turn in range(TURNS):
        for name in sorted(steps, reverse=bool(turn % 2)):
            begin = time.perf_counter()
            made = [steps[name](parameters, x) for _ in range(STEPS)]
            jax.block_until_ready(made)
            times[name].append((time.perf_counter() - begin) / STEPS * 1e3)
    theirs, ours = (statistics.median(times[name]) for name in ("theirs", "ours"))
    print(f"step: JAX {theirs:.2f} ms, ours {ours:.2f} ms, ratio {theirs / ours:.2f}")
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--count", type=int, default=100, help="samples")
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    if jax.default_backend() != "gpu":
        print(f"gpu_jax.py: error: expected JAX with a GPU, got {jax.default_backend()}", file=sys.stderr)
        return 2
    print(jax.devices()[0].device_kind, "JAX", jax.__version__, flush=True)
    parts = dict(samples=check_samples, recorded=check_recorded, step=time_step)
    return 0 if all([parts[name](options) for name in options.parts.split(",")]) else 1


if __name__ == "__main__":
    sys.exit(main())
