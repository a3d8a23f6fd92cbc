#!/usr/bin/env python3
"""Operators of conv_mlir.torch and torch.compile(backend="conv_mlir") on a GPU.

Input: a bundle or a checkout with a build, PyTorch 2.10 or newer with CUDA and Triton,
and torchvision for the part `backend`. Output, on standard output: a line for each
part and for each fault. Status 1 where something was wrong.

    scripts/gpu_torch_ops.py [--parts ops,fp8,compiled,backend] [--processes 6]
                             [--batch 64] [--model resnet50]

ops       conv, conv_dgrad and conv_wgrad against float64: ranks, types, formats, steps;
          gradients; what PyTorch asks of operators (opcheck)
fp8       the three of them in e4m3 and e5m2, dy in either, against float64
compiled  every sample that PyTorch has of convolutions, forward and all gradients,
          through torch.compile(fullgraph=True) with Inductor and with our backend, f32
          and bf16, in several processes
backend   a network of torchvision, bf16, channels last, in inference and in training:
          eager, Inductor and our backend, each also with mode="reduce-overhead"
"""

import argparse
import concurrent.futures
import contextlib
import functools
import itertools
import multiprocessing
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in ("python", "python/tests")]

import conv_mlir.torch  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import conv, conv_dgrad, conv_wgrad  # noqa: E402
from torch_cases import UNBOUNDED, caller, check  # noqa: E402
from torch_cases import convolution_ops, error_of  # noqa: E402

FORMATS = {3: torch.contiguous_format, 4: torch.channels_last, 5: torch.channels_last_3d}
PARTS = ("ops", "fp8", "compiled", "backend")
ACTIVATIONS = {
    "none": lambda z: z,
    **UNBOUNDED,
    "clip:0:6": F.relu6,
}
# Largest errors (Frobenius) against f64.
LIMITS = {torch.float32: 5e-6, torch.float16: 2e-3, torch.bfloat16: 1.5e-2}
OF_BYTES = 2e-3  # Hopper keeps 14 bits of a sum of 8-bit floats.
BYTES = (torch.float8_e4m3fn, torch.float8_e5m2)


class Counter:
    """Right and wrong ones of a part."""

    def __init__(self, part):
        self._part, self.right, self.wrong = part, 0, 0

    def check(self, label, found, expected, limit):
        error = error_of(found, expected)
        if error <= limit:
            self.right += 1
        else:
            self.fail(label, f"error {error:.3g}, at most {limit:.3g}")

    def fail(self, label, reason):
        self.wrong += 1
        print(f"wrong: {self._part}: {label}: {reason}", flush=True)

    @contextlib.contextmanager
    def all_ours(self, label):
        """A block whose faults are counted, and each call that is not ours."""
        try:
            with conv_mlir.torch.enabled("always", "sync"):
                yield
                rows = list(conv_mlir.torch.report())
        except Exception as error:  # Whatever it is, the next case follows.
            self.fail(label, f"{type(error).__name__}: {str(error)[:300]}")
            return
        for row in rows:
            if row.ours < row.calls:
                self.fail(f"{label}: {row.problem}", row.reason)

    def end(self):
        print(f"{self._part}: {self.right} right, {self.wrong} wrong", flush=True)
        return self.wrong == 0


def random(shape, dtype=torch.float32, last=False):
    tensor = torch.randn(shape, device="cuda").to(dtype)
    return tensor.contiguous(memory_format=FORMATS[len(shape)]) if last else tensor


# Operators.


def check_ops():
    torch.manual_seed(1)
    counter = Counter("ops")
    for rank, dtype, last in itertools.product((1, 2, 3), LIMITS, (False, True)):
        for name in ACTIVATIONS:
            check_op(counter, rank, dtype, last, name)
    check_contracts(counter)
    return counter.end()


def check_op(counter, rank, dtype, last, name):
    """All steps, and the gradients of all operands."""
    label = f"{rank}-D {dtype} {'channels last' if last else 'contiguous'} {name}"
    filters, image = [3, 2, 3][:rank], [13, 10, 7][:rank]
    pads = ((1, 2), (0, 1), (1, 1))[:rank]
    options = dict(stride=[2, 1, 1][:rank], dilation=[1, 2, 1][:rank], groups=2)
    x, w = random((2, 32, *image), dtype, last), random((64, 16, *filters), dtype, last)
    w = w / w[0].numel() ** 0.5
    bias, scale = random((64,)), random((64,)).abs() + 0.5

    def plain(x, w, bias, scale):
        flat = [pad for pair in reversed(pads) for pad in pair]
        y = getattr(F, f"conv{rank}d")(F.pad(x, flat), w, **options)
        rows = [1, -1] + [1] * rank
        return ACTIVATIONS[name](y * scale.view(rows) + bias.view(rows))

    def ours(*tensors):
        return conv(*tensors, None, name, padding=pads, **options)

    tensors = (x, w, bias, scale)
    # Rounding takes some elements over a bound, where the derivative jumps.
    limit = LIMITS[dtype] * (10 if name.startswith("clip") else 1)
    expected = with_gradients(plain, [tensor.double() for tensor in tensors])
    with counter.all_ours(label):
        found = with_gradients(ours, tensors)
        for which, f, e in zip("y x w bias scale".split(), found, expected):
            counter.check(f"{label}: {which}", f, e, limit)


