"""Plans on PyTorch tensors.

Tensors are as PyTorch has them, (N, C, H, W), in the memory order of the plan:
channels-last (torch.channels_last, in 3-D torch.channels_last_3d) for problems of
layout nhwc, and for modules the shapes of their functions. Nothing is copied:
another memory order is an error.
"""

import contextlib

import torch

from ._library import Error
from ._problem import Problem

DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "tf32": "float32",
    "f32": "float32",
    "f64": "float64",
    "s8": "int8",
    "s32": "int32",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
}


def dtype_of(type):
    """The torch type of a type of problems."""
    dtype = getattr(torch, DTYPES[type], None)
    if dtype is None:
        raise Error(f"PyTorch {torch.__version__} has no type for {type}")
    return dtype


def is_channels_last(plan):
    """Whether the shapes of the plan's operands are channels-last. A plan that
    was made of a module takes its function's shapes as they are."""
    try:
        return Problem(plan.problem).channels_last
    except Error:
        return False


def to_memory_order(tensor, channels_last):
    """The tensor (N, C, spatial…) with its dimensions in memory order."""
    moves = channels_last and tensor.dim() > 2
    return tensor.movedim(1, -1) if moves else tensor


def from_memory_order(tensor, channels_last):
    """The inverse of to_memory_order()."""
    moves = channels_last and tensor.dim() > 2
    return tensor.movedim(-1, 1) if moves else tensor


def empty(operand, channels_last=True, device="cuda"):
    """An uninitialised tensor for an operand."""
    tensor = torch.empty(operand.shape, dtype=dtype_of(operand.type), device=device)
    return from_memory_order(tensor, channels_last)


def check(operand, tensor, channels_last=True):
    """The tensor in memory order; Error where it does not fit the operand."""
    view = to_memory_order(tensor, channels_last)
    if tuple(view.shape) != operand.shape or view.dtype != dtype_of(operand.type):
        raise Error(
            f"{operand.name}: expected {operand.type} of memory order "
            f"{list(operand.shape)}, got {tensor.dtype} of {list(view.shape)}"
        )
    if not view.is_contiguous():
        order = "channels-last" if channels_last else "contiguous"
        raise Error(f"{operand.name}: expected {order} memory")
    return view


def to_stream(stream, device):
    """The torch stream of a CUstream, or of a torch stream."""
    if isinstance(stream, torch.cuda.Stream):
        return stream
    if stream == 0:
        return torch.cuda.default_stream(device)
    return torch.cuda.ExternalStream(stream, device=device)


def check_all(plan, tensors, device, channels_last):
    """Error where the tensors are not what the plan's operands want."""
    for operand, tensor in zip(plan.operands, tensors):
        if tensor.device != device:
            raise Error(f"{operand.name}: expected {device}, got {tensor.device}")
        check(operand, tensor, channels_last)


def run(plan, *arguments, out=None, stream=None):
    """Launches the plan on CUDA tensors and returns its result (a tuple where
    there are several).

    out: the result tensors, by default new ones. stream: a CUstream or a torch
    stream, by default PyTorch's current one; as always in PyTorch, it has to wait
    for what writes the arguments, and who reads the results for it. The workspace
    and new results come from PyTorch's allocator, as memory of that stream. All
    tensors may be dropped at once: PyTorch keeps their memory until the run is
    done.
    """
    if len(arguments) != len(plan.arguments):
        raise Error(f"expected {len(plan.arguments)} arguments, got {len(arguments)}")
    device = arguments[0].device
    if device.type != "cuda":
        raise Error(f"{plan.arguments[0].name}: expected a CUDA tensor, got {device}")
    channels_last = is_channels_last(plan)
    current = torch.cuda.current_stream(device)
    stream = current if stream is None else to_stream(stream, device)
    is_other = stream.cuda_stream != current.cuda_stream
    with torch.cuda.stream(stream) if is_other else contextlib.nullcontext():
        if out is None:
            out = [empty(operand, channels_last, device) for operand in plan.results]
        workspace = torch.empty(plan.workspace_bytes, dtype=torch.uint8, device=device)
    results = [out] if isinstance(out, torch.Tensor) else list(out)
    tensors = [*arguments, *results]
    if len(tensors) != len(plan.operands):
        raise Error(f"expected {len(plan.results)} results, got {len(results)}")
    check_all(plan, tensors, device, channels_last)
    plan.launch(
        [tensor.data_ptr() for tensor in tensors],
        stream.cuda_stream,
        workspace.data_ptr(),
        device=device.index or 0,
    )
    if is_other:
        for tensor in tensors:
            tensor.record_stream(stream)
        for tensor in results:
            tensor.record_stream(current)
    return results[0] if len(results) == 1 else tuple(results)
