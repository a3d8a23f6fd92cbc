"""What our kernels compute of a call of our operators: a problem line and a run."""

from typing import NamedTuple, Optional

import torch

from ._compositions import scaled
from ._problem import NotOurs
from ._tasks import aligned, empty
from ._types import BYTES, are_bytes, wide_type
from ._window import convolution

OUT_NAMES = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    **BYTES,
}
# Operands in the order of kernels (docs/Problem.md).
IMAGES = {
    "forward": ("x", "w"),
    "dgrad": ("dy", "w"),
    "wgrad": ("x", "dy"),
}

# Of which a kernel reads a value for each channel of y.
VECTORS = ("scale", "bias")


def make_task(call, device):
    """(Convolution, OpTask) of a call; NotOurs where no kernel computes it."""
    tensors = call.tensors
    if any(tensor.numel() == 0 for tensor in tensors.values()):
        raise NotOurs("nothing to compute: a tensor is empty")
    first, second = (tensors[name] for name in IMAGES[call.op])
    if first.dtype != second.dtype and not are_bytes(first, second):
        raise NotOurs(f"no kernels for {first.dtype} with {second.dtype}")
    type = BYTES.get(call.type) or device.type_of(call.type)
    found = convolution(call.x, call.w, call.window, type, call.format)
    types = first.dtype, second.dtype
    return found, OpTask(call._replace(tensors={}), found, tuple(tensors), types, _vector_type(call))


def _vector_type(call):
    """The type in which kernels read a scale and a bias: their own, where it has 16
    bits and sums are f32; else that of the sums."""
    wide = wide_type(call.type)
    types = {call.tensors[name].dtype for name in VECTORS if name in call.tensors}
    is_narrow = len(types) == 1 and types <= {torch.float16, torch.bfloat16}
    return types.pop() if is_narrow and wide == torch.float32 else wide


class Reading(NamedTuple):
    """How a kernel reads a tensor: of a type, dense in a memory format. A vector has
    an extent, to which one value is expanded."""

    name: str
    type: torch.dtype
    format: torch.memory_format
    extent: Optional[int] = None


class OpTask:
    """.line, and run() with an executor (_devices.py)."""

    def __init__(self, call, found, names, types, vector_type):
        self._call = call
        self._names = names
        self._types = types  # Of the operands.
        self._vector_type = vector_type
        # Behind gradients a scale is a step of its own.
        self._is_scaled = call.op != "forward" and "scale" in names
        self._out = wide_type(call.out) if self._is_scaled else call.out
        self._strides = None  # Of the result, once there is one.
        first, second = (OUT_NAMES[type] for type in types)
        second = None if second == first else second
        self.line = " ".join([found.line(call.op, second_type=second), *self._words()])

    def _words(self):
        if self._out != (torch.float32 if self._call.type in BYTES else self._call.type):
            yield f"out-type={OUT_NAMES[self._out]}"
        epilogue = self._epilogue()
        if epilogue:
            yield f"epilogue={','.join(epilogue)}"
        has_vectors = any(step in VECTORS for step in epilogue)
        if has_vectors and self._vector_type != wide_type(self._call.type):
            yield f"bias-type={OUT_NAMES[self._vector_type]}"

    def _epilogue(self):
        call = self._call
        if call.op == "wgrad":
            return ["dbias"] if call.bias else []
        steps = [step for step in ("scale", "bias", "residual") if step in self._names]
        if call.op == "dgrad":
            return [] if call.activation == "none" else [f"d{call.activation}"]
        return steps + ([] if call.activation == "none" else [call.activation])

    @property
    def is_one_launch(self):
        """Whether nothing is left to do behind the kernel."""
        return not self._is_scaled

    @property
    def written(self):
        """How many of the results the kernel writes."""
        return 2 if self._call.bias else 1

    def make(self, device):
        """New tensors for the results of the operator."""
        call = self._call
        results = [self._empty(device)]
        if call.op == "wgrad":
            wide, extent = wide_type(call.type), call.w[0] if call.bias else 0
            results.append(torch.empty(extent, dtype=wide, device=device))
        return results

    def formats(self, tensors):
        """In which an operand of the kernel's type is read, by name."""
        return {
            reading.name: reading.format
            for reading in self.reads()
            if reading.extent is None and tensors[reading.name].dtype == reading.type
        }

    def run(self, device, plan, tensors, copies):
        call = self._call
        operands = [self._operand(reading, tensors, copies) for reading in self.reads()]
        results = self.make(operands[0].device)
        device.launch(plan, [*operands, *results[: self.written]])
        if self._is_scaled:
            channel = 1 if call.op == "dgrad" else 0
            results[0] = scaled(results[0], tensors, call.out, channel)
        return tuple(results) if call.op == "wgrad" else results[0]

    def reads(self):
        """The kernel's operands, in its order."""
        call = self._call
        vectors = VECTORS if call.op == "forward" else ()
        images = zip(IMAGES[call.op], self._types)
        found = [Reading(name, type, call.format) for name, type in images]
        for name in vectors:
            dense = torch.contiguous_format
            found.append(Reading(name, self._vector_type, dense, call.w[0]))
        # What an activation was applied to is of the forward pass, as w is.
        for name, type in (("residual", call.out), ("act", self._types[1])):
            found.append(Reading(name, type, call.format))
        return [reading for reading in found if reading.name in self._names]

    def _empty(self, device):
        """The result. Strides that are known cost less than a format."""
        call = self._call
        if self._strides is None:
            result = empty(call.shape, self._out, device, call.format)
            self._strides = result.stride()
            return result
        return torch.empty_strided(
            call.shape, self._strides, dtype=self._out, device=device
        )

    def _operand(self, reading, tensors, copies):
        tensor = tensors[reading.name]
        if reading.extent is None:
            return copies.make(reading.name, tensor.to(reading.type), reading.format)
        if tensor.dtype != reading.type or tensor.shape != (reading.extent,):
            tensor = tensor.to(reading.type).expand(reading.extent)
        return aligned(tensor.contiguous())
