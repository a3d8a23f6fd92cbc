#!/usr/bin/env python3
"""conv_mlir.torch on a GPU: whether it is right, and what it gains.

Input: a bundle or a checkout with a build, PyTorch 2.9 or newer with CUDA, and
torchvision for the step. Output, on standard output: a line for each part, and the
reports. Status 1 where a sample was wrong.

    scripts/gpu_torch.py [--parts samples,compiled,graph,host,step] [--batch 256]
                         [--model resnet50] [--backend aot_eager]

samples   every sample that PyTorch has of convolutions, forward and all gradients, in
          f64, f32, tf32, f16 and bf16, contiguous and channels last, against f64
compiled  the same through torch.compile(fullgraph=True) with --backend, f32 and bf16
graph     a step of two layers as a CUDA graph: replays against eager
host      microseconds of F.conv2d on the host, stock and enabled
step      whole training steps, bf16, channels last, eager: stock, auto, measure
"""

import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import conv_mlir.torch  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch_cases import DTYPES, TF32_TOLERANCE, caller, check  # noqa: E402
from torch_cases import convolution_ops  # noqa: E402

FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
PARTS = ("samples", "compiled", "graph", "host", "step")
STEPS = 30
WARM_UP = 10


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


# Steps.


class Training:
    """A model of torchvision, and its steps."""

    def __init__(self, name, batch):
        import torchvision

        torch.manual_seed(0)
        model = getattr(torchvision.models, name)()
        self._model = model.cuda().to(memory_format=torch.channels_last)
        self._start = {k: v.clone() for k, v in self._model.state_dict().items()}
        images = torch.randn(batch, 3, 224, 224, device="cuda")
        self._images = images.contiguous(memory_format=torch.channels_last)
        self._labels = torch.randint(1000, (batch,), device="cuda")

    def losses(self):
        """The losses of new training and the median milliseconds of a step."""
        self._model.load_state_dict(self._start)
        optimizer = torch.optim.SGD(self._model.parameters(), 0.01, momentum=0.9)
        losses, times = [], []
        for _ in range(WARM_UP + STEPS):
            torch.cuda.synchronize()
            start = time.perf_counter()
            losses.append(self._step(optimizer))
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e3)
        return [loss.item() for loss in losses], statistics.median(times[WARM_UP:])

    def _step(self, optimizer):
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(self._model(self._images), self._labels)
        loss.backward()
        optimizer.step()
        return loss.detach()


def measure_step(name, batch):
    torch.backends.cudnn.benchmark = True
    training = Training(name, batch)
    stock_losses, stock = training.losses()
    print(f"step: {name}, batch {batch}: stock {stock:.2f} ms")
    for policy in ("auto", "measure", "always"):
        with conv_mlir.torch.enabled(policy, "sync"):
            losses, ours = training.losses()
            report = conv_mlir.torch.report()
        apart = max(abs(a - b) for a, b in zip(losses, stock_losses))
        print(
            f"step: {policy} {ours:.2f} ms, ratio {stock / ours:.3f}; losses differ by "
            f"at most {apart:.4f}, the last are {losses[-1]:.4f} and {stock_losses[-1]:.4f}"
        )
        print(report)
    _, again = training.losses()
    print(f"step: stock again {again:.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--backend", default="aot_eager")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--model", default="resnet50")
    arguments = parser.parse_args()
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
        measure_step(arguments.model, arguments.batch)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
