"""PyTorch's convolutions on kernels of conv-mlir.

    import conv_mlir.torch
    conv_mlir.torch.enable()

From then on aten::convolution and aten::convolution_backward of CUDA tensors, which
every convolution of PyTorch comes down to, run our kernels where these are at least
as fast, and PyTorch's own elsewhere. print(conv_mlir.torch.report()) shows which ran
where and why. docs/PyTorch.md has the details.
"""

import contextlib
import threading

import torch

from .. import Device, Error, _dynamo
from .._library import library
from . import _fast, _ops, _rules
from ._export import export
from ._functions import conv, conv_dgrad, conv_wgrad
from ._override import Override, Settings
from ._plans import disk
from ._policy import POLICIES, TIMED
from ._report import Report

__all__ = [
    "conv",
    "conv_dgrad",
    "conv_wgrad",
    "disable",
    "enable",
    "enabled",
    "export",
    "report",
]

MODES = ("async", "sync", "never")
DEVICES = ("cuda", "cpu")

_lock = threading.Lock()
_overrides = {}
_tables = {}


def enable(policy="auto", compile="async", device="cuda"):
    """Puts our kernels in front of PyTorch's, for all threads. Called again for the
    same device, it begins anew with other settings; plans in memory stay.

    policy: "auto": where they were measured to be at least as fast; "measure":
    where they are: each shape is timed once, with two kernels of ours, and the
    result is kept on disk; "tune": the same with a dozen kernels; "always":
    wherever they can.
    compile: "async": PyTorch's kernel runs until a plan is there; "sync": the first
    call of a shape waits for it; "never": only plans in memory are used.
    device: "cuda", or "cpu": tensors of the CPU, on the emulator, which is slow and
    finds races.
    """
    _check("policy", policy, POLICIES)
    _check("compile", compile, MODES)
    _check("device", device, DEVICES)
    _check_device(policy, device)
    library()
    disk()  # An Error now, not in a model.
    with _lock:
        _remove(device)
        _install(device, Settings(policy, compile))


def disable():
    """Puts PyTorch's kernels back; report() keeps what it has."""
    with _lock:
        for device in list(_overrides):
            _remove(device)


@contextlib.contextmanager
def enabled(policy="auto", compile="async", device="cuda"):
    """enable() for a block or, as a decorator, for a function; behind it everything
    is as it was."""
    before = _overrides.get(device)
    enable(policy, compile, device)
    try:
        yield
    finally:
        with _lock:
            _remove(device)
            if before is not None:
                _install(device, before.settings)


def report():
    """What happened since enable(): rows with .problem, .calls, .ours, .reason,
    .schedule, .ours_us, .theirs_us and .saved_us. It prints as a table."""
    with _lock:
        for override in _overrides.values():
            override.count()
        _ops.count()
    tables = [*_tables.values(), *_ops.tables()]
    return Report([row for table in tables for row in table.rows()])


def _install(device, settings):
    kind = Override if _rules.obstacle() else _fast.FastOverride
    override = kind(device, settings)
    _overrides[device] = override
    _tables[device] = override.table
    _ops.follow(device, settings, override.table)


def _remove(device):
    override = _overrides.pop(device, None)
    if override is not None:
        override.remove()
        _ops.unfollow(device)


def _check(name, value, expected):
    if value not in expected:
        names = ", ".join(map(repr, expected[:-1]))
        raise Error(f"{name}: expected {names} or {expected[-1]!r}, got {value!r}")


def _check_device(policy, device):
    if device == "cpu" and policy in TIMED:
        raise Error(f"policy: {policy!r} times kernels on a GPU, the emulator has no time")
    if device == "cuda" and not torch.cuda.is_available():
        raise Error(
            "device: PyTorch finds no CUDA device; device='cpu' runs on the emulator", 3
        )
    if device == "cuda":
        Device(torch.cuda.current_device())  # An Error now, not in a model.


_dynamo.register()
