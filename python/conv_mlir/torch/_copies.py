"""Copies of operands in a kernel's memory format, by kernels of ours.

A layer whose filter is channels last reads a contiguous x as a copy, as PyTorch's own
kernel does: behind a normalisation that returns contiguous tensors, say. PyTorch makes
such a copy element by element. A plan that transposes channels and positions makes it
at the speed of memory (docs/PyTorch.md#memory-formats).

Input: the tensors of a signature, and the formats in which its kernel reads them.
Output: Copies, which make them for a call, or say what makes them for a rule.
"""

import math

import torch

from ._choices import load, submit, wait
from ._plans import plans
from ._tasks import ALIGNMENT, empty, in_format, widened

# Types of elements in a module.
TYPES = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}
# Elements that the kernel reads or writes at once.
VECTOR = 8


class Copies:
    """What makes the copies of one signature, the operands of a task: plans of ours
    that obtain() has loaded, or PyTorch."""

    def __init__(self, settings, device, task, tensors):
        self._mode = settings.compile
        self._device = device
        self._line = task.line
        formats = task.formats(tensors)
        texts = {name: transposition(tensors[name], formats[name]) for name in formats}
        self._entries = {
            name: plans.find(device.module_request(text))
            for name, text in texts.items()
            if text
        }
        self._plans = {}

    @property
    def jobs(self):
        return list(self._entries.values())

    def obtain(self, others):
        """Has the plans compiled and loaded; why a call waits for them, or None. Where
        that fails, PyTorch copies. `others`: jobs that start meanwhile."""
        submit([*self.jobs, *others], self._mode, self._line)
        wait(self.jobs, self._mode)
        for entry in self.jobs:
            if entry.is_pending:
                return entry.reason
        self._take(self._can_run)
        return None

    def recall(self):
        """Takes the plans that are loaded, without compiling; whether that is all."""
        self._take(lambda plan: plan is not None and self._device.is_loaded(plan))
        return len(self._plans) == len(self._entries)

    def _take(self, which):
        found = {name: entry.plan for name, entry in self._entries.items()}
        self._plans = {name: plan for name, plan in found.items() if which(plan)}

    def _can_run(self, plan):
        if plan is None or plan.workspace_bytes:
            return False
        return load(self._device, plan) is None

    def plan(self, name):
        """What copies an operand; None: PyTorch, where it has to be copied at all."""
        return self._plans.get(name)

    def code(self, name):
        """The same for a rule (_devices.py)."""
        plan = self.plan(name)
        return plan and self._device.code(plan)

    def make(self, name, tensor, format):
        """The operand, or a copy: dense in a format and aligned."""
        plan = self.plan(name)
        if plan is None or tensor.data_ptr() % ALIGNMENT:
            return in_format(tensor, format)
        copy = empty(tensor.shape, tensor.dtype, tensor.device, format)
        self._device.launch(plan, [tensor, copy])
        return widened(copy)


def is_fast(dtype, channels, positions):
    """Whether a plan's copy takes no longer than PyTorch's, as measured on an H200."""
    has_rows = positions % VECTOR == 0
    if dtype == torch.float64:
        return has_rows and channels % VECTOR == 0
    # Images of few channels are read in rows.
    return dtype in TYPES and (channels % VECTOR == 0 or channels < VECTOR and has_rows)


def transposition(tensor, format):
    """A module that copies a tensor into another memory format: a matrix of channels
    and positions of each image is transposed. None where there is nothing to do, or
    PyTorch does it."""
    wide = widened(tensor)
    channels, positions = wide.shape[1], math.prod(wide.shape[2:])
    last = torch.channels_last if wide.dim() == 4 else torch.channels_last_3d
    plain = torch.contiguous_format
    source = plain if format == last else last
    if (
        wide.is_contiguous(memory_format=format)
        or not wide.is_contiguous(memory_format=source)
        or not is_fast(tensor.dtype, channels, positions)
    ):
        return None
    rows, columns = (channels, positions)[:: 1 if source == plain else -1]
    x, y = (
        f"tensor<{wide.shape[0]}x{a}x{b}x{TYPES[tensor.dtype]}>"
        for a, b in ((rows, columns), (columns, rows))
    )
    return (
        f"func.func @main(%x: {x}) -> {y} {{\n"
        f"  %empty = tensor.empty() : {y}\n"
        f"  %y = linalg.transpose ins(%x : {x}) outs(%empty : {y}) "
        "permutation = [0, 2, 1]\n"
        f"  return %y : {y}\n"
        "}\n"
    )
