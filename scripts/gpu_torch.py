#!/usr/bin/env python3
"""conv_mlir.torch on a GPU: whether it is right, and what it gains.

Input: a bundle or a checkout with a build, PyTorch 2.9 or newer with CUDA, and
torchvision for the step. Output, on standard output: a line for each part, and the
reports. Status 1 where a sample was wrong, or a training.

    scripts/gpu_torch.py [--parts samples,compiled,graph,host,step,first,policies]
                         [--batch 256] [--model resnet50] [--backend aot_eager]

samples   every sample that PyTorch has of convolutions, forward and all gradients, in
          f64, f32, tf32, f16 and bf16, contiguous and channels last, against f64
compiled  the same through torch.compile(fullgraph=True) with --backend, f32 and bf16
graph     a step of two layers as a CUDA graph: replays against eager
host      microseconds on the host: F.conv2d, stock and enabled; Plan.launch; an
          operator of ours in its modes
step      whole training steps, bf16, channels last, eager, and losses: a part of
          benchmarks/models.py, with what report() has
first     the first 20 of these steps, each time in a process of its own: stock with
          cudnn.benchmark, enable() with an empty cache, and with what it has left
policies  measure and tune on layers that the model may choose badly for: results
          against PyTorch's, and that a second process measures nothing
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in ("python", "python/tests", "benchmarks")]

import conv_mlir.torch  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import _brief  # noqa: E402
from networks import table  # noqa: E402
from networks.contest import contest  # noqa: E402
from networks.losses import compare_losses  # noqa: E402
from networks.options import SETTINGS  # noqa: E402
from networks.steps import Steps, time_us  # noqa: E402
from networks.subjects import Subject  # noqa: E402
from torch_cases import DTYPES, TF32_TOLERANCE, caller, check  # noqa: E402
from torch_cases import convolution_ops, error_of  # noqa: E402

FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
PARTS = ("samples", "compiled", "graph", "host", "step", "first", "policies")
# What processes of the parts `first` and `policies` run.
FIRST, LAYERS = "first-steps", "layers"
# Of the part `step`.
POLICIES = ("auto", "measure", "always")
FIRST_STEPS = 20


# Samples.


def in_channels_last(tensors):
    return [
        tensor.contiguous(memory_format=FORMATS[tensor.dim()])
        if tensor.dim() in FORMATS
        else tensor
        for tensor in tensors
    ]


def variants():
    """Types with PyTorch's tf32 flag and the tolerance: f32 is there twice."""
    for dtype in DTYPES:
        yield str(dtype)[6:], dtype, False, None
    yield "tf32", torch.float32, True, TF32_TOLERANCE


def check_samples(variants, backend=None):
    """Prints a line for each wrong sample and the counts; true where none is."""
    count = wrong = 0
    for label, dtype, tf32, tolerance in variants:
        torch.backends.cudnn.allow_tf32 = tf32
        for name, op in convolution_ops().items():
            for sample in op.sample_inputs("cuda", dtype):
                call, tensors = caller(op.op, sample)
                for layout in (tensors, in_channels_last(tensors)):
                    reason = fault(call, layout, tolerance, backend)
                    count += 1
                    wrong += reason is not None
                    if reason:
                        print(f"wrong: {name} {label} {described(layout, sample)}: {reason}")
    print(f"samples, {backend or 'eager'}: {count - wrong} right, {wrong} wrong", flush=True)
    return wrong == 0


def fault(call, tensors, tolerance, backend):
    try:
        check(call, tensors, tolerance, backend)
    except Exception as error:  # Whatever it is, the next sample follows.
        return f"{type(error).__name__}: {str(error)[:300]}"
    return None


def described(tensors, sample):
    options = {k: v for k, v in sample.kwargs.items() if not torch.is_tensor(v)}
    shapes = [(list(tensor.shape), tensor.stride()) for tensor in tensors]
    return f"{shapes} {options}"


# Graphs.


