"""Finds activations and their derivatives in traced programs.

PyTorch takes most of them apart before Inductor sees them. Their patterns are made
by the same way, of the functions themselves: so they are what this PyTorch makes.
"""

import functools
from typing import NamedTuple, Tuple

import torch

from ._activations import apply, backward
from ._graphs import CONVERT, aten, is_call, only_user, original, value

# Those of one number of operators or more; clip is found without a pattern.
NAMES = ("relu", "sigmoid", "tanh", "gelu", "gelu-tanh", "silu")
# Their derivatives are known from what a kernel takes.
DERIVATIVES = ("gelu", "gelu-tanh", "silu")
TYPES = (torch.float32, torch.bfloat16, torch.float16)
# Operators that an activation consists of at most, and its derivative.
DEPTH = 24


class Found(NamedTuple):
    name: str
    end: torch.fx.Node  # Its result.
    nodes: Tuple[torch.fx.Node, ...]
    act: torch.fx.Node = None  # Of a derivative.


def find_activation(z):
    """The activation that alone uses a node, or None."""
    found = _find_clip(z)
    if found or value(z).dtype not in TYPES:
        return found
    for end, match in _matches(z, _activations(value(z).dtype)):
        if match.kwargs["z"] is z and set(z.users) <= set(match.nodes):
            return Found(end[1], end[0], tuple(match.nodes))
    return None


def find_derivative(gradient):
    """The derivative that alone uses a gradient, or None."""
    found = _find_threshold(gradient)
    if found or value(gradient).dtype not in TYPES:
        return found
    for end, match in _matches(gradient, _derivatives(value(gradient).dtype)):
        names, nodes = match.kwargs, tuple(match.nodes)
        if names["g"] is gradient and set(gradient.users) <= set(nodes):
            return Found(end[1], end[0], nodes, original(names["z"]))
    return None


def _matches(start, patterns):
    """((node, name), match) of patterns that end behind a node."""
    for node in _behind(start):
        for name, target, pattern in patterns:
            if node.target == target:
                match = pattern.match(node)
                if match:
                    yield (node, name), match


def _behind(start):
    seen, front = [], [start]
    while front and len(seen) < DEPTH:
        for user in front.pop(0).users:
            if user.op == "call_function" and user not in seen:
                seen.append(user)
                front.append(user)
    return seen


@functools.lru_cache(maxsize=None)
def _activations(dtype):
    def function(name):
        return lambda z: apply(name, z)

    return [_pattern(name, function(name), ["z"], dtype) for name in NAMES]


@functools.lru_cache(maxsize=None)
def _derivatives(dtype):
    def function(name):
        return lambda g, z: backward(name, g, z)

    return [_pattern(name, function(name), ["g", "z"], dtype) for name in DERIVATIVES]


def _pattern(name, function, arguments, dtype):
    """(name, last operator, pattern) of a function, as Inductor traces it."""
    from torch._inductor.pattern_matcher import fwd_only, fx_to_pattern

    examples = [torch.ones(2, 3, 5, 4, dtype=dtype) for _ in arguments]
    # Not in the program that is being traced.
    with torch.utils._python_dispatch._disable_current_modes(), torch.no_grad():
        graph = fwd_only(function, examples)
    output = next(node for node in graph.graph.nodes if node.op == "output")
    last = output.args[0]
    last = last[0] if isinstance(last, (list, tuple)) else last
    return name, last.target, fx_to_pattern(graph, argnames=arguments)


def _find_clip(z):
    """min(max(z, LOW), HIGH), in f32 for shorter types."""
    nodes, low, high = [], None, None
    node = only_user(z)
    if is_call(node, CONVERT):
        nodes, node = [node], only_user(node)
    if is_call(node, aten.clamp.default) and len(node.args) == 3:
        low, high = node.args[1:]
        nodes.append(node)
    elif is_call(node, aten.clamp_min.default):
        then = only_user(node)
        if is_call(then, aten.clamp_max.default):
            low, high = node.args[1], then.args[1]
            nodes += [node, then]
    if not _are_bounds(low, high):
        return None
    if len(nodes) and value(nodes[-1]).dtype != value(z).dtype:
        nodes.append(only_user(nodes[-1]))
    end = nodes[-1]
    if end is None or value(end).dtype != value(z).dtype:
        return None
    if len(nodes) > 1 and value(nodes[0]).dtype != value(z).dtype and not is_call(end, CONVERT):
        return None
    return Found(f"clip:{low!r}:{high!r}", end, tuple(nodes))


def _are_bounds(low, high):
    numbers = all(isinstance(bound, (int, float)) for bound in (low, high))
    return numbers and abs(low) < float("inf") and low <= high < float("inf")


def _find_threshold(gradient):
    """Of relu and clip: where(z <= LOW or z >= HIGH, 0, gradient)."""
    where = only_user(gradient)
    if not is_call(where, aten.where.self) or where.args[2] is not gradient:
        return None
    condition, zero, _ = where.args
    if not _is_zero(zero) or value(where).dtype != value(gradient).dtype:
        return None
    if is_call(condition, aten.le.Scalar) and condition.args[1] == 0:
        return Found("relu", where, (where,), original(condition.args[0]))
    if not is_call(condition, aten.bitwise_or.Tensor, aten.logical_or.default):
        return None
    low, high = condition.args
    if not is_call(low, aten.le.Scalar) or not is_call(high, aten.ge.Scalar):
        return None
    act = original(low.args[0])
    if original(high.args[0]) is not act or not _are_bounds(low.args[1], high.args[1]):
        return None
    return Found(f"clip:{low.args[1]!r}:{high.args[1]!r}", where, (where,), act)


def _is_zero(node):
    if is_call(node, aten.scalar_tensor.default):
        return node.args[0] == 0
    return is_call(node, aten.full.default) and node.args[1] == 0