def with_gradients(call, tensors):
    leaves = [tensor.detach().requires_grad_() for tensor in tensors]
    y = call(*leaves)
    weights = torch.arange(y.numel(), device="cuda").view(y.shape) % 5 - 2
    return [y.detach(), *torch.autograd.grad(y, leaves, weights.to(y))]


def check_contracts(counter):
    """PyTorch's own checks of operators: schema, fakes, autograd, compilation."""
    places = ([2, 1], [0, 1, 1, 0], [1, 1], 1, None)
    x, w = random((2, 8, 6, 5)).requires_grad_(), random((16, 8, 3, 2)).requires_grad_()
    dy = torch.ones_like(torch.ops.conv_mlir.conv(x, w, None, None, None, "none", *places))
    dy = dy.detach().requires_grad_()
    bias = random((16,)).requires_grad_()
    cases = {
        "conv": (x, w, bias, None, None, "silu", *places),
        "conv_dgrad": (dy, w, None, None, list(x.shape), "none", *places),
        "conv_wgrad": (x, dy, None, list(w.shape), True, *places),
    }
    for name, arguments in cases.items():
        with counter.all_ours(f"opcheck of {name}"):
            torch.library.opcheck(getattr(torch.ops.conv_mlir, name).default, arguments)
            counter.right += 1


# 8-bit floats.


