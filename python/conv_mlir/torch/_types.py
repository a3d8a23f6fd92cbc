"""Types of our operators: which results a type of operands has (docs/Problem.md)."""

import torch

from .. import Error

BYTES = {torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
# Of results, by those of operands; the first one is the default.
RESULTS = {
    torch.float16: (torch.float16, torch.float32),
    torch.bfloat16: (torch.bfloat16, torch.float32),
    torch.float32: (torch.float32, torch.float16, torch.bfloat16),
    torch.float64: (torch.float64,),
    **{
        type: (torch.float32, torch.float16, torch.bfloat16, *BYTES)
        for type in BYTES
    },
}


def wide_type(type):
    """The type that sums are kept in."""
    return torch.float64 if type == torch.float64 else torch.float32


def check_types(first, second, names, out):
    """The type of the result; Error where kernels and PyTorch have none."""
    if first.dtype not in RESULTS:
        expected = ", ".join(map(_short, RESULTS))
        raise Error(f"{names[0]}: expected {expected}, got {_short(first.dtype)}")
    if second.dtype != first.dtype and not are_bytes(first, second):
        raise Error(
            f"{names[1]}: expected {_short(first.dtype)} as {names[0]}, "
            f"got {_short(second.dtype)}"
        )
    allowed = RESULTS[first.dtype]
    if out is not None and out not in allowed:
        expected = ", ".join(map(_short, allowed))
        raise Error(
            f"out_dtype: expected {expected} for {_short(first.dtype)}, got {_short(out)}"
        )
    return out or allowed[0]


def are_bytes(*tensors):
    """Whether kernels multiply them with each other, whichever type each has."""
    return all(tensor.dtype in BYTES for tensor in tensors)


def _short(type):
    return str(type).split(".")[-1]

