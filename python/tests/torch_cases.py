"""What the tests of conv_mlir.torch share: convolutions, and their comparison with
PyTorch's own kernels."""

import contextlib

import conv_mlir.torch
import torch

# Largest relative error (Frobenius) against PyTorch in f64. A bias that is added to
# a transposed convolution is a second rounding.
TOLERANCES = {
    torch.float64: 1e-13,
    torch.float32: 2e-6,
    torch.float16: 1.5e-3,
    torch.bfloat16: 1e-2,
}


def on_emulator():
    return conv_mlir.torch.enabled("always", "sync", "cpu")


def results(call, tensors, dtype=None):
    """The output of call(*tensors) and its gradients for all tensors, which are
    copied (as `dtype` where one is given)."""
    copies = [_leaf(tensor, dtype or tensor.dtype) for tensor in tensors]
    output = call(*copies)
    generator = torch.Generator().manual_seed(5)
    weights = torch.randn(output.shape, generator=generator, dtype=torch.float64)
    weights = weights.to(tensors[0].dtype).to(output.dtype)
    return [output, *torch.autograd.grad(output, copies, weights)]


def _leaf(tensor, dtype):
    # A copy with the same strides, holes included.
    copy = torch.empty_strided(tensor.shape, tensor.stride(), dtype=dtype)
    return copy.copy_(tensor.detach()).requires_grad_()


def error_of(found, expected):
    """Relative Frobenius error; NaN counts as infinite."""
    norm = expected.double().norm()
    error = (found.double() - expected.double()).norm()
    ratio = (error / norm if norm else error).item()
    return ratio if ratio == ratio else float("inf")


def check(call, tensors, ours=True):
    """Ours against PyTorch's own, on copies: values, types, strides. `ours`: no call
    may have gone to PyTorch's kernel."""
    exact = results(call, tensors, torch.float64)
    stock = results(call, tensors)
    with on_emulator():
        found = results(call, tensors)
        rows = list(conv_mlir.torch.report())
    for place, (f, e, s) in enumerate(zip(found, exact, stock)):
        assert f.dtype == s.dtype and f.shape == s.shape, place
        assert f.stride() == s.stride(), place
        assert error_of(f, e) <= TOLERANCES[tensors[0].dtype], place
    assert rows
    if ours:
        left = [(row.problem, row.reason) for row in rows if row.ours < row.calls]
        assert not left


@contextlib.contextmanager
def enabled_rows(*arguments):
    """enabled() on the emulator, with the list of its rows behind the block."""
    rows = []
    with conv_mlir.torch.enabled(*(arguments or ("always", "sync")), "cpu"):
        yield rows
        rows.extend(conv_mlir.torch.report())