def check_fp8():
    torch.manual_seed(2)
    counter = Counter("fp8")
    outs = (torch.float32, torch.bfloat16, torch.float16)
    pairs = itertools.product(BYTES, BYTES)
    for types, last, out in itertools.product(pairs, (False, True), outs):
        for image, filter, groups in (((28, 20), (3, 3), 1), ((9, 14), (1, 1), 1), ((9, 7), (3, 2), 2)):
            shapes = (4, 64, *image), (128, 64 // groups, *filter)
            check_bytes(counter, types, last, out, *shapes, groups)
    return counter.end()


def check_bytes(counter, types, last, out, image, filter, groups):
    """x and w of one type, dy of its own."""
    dtype, of_dy = types
    label = f"{dtype}, dy {of_dy} to {out}, {image}, {filter}, {'last' if last else 'contiguous'}"
    options = dict(padding=filter[-1] // 2, groups=groups)
    x, w = random(image, dtype, last), random(filter, dtype, last)
    leaves = [tensor.double().requires_grad_() for tensor in (x, w)]
    y = F.conv2d(*leaves, **options)
    dy = random(y.shape, of_dy, last)
    dx, dw = torch.autograd.grad(y, leaves, dy.double())
    limit = max(OF_BYTES, {torch.float32: 0}.get(out, LIMITS.get(out, 0)))
    one, of_c, of_k = (torch.rand(n, device="cuda") * 0.01 + 0.01 for n in (1, 64, 128))
    bias = random((128,))
    options["out_dtype"] = out
    with counter.all_ours(label):
        for scale in (one, of_k):
            exact = F.relu(y * scale.view(1, -1, 1, 1) + bias.view(1, -1, 1, 1))
            found = conv(x, w, bias, scale, None, "relu", **options)
            counter.check(f"{label}: y", found, exact.detach(), limit)
        for scale in (one, of_c):
            found = conv_dgrad(dy, w, x.shape, scale=scale, **options)
            counter.check(f"{label}: dx", found, dx * scale.view(1, -1, 1, 1), limit)
        for scale in (one, of_k):
            found, db = conv_wgrad(x, dy, w.shape, scale, True, **options)
            counter.check(f"{label}: dw", found, dw * scale.view(-1, 1, 1, 1), limit)
            counter.check(f"{label}: db", db, dy.double().sum([0, 2, 3]), 1e-5)


# Samples of PyTorch's, compiled.


def check_compiled(processes):
    """Each process takes every n-th sample; a line for each fault, and the counts."""
    start = time.perf_counter()
    # Each process compiles by itself.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, context) as pool:
        jobs = [pool.submit(run_samples, i, processes) for i in range(processes)]
        parts = [job.result() for job in jobs]
    faults = [fault for _, found in parts for fault in found]
    for fault in faults:
        print(f"wrong: compiled: {fault}")
    count = sum(number for number, _ in parts)
    seconds = time.perf_counter() - start
    print(f"compiled: {count - len(faults)} right, {len(faults)} wrong; {seconds:.0f} s", flush=True)
    return not faults


def run_samples(first, step):
    """(number of samples, descriptions of faults); in a process of its own."""
    torch.backends.cudnn.allow_tf32 = False
    cases = list(compiled_cases())[first::step]
    faults = [fault for fault in map(fault_of, cases) if fault]
    return len(cases), faults


def compiled_cases():
    """Contiguous ones in f32, channels last in bf16, for both backends."""
    for dtype, last in ((torch.float32, False), (torch.bfloat16, True)):
        for name, op in convolution_ops().items():
            for sample in op.sample_inputs("cuda", dtype):
                for backend in ("inductor", "conv_mlir"):
                    yield name, op, sample, last, backend


def fault_of(case):
    name, op, sample, last, backend = case
    call, tensors = caller(op.op, sample)
    if last:
        tensors = [
            tensor.contiguous(memory_format=FORMATS[tensor.dim()])
            if tensor.dim() in (4, 5)
            else tensor
            for tensor in tensors
        ]
    try:
        check(call, tensors, None, backend)
    except Exception as error:  # Whatever it is, the next sample follows.
        shapes = [list(tensor.shape) for tensor in tensors]
        return f"{backend} {name} {shapes} {sample.kwargs}: {type(error).__name__}: {str(error)[:300]}"
    return None


# A network.


def check_backend(name, batch):
    is_right = [
        run_network(name, batch, is_training, mode)
        for is_training in (False, True)
        for mode in ("default", "reduce-overhead")
    ]
    return all(is_right)


def run_network(name, batch, is_training, mode):
    """Times and results of a step with Inductor, and with our backend, enabled and
    not. Results are compared with those of f32 on a scale that Inductor sets."""
    label = f"backend: {name}, batch {batch}, {'training' if is_training else 'inference'}, {mode}"
    step = functools.partial(network_step, name, batch, is_training)
    exact = step(None)[0]
    stock, stock_ms = step(("inductor", mode))
    limit = max(2 * apart(stock, exact), 1e-2)
    is_right = True
    for enabled in (False, True):
        block = contextlib.nullcontext()
        if enabled:
            block = conv_mlir.torch.enabled("auto", "sync")
        with block:
            found, ours_ms = step(("conv_mlir", mode))
            rows = list(conv_mlir.torch.report())
        error = apart(found, exact)
        fused = [row for row in rows if "epilogue" in row.problem and row.ours]
        print(
            f"{label}, enabled {enabled}: Inductor {stock_ms:.2f} ms, ours {ours_ms:.2f}, ratio "
            f"{stock_ms / ours_ms:.3f}; error {error:.4f}, at most {limit:.4f}; "
            f"{sum(row.ours for row in fused)} calls with an epilogue, {len(fused)} problems",
            flush=True,
        )
        for row in rows:
            if row.ours < row.calls:
                print(f"  PyTorch: {row.problem}: {row.reason}")
        is_right = is_right and error <= limit and bool(fused)
    return is_right


def apart(found, expected):
    return max(error_of(f, e) for f, e in zip(found, expected))


def network_step(name, batch, is_training, compiled):
    """([result, some gradients], median milliseconds of a step); in f32 and eager
    where `compiled`, (backend, mode), is None."""
    import torchvision

    torch._dynamo.reset()
    torch.manual_seed(3)
    dtype = torch.bfloat16 if compiled else torch.float32
    model = getattr(torchvision.models, name)().cuda().to(memory_format=torch.channels_last)
    model.train(is_training)
    if not is_training:
        model.to(dtype)
    x = random((batch, 3, 224, 224), torch.float32 if is_training else dtype, True)
    call = model
    if compiled:
        backend, mode = compiled
        call = torch.compile(model, backend=backend, mode=mode, fullgraph=True)
    run = functools.partial(train if is_training else infer, model, call, x, dtype)
    first = run()
    return first, median_ms(run) if compiled else 0.0


def infer(model, call, x, dtype):
    torch.compiler.cudagraph_mark_step_begin()
    with torch.no_grad():
        return [call(x).clone()]


def train(model, call, x, dtype):
    torch.compiler.cudagraph_mark_step_begin()
    model.zero_grad()
    with torch.autocast("cuda", dtype, enabled=dtype != torch.float32):
        y = call(x)
    y.float().square().mean().backward()
    return [y.detach().clone(), model.fc.weight.grad.clone()]


def median_ms(run, warm_up=5, runs=20):
    times = []
    for _ in range(warm_up + runs):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[warm_up:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--model", default="resnet50")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"--parts: no part {', '.join(sorted(unknown))}")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}", flush=True)
    torch.backends.cudnn.allow_tf32 = False
    checks = {
        "ops": check_ops,
        "fp8": check_fp8,
        "compiled": lambda: check_compiled(arguments.processes),
        "backend": lambda: check_backend(arguments.model, arguments.batch),
    }
    results = [checks[part]() for part in PARTS if part in parts]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