def check_graph():
    """A captured step against the same step eager, both with our kernels."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(64, 128, 3, padding=1), torch.nn.Conv2d(128, 64, 1)
    )
    model = model.cuda().bfloat16().to(memory_format=torch.channels_last)
    x = torch.randn(8, 64, 28, 28, device="cuda", dtype=torch.bfloat16)
    x = x.contiguous(memory_format=torch.channels_last)

    def step():
        model.zero_grad(set_to_none=False)
        model(x).float().square().mean().backward()
        return [parameter.grad for parameter in model.parameters()]

    with conv_mlir.torch.enabled("always", "sync"):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                expected = [gradient.clone() for gradient in step()]
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for parameter in model.parameters():
            parameter.grad.fill_(float("nan"))
        graph.replay()
        rows = list(conv_mlir.torch.report())
    same = all(map(torch.equal, (p.grad for p in model.parameters()), expected))
    ours = sum(row.ours for row in rows)
    calls = sum(row.calls for row in rows)
    print(f"graph: {'equal' if same else 'NOT equal'}, {ours} of {calls} calls ours")
    return same and ours == calls


# The host.


def host_us(call, count=2000):
    """Median microseconds until a call returns, of five rounds."""
    rounds = []
    for _ in range(6):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        rounds.append((time.perf_counter() - start) / count * 1e6)
        torch.cuda.synchronize()
    return statistics.median(rounds[1:])


def measure_host():
    torch.backends.cudnn.benchmark = True
    options = dict(device="cuda", dtype=torch.bfloat16)
    x = torch.randn(8, 64, 56, 56, **options)
    x = x.contiguous(memory_format=torch.channels_last)
    w = torch.randn(64, 64, 1, 1, **options).contiguous(memory_format=torch.channels_last)
    needs = w.clone().requires_grad_()
    dy = F.conv2d(x, w)

    def backward():
        y = F.conv2d(x, needs)
        torch.autograd.grad(y, needs, dy)

    calls = {
        "forward": lambda: F.conv2d(x, w),
        "with autograd": lambda: F.conv2d(x, needs),
        "forward and backward": backward,
    }
    for name, call in calls.items():
        stock = host_us(call)
        with conv_mlir.torch.enabled("always", "sync"):
            call()
            ours = host_us(call)
        print(f"host: {name}: stock {stock:.1f} us, enabled {ours:.1f} us")
    measure_launch()
    measure_operators()


# So many that the driver's queue has room for all: no call waits for a kernel.
QUEUED = 500


def measure_launch():
    plan = conv_mlir.compile("forward n=1 c=64 h=8 w=8 k=64 r=1 s=1 type=bf16")
    memory = [torch.zeros(o.bytes, dtype=torch.uint8, device="cuda") for o in plan.operands]
    pointers = [tensor.data_ptr() for tensor in memory]
    stream = torch.cuda.current_stream().cuda_stream
    us = host_us(lambda: plan.launch(pointers, stream), QUEUED)
    print(f"host: Plan.launch: {us:.1f} us")


def measure_operators():
    """Ours with gradients, those without, and the function, in each mode."""
    options = dict(device="cuda", dtype=torch.bfloat16)
    modes = {
        "inference mode": (torch.inference_mode, False),
        "no gradients": (torch.no_grad, False),
        "with autograd": (torch.enable_grad, True),
    }
    places = ([1, 1], [0, 0], [1, 1], 1, None)
    for mode, (context, needs) in modes.items():
        with context(), conv_mlir.torch.enabled("always", "sync"):
            x, w = torch.randn(1, 64, 8, 8, **options), torch.randn(64, 64, 1, 1, **options)
            x, w = (t.contiguous(memory_format=torch.channels_last) for t in (x, w))
            bias, dy = torch.randn(64, device="cuda"), torch.randn_like(x)
            w.requires_grad_(needs)
            shapes = [*x.shape], [*w.shape]
            arguments = {
                "conv": (x, w, bias, None, None, "relu", *places),
                "conv_dgrad": (dy, w, None, None, shapes[0], "none", *places),
                "conv_wgrad": (x, dy, None, shapes[1], False, *places),
            }
            report_operators(mode, needs, arguments)
            us = host_us(lambda: conv_mlir.torch.conv(x, w, bias, activation="relu"), QUEUED)
            print(f"host: conv_mlir.torch.conv(), {mode}: {us:.1f} us")


def report_operators(mode, needs, arguments):
    for name, given in arguments.items():
        calls = {"conv_mlir": (getattr(torch.ops.conv_mlir, name).default, given)}
        if not needs:
            brief = _brief.operators()[name], _brief.shorten(name, given)
            calls["conv_mlir_kernels"] = brief
        for space, (operator, given) in calls.items():
            operator(*given)
            us = host_us(lambda: operator(*given), QUEUED)
            print(f"host: {space}::{name}, {mode}: {us:.1f} us")


# Steps.


def measure_step(name, batch):
    """As benchmarks/models.py does, in this process, with the reports."""
    torch.backends.cudnn.benchmark = True
    subject = Subject(name, "training", batch, False, "channels-last")
    steps = Steps(subject)
    rows, reports = contest(steps, False, POLICIES, SETTINGS)
    print(table.head())
    for row in rows:
        print(table.line(row))
    for policy in POLICIES:
        print(f"step: {policy}:\n{reports[policy]}")
    about = {"subject": subject.document(), "policy": "auto"}
    found = {**about, **compare_losses(steps, "auto")}
    print(table.losses_line(found))
    return found["same_bits"] and found["agrees"]


# First steps.


def run_first_steps(name, batch, policy):
    """In this process: prints what enable() and each step took, in milliseconds."""
    torch.backends.cudnn.benchmark = True
    steps = Steps(Subject(name, "training", batch, False, "channels-last"))
    start = time.perf_counter()
    if policy:
        conv_mlir.torch.enable(policy)
    enable_ms = (time.perf_counter() - start) * 1e3
    times = [
        time_us(lambda: steps.step(bool(policy)), 1, "cuda") / 1e3
        for _ in range(FIRST_STEPS)
    ]
    rows = list(conv_mlir.torch.report())
    ours, calls = sum(row.ours for row in rows), sum(row.calls for row in rows)
    print(json.dumps(dict(enable=enable_ms, steps=times, ours=ours, calls=calls)))


def measure_first(name, batch):
    with tempfile.TemporaryDirectory() as folder:
        for label, policy in (
            ("stock", ""),
            ("auto, empty cache", "auto"),
            ("auto, warm cache", "auto"),
            ("measure, warm plans", "measure"),
            ("measure, warm cache", "measure"),
        ):
            found = in_own_process(FIRST, policy, folder, name, batch)
            steps = found["steps"]
            print(
                f"first: {label}: {FIRST_STEPS} steps {sum(steps):.0f} ms, the first "
                f"{steps[0]:.0f}, the last {steps[-1]:.1f}; enable() {found['enable']:.0f}; "
                f"{found['ours']} of {found['calls']} calls ours",
                flush=True,
            )


def in_own_process(part, policy, folder, name="resnet50", batch=1):
    """What a process says that runs a part with a cache folder."""
    done = subprocess.run(
        [sys.executable, __file__, f"--parts={part}", f"--model={name}"]
        + [f"--batch={batch}", f"--policy={policy}"],
        env={**os.environ, "CONV_MLIR_CACHE_DIR": folder},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


# Policies.

# Images, filters and groups, stride: wgrad of few channels with many taps takes 1.7
# times as long with the model's choice as with mma.sync.
LAYER_SHAPES = (
    ((64, 32, 112, 112), (32, 32, 7, 7), 1, 1),
    ((128, 32, 112, 112), (32, 1, 3, 3), 32, 1),
    ((128, 96, 112, 112), (96, 1, 3, 3), 96, 2),
    ((128, 24, 56, 56), (144, 24, 1, 1), 1, 1),
    ((128, 1152, 1, 1), (48, 1152, 1, 1), 1, 1),
    ((256, 64, 56, 56), (64, 64, 3, 3), 1, 1),
)


def run_layers(policy):
    """In this process: prints the rows of all layers, the largest error against
    PyTorch's own results, and what the first calls took."""
    torch.backends.cudnn.benchmark = True
    expected = [layer_results(*shapes) for shapes in LAYER_SHAPES]
    with conv_mlir.torch.enabled(policy, "sync"):
        start = time.perf_counter()
        found = [layer_results(*shapes) for shapes in LAYER_SHAPES]
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
        rows = list(conv_mlir.torch.report())
    errors = [error_of(f, e) for pair in zip(found, expected) for f, e in zip(*pair)]
    names = ("problem", "ours_us", "theirs_us", "schedule", "reason")
    rows = [[getattr(row, name) for name in names] for row in rows]
    print(json.dumps(dict(error=max(errors), seconds=seconds, rows=rows)))


