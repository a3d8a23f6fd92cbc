"""Activations by the names of problem lines (docs/Problem.md), in PyTorch's operators.

apply()          the activation of a tensor
backward()       a gradient through it, from what it was applied to
from_result()    the same from its result, for those that have_result()
"""

import math

import torch

from .. import Error

aten = torch.ops.aten
PLAIN = ("none", "relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh")
NAMES = ", ".join(PLAIN) + " or clip:LOW:HIGH"


def check_activation(name):
    """Error where there is no such activation."""
    if name not in PLAIN and bounds(name) is None:
        raise Error(f"activation: expected {NAMES}, got {name!r}")


def bounds(name):
    """(low, high) of "clip:LOW:HIGH", else None."""
    words = name.split(":") if isinstance(name, str) else []
    if len(words) != 3 or words[0] != "clip":
        return None
    try:
        low, high = map(float, words[1:])
    except ValueError:
        return None
    return (low, high) if math.isfinite(low) and low <= high < math.inf else None


def have_result(name):
    """Whether the derivative is known from the result."""
    return not name.startswith("gelu") and name != "silu"


def apply(name, z):
    limits = bounds(name)
    if limits:
        return aten.clamp(z, *limits)
    if name.startswith("gelu"):
        return aten.gelu(z, approximate=_approximation(name))
    functions = dict(relu=aten.relu, silu=aten.silu, sigmoid=aten.sigmoid, tanh=aten.tanh)
    return z if name == "none" else functions[name](z)


def backward(name, gradient, z):
    if name in ("sigmoid", "tanh"):
        return from_result(name, gradient, apply(name, z))
    if name == "silu":
        return aten.silu_backward(gradient, z)
    if name.startswith("gelu"):
        return aten.gelu_backward(gradient, z, approximate=_approximation(name))
    return from_result(name, gradient, z)


def from_result(name, gradient, y):
    limits = bounds(name)
    if limits:
        return aten.hardtanh_backward(gradient, y, *limits)
    if name == "relu":
        return aten.threshold_backward(gradient, y, 0)
    if name == "sigmoid":
        return aten.sigmoid_backward(gradient, y)
    return gradient if name == "none" else aten.tanh_backward(gradient, y)


def _approximation(name):
    return "tanh" if name == "gelu-tanh" else "none"
