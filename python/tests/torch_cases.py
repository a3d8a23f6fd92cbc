"""What tests of conv_mlir.torch share: PyTorch's samples of convolutions, and the
comparison of a call with PyTorch's own kernels, on the CPU or a GPU."""

import contextlib
import sys
import types
import unittest
from unittest import mock

import conv_mlir.torch
import torch
import torch.nn.functional as F

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
# The activations of problem lines that have no numbers of their own.
UNBOUNDED = {
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda z: F.gelu(z, approximate="tanh"),
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
# Largest relative error (Frobenius) against PyTorch in f64.
TOLERANCES = dict(zip(DTYPES, (1e-13, 2e-6, 1.5e-3, 1e-2)))
TF32_TOLERANCE = 2e-3


def convolution_ops():
    """PyTorch's own descriptions (OpInfo) of its convolutions, by name."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        # PyTorch's test module derives a class of it, which is not used here.
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase
    # The import would forbid to set PyTorch's flags, which other tests do.
    with mock.patch.object(torch.backends, "disable_global_flags", lambda: None):
        from torch.testing._internal.common_methods_invocations import op_db
    return {op.name: op for op in op_db if op.name.startswith("nn.functional.conv")}


def caller(op, sample):
    """A sample as a function of its tensors, and these."""
    named = {k: v for k, v in sample.kwargs.items() if torch.is_tensor(v)}
    given = [sample.input, *(a for a in sample.args if torch.is_tensor(a))]
    options = {k: v for k, v in sample.kwargs.items() if k not in named}
    rest = [a for a in sample.args if not torch.is_tensor(a)]

    def call(*tensors):
        placed, last = tensors[: len(given)], tensors[len(given) :]
        return op(*placed, *rest, **dict(zip(named, last)), **options)

    return call, [*given, *named.values()]


def on_emulator():
    return conv_mlir.torch.enabled("always", "sync", "cpu")


def results(call, tensors, dtype=None):
    """The output of call(*tensors) and its gradients for all tensors, which are
    copied (as `dtype` where one is given)."""
    copies = [_leaf(tensor, dtype or tensor.dtype) for tensor in tensors]
    output = call(*copies)
    generator = torch.Generator().manual_seed(5)
    weights = torch.randn(output.shape, generator=generator, dtype=torch.float64)
    weights = weights.to(tensors[0].dtype).to(output)
    return [output, *torch.autograd.grad(output, copies, weights)]


def predicted_strides(call, tensors):
    """Of the output and the gradients, as PyTorch tells its compiler."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode()
    copies = [mode.from_tensor(tensor.detach()) for tensor in tensors]
    with mode:
        for copy in copies:
            copy.requires_grad_()
        output = call(*copies)
        gradients = torch.autograd.grad(output, copies, torch.ones_like(output))
    return [tensor.stride() for tensor in (output, *gradients)]


def _leaf(tensor, dtype):
    # A copy with the same strides, holes included.
    copy = torch.empty_strided(
        tensor.shape, tensor.stride(), dtype=dtype, device=tensor.device
    )
    return copy.copy_(tensor.detach()).requires_grad_()


def error_of(found, expected):
    """Relative Frobenius error; NaN counts as infinite."""
    norm = expected.double().norm()
    error = (found.double() - expected.double()).norm()
    ratio = (error / norm if norm else error).item()
    return ratio if ratio == ratio else float("inf")


def check(call, tensors, tolerance=None, backend=None):
    """Ours against PyTorch's own: values, types, strides. No call may have gone to
    PyTorch's kernel. `backend`: of torch.compile, for ours."""
    first = tensors[0]
    exact = results(call, tensors, torch.float64)
    stock = results(call, tensors)
    if backend:
        torch._dynamo.reset()
        call = torch.compile(call, backend=backend, fullgraph=True)
    with conv_mlir.torch.enabled("always", "sync", first.device.type):
        found = results(call, tensors)
        rows = list(conv_mlir.torch.report())
    tolerance = tolerance or TOLERANCES[first.dtype]
    for i, (name, f, e, s) in enumerate(zip("y x w b".split(), found, exact, stock)):
        assert (f.dtype, f.shape) == (s.dtype, s.shape), name
        # Compilers leave the strides of single elements open.
        if f.stride() != s.stride() and not (backend and same_places(f, s)):
            # cuDNN's gradients of filters sometimes have other strides than
            # PyTorch predicts for its compiler.
            predicted = predicted_strides(call, tensors)[i]
            assert f.stride() == predicted, f"{name}: {f.stride()}, {s.stride()}"
        # Sums that cancel have few digits left in PyTorch's own kernels, too.
        limit = max(tolerance, 2 * error_of(s, e))
        error = error_of(f, e)
        assert error <= limit, f"{name}: error {error:.3g}, at most {limit:.3g}"
    left = [(row.problem, row.reason) for row in rows if row.ours < row.calls]
    assert rows and not left, left


def same_places(one, other):
    """Whether elements lie alike in memory."""
    strides = zip(one.shape, one.stride(), other.stride())
    return all(extent == 1 or a == b for extent, a, b in strides)


@contextlib.contextmanager
def enabled_rows(policy="always", compile="sync"):
    """enabled() on the emulator, with the list of its rows behind the block."""
    rows = []
    with conv_mlir.torch.enabled(policy, compile, "cpu"):
        yield rows
        rows.extend(conv_mlir.torch.report())


class Held:
    """In the place of the compilers: answers when it is told to."""

    def __init__(self):
        self.jobs = []

    def submit(self, request, done):
        self.jobs.append((request, done))

    def of(self, kind):
        """Those of "problem" or "module"."""
        return [job for job in self.jobs if kind in job[0]]

    def answer(self, jobs=None, error=None):
        for job in list(self.jobs if jobs is None else jobs):
            self.jobs.remove(job)
            request, done = job
            done(None if error else _compiled(**request), error)


def _compiled(problem=None, module=None, **options):
    if module:
        return conv_mlir.compile_module(module, **options).to_bytes()
    return conv_mlir.compile(problem, **options).to_bytes()
