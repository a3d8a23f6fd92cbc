"""Where kernels run: a GPU, or the emulator for tensors of the CPU.

Both have the same methods: type_of() (a problem's type by PyTorch's flags),
request() and module_request() (what to compile), is_loaded(), load(), code() (for a
rule), launch(), is_capturing(), describe() (what times depend on). A GPU has
sample(), too, the clock.
"""

from typing import NamedTuple

import torch

from .. import Device, Problem, targets
from ._measure import sample_gpu
from ._problem import TYPES, NotOurs


def _precision(backend):
    """How PyTorch's flags let convolutions of float32 be computed: "tf32" or
    "ieee"; in other words than these, as "ieee"."""
    getter = getattr(torch._C, "_get_fp32_precision_getter", None)
    if getter is not None:
        return getter(backend, "conv")
    allowed = backend == "cuda" and torch.backends.cudnn.allow_tf32
    return "tf32" if allowed else "ieee"


def current_stream(index):
    """PyTorch's current stream of a device, as a CUstream. What makes no object of
    it takes a tenth of the time; Inductor's code calls it, too."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw(index) if raw else torch.cuda.current_stream(index).cuda_stream


class Code(NamedTuple):
    """What a rule of the fast override runs: a field of the C structure of a step or
    of a conversion, what it belongs to, and the workspace of a run."""

    handles: dict
    owner: object
    workspace_bytes: int


class Gpu:
    """A CUDA device."""

    is_emulator = False

    def __init__(self, index):
        self._index = index
        self._device = Device(index)
        self.capability = self._device.capability

    def flags(self, dtype):
        """What of PyTorch's state decides how a call is computed."""
        precision = _precision("cuda") if dtype == torch.float32 else None
        return precision, torch.backends.cudnn.enabled

    def type_of(self, dtype):
        return type_of(dtype, "cuda")

    def request(self, line):
        return dict(problem=line, **self._options())

    def module_request(self, text):
        return dict(module=text, **self._options())

    def _options(self):
        return dict(
            target=self._device.best_target,
            device=self._device.name,
            multiprocessors=self._device.multiprocessors,
        )

    def bound_us(self, line):
        """The least time that the problem takes at the peaks of the device."""
        problem = Problem(line)
        return max(
            self._device.bound(problem.type, problem.flops, problem.least_bytes)
        )

    def describe(self):
        device = self._device
        return [device.name, device.multiprocessors, device.memory_bytes]

    def sample(self, runs):
        return sample_gpu(runs, self._index, self._device.l2_bytes)

    def is_capturing(self):
        return torch.cuda.is_current_stream_capturing()

    def is_loaded(self, plan):
        return plan.is_prepared(self._index)

    def load(self, plan):
        plan.prepare(self._index)

    def code(self, plan):
        program = plan.prepare(self._index)
        return Code({"program": program.handle}, program, plan.workspace_bytes)

    def launch(self, plan, tensors):
        """Enqueues on PyTorch's current stream, whose allocator has the workspace."""
        workspace = 0
        if plan.workspace_bytes:
            memory = torch.empty(
                plan.workspace_bytes, dtype=torch.uint8, device=tensors[0].device
            )
            workspace = memory.data_ptr()
        plan.launch(
            [tensor.data_ptr() for tensor in tensors],
            current_stream(self._index),
            workspace,
            device=self._index,
        )


class Emulator:
    """The emulator, for tensors of the CPU."""

    is_emulator = True

    def __init__(self):
        self._target = targets()[-1]

    def flags(self, dtype):
        precision = _precision("mkldnn") if dtype == torch.float32 else None
        return precision, torch.backends.mkldnn.enabled

    def type_of(self, dtype):
        return type_of(dtype, "mkldnn")

    def request(self, line):
        return dict(problem=line, target=self._target, emulator_only=True)

    def module_request(self, text):
        return dict(module=text, target=self._target, emulator_only=True)

    def describe(self):
        return ["emulator", self._target]

    def is_capturing(self):
        return False

    def is_loaded(self, plan):
        return True

    def load(self, plan):
        """Nothing to do: the emulator reads the plan."""

    def code(self, plan):
        return Code({"plan": plan.handle}, plan, 0)

    def launch(self, plan, tensors):
        plan.emulate(*map(_bytes, tensors))


def _bytes(tensor):
    """The memory of a dense tensor, as a row of bytes."""
    storage = tensor.detach().as_strided((tensor.numel(),), (1,))
    return storage.view(torch.uint8).numpy()


def type_of(dtype, backend):
    """The type of a problem for tensors of a type."""
    if dtype == torch.float32:
        return "tf32" if _precision(backend) == "tf32" else "f32"
    if dtype not in TYPES:
        raise NotOurs(f"no kernels for {dtype}")
    return TYPES[dtype]