def layer_results(images, filters, groups, stride):
    """The result and the gradients of a layer, bf16, channels last."""
    torch.manual_seed(1)
    x, w = (
        torch.randn(shape, device="cuda", dtype=torch.bfloat16)
        .contiguous(memory_format=torch.channels_last)
        .requires_grad_()
        for shape in (images, filters)
    )
    y = F.conv2d(x, w, stride=stride, padding=filters[-1] // 2, groups=groups)
    return [y.detach(), *torch.autograd.grad(y, [x, w], torch.ones_like(y))]


def check_policies():
    """Two processes with one cache for each policy."""
    is_right = True
    for policy in ("measure", "tune"):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (in_own_process(LAYERS, policy, folder) for _ in range(2))
        for problem, ours, theirs, schedule, reason in first["rows"]:
            times = f"{theirs:8.1f} {ours:8.1f}" if ours else f"not timed: {reason}"
            print(f"policies: {policy}: PyTorch's, ours: {times}  {problem} | {schedule}")
        # Times that are measured again have other digits.
        is_same = times_of(first) == times_of(second)
        is_right = is_right and is_same and max(first["error"], second["error"]) < 0.02
        print(
            f"policies: {policy}: {first['seconds']:.1f} s, then {second['seconds']:.1f}; "
            f"error {first['error']:.4f}; {'remembered' if is_same else 'NOT remembered'}",
            flush=True,
        )
    return is_right


def times_of(report):
    return {row[0]: row[1:3] for row in report["rows"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--backend", default="aot_eager")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--policy", default="auto", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.parts == FIRST:
        run_first_steps(arguments.model, arguments.batch, arguments.policy)
        return 0
    if arguments.parts == LAYERS:
        run_layers(arguments.policy)
        return 0
    parts = arguments.parts.split(",")
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"--parts: no part {', '.join(sorted(unknown))}")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    right = True
    if "samples" in parts:
        right = check_samples(list(variants()))
    if "compiled" in parts:
        some = [v for v in variants() if v[0] in ("float32", "bfloat16")]
        right = check_samples(some, arguments.backend) and right
    if "graph" in parts:
        right = check_graph() and right
    if "host" in parts:
        measure_host()
    if "step" in parts:
        right = measure_step(arguments.model, arguments.batch) and right
    if "first" in parts:
        measure_first(arguments.model, arguments.batch)
    if "policies" in parts:
        right = check_policies() and right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
