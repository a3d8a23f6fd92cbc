"""Operators of aten on each element, and those that only move or view elements."""

import math

import torch

from .. import _scalar_functions as scalar
from .._module_text import Value, is_float
from ._aten_lowering import Fill, argument

aten = torch.ops.aten


def _of(count, compute):
    """An operator whose first `count` arguments are elements."""
    return lambda lowering, node: lowering.elementwise(node, node.args[:count], compute)


def _math(name):
    return _of(1, lambda body, a: body.apply(name, a))


def _scaled(compute):
    """add and sub have a factor of the second operand."""

    def run(lowering, node):
        alpha = node.kwargs.get("alpha", 1)

        def of_scaled(body, a, b):
            if alpha != 1:
                b = scalar.multiply(body, b, body.number(alpha, b.type))
            return compute(body, a, b)

        return lowering.elementwise(node, node.args[:2], of_scaled)

    return run


def _reverse_subtract(lowering, node):
    return lowering.elementwise(
        node, node.args[:2], lambda body, a, b: scalar.subtract(body, b, a)
    )


def _compare(float_predicate, integer_predicate):
    def run(lowering, node):
        def compute(body, a, b):
            predicate = float_predicate if is_float(a.type) else integer_predicate
            return body.compare(predicate, a, b)

        return lowering.condition(node.args[:2], compute)

    return run


def _clamp(lowering, node):
    low = node.kwargs.get("min", argument(node, 1, None))
    high = node.kwargs.get("max", argument(node, 2, None))
    return lowering.elementwise(
        node, node.args[:1], lambda body, a: scalar.clip(body, a, low, high)
    )


def _hardtanh(lowering, node):
    low, high = argument(node, 1, -1), argument(node, 2, 1)
    return lowering.elementwise(
        node, node.args[:1], lambda body, a: scalar.clip(body, a, low, high)
    )


def _leaky_relu(lowering, node):
    slope = argument(node, 1, 0.01)
    return lowering.elementwise(
        node, node.args[:1], lambda body, a: scalar.leaky_relu(body, a, slope)
    )


def _elu(lowering, node):
    alpha = argument(node, 1, 1.0)
    scales = node.args[2:]
    if any(number != 1 for number in scales):
        raise lowering.refuse(node, f"expected scales of 1, got {list(scales)}")
    return lowering.elementwise(
        node, node.args[:1], lambda body, a: scalar.elu(body, a, alpha)
    )


def _gelu(lowering, node):
    kind = node.kwargs.get("approximate", "none")
    compute = scalar.gelu_tanh if kind == "tanh" else scalar.gelu
    return lowering.elementwise(node, node.args[:1], compute)


def _power(lowering, node):
    """Of a number: squares are products, as PyTorch computes them."""
    exponent = node.args[1]

    def compute(body, a):
        if exponent == 1:
            return a
        if exponent == 2:
            return scalar.multiply(body, a, a)
        if exponent == 0.5:
            return body.apply("math.sqrt", a)
        return body.apply("math.powf", a, body.number(exponent, a.type))

    return lowering.elementwise(node, node.args[:1], compute)


def _reciprocal(body, a):
    return scalar.divide(body, body.number(1, a.type), a)


def _threshold_backward(body, grad, x, threshold):
    passes = body.compare("ugt", x, threshold)  # NaN passes.
    return body.select(passes, grad, body.number(0, grad.type))


# Tensors of one number.


def _full(position):
    def run(lowering, node):
        type, shape = lowering.result(node)
        return Fill(node.args[position], type, shape)

    return run


def _zeros(lowering, node):
    type, shape = lowering.result(node)
    return Fill(0, type, shape)


# The same elements.


def _same(lowering, node):
    return lowering.operand(node.args[0])


def _view(lowering, node):
    value = lowering.operand(node.args[0])
    _, shape = lowering.result(node)
    if isinstance(value, Fill):
        return Fill(value.number, value.type, shape)
    return lowering.function.reshape(lowering.tensor(node.args[0]), shape)


def _expand(lowering, node):
    value = lowering.operand(node.args[0])
    _, shape = lowering.result(node)
    if isinstance(value, Fill):
        return Fill(value.number, value.type, shape)
    if math.prod(value.shape) == math.prod(shape):
        return lowering.function.reshape(value, shape)
    return lowering.elementwise(node, node.args[:1], lambda body, a: a)


def _convert(lowering, node):
    value = lowering.operand(node.args[0])
    type, _ = lowering.result(node)
    if isinstance(value, Value) and value.type == type:
        return value
    return lowering.elementwise(node, node.args[:1], lambda body, a: a)


def _permute(lowering, node):
    value = lowering.tensor(node.args[0])
    rank = len(value.shape)
    if node.target is aten.permute.default:
        order = [d % rank for d in node.args[1]]
    else:
        order = list(range(rank))
        a, b = node.args[1:] if len(node.args) == 3 else (0, rank - 1)
        order[a], order[b] = order[b], order[a]
    return lowering.function.transpose(value, order)


def _pad(lowering, node):
    """pads are of the last dimension first, in front of it and behind it."""
    value, pads = lowering.tensor(node.args[0]), list(node.args[1])
    number = argument(node, 2, 0)
    if min(pads, default=0) < 0:
        raise lowering.refuse(node, f"expected pads of at least 0, got {pads}")
    rest = len(value.shape) - len(pads) // 2
    low = [0] * rest + pads[0::2][::-1]
    high = [0] * rest + pads[1::2][::-1]
    return lowering.function.pad(value, low, high, number)


COMPARISONS = {
    "eq": ("oeq", "eq"),
    "ge": ("oge", "sge"),
    "gt": ("ogt", "sgt"),
    "le": ("ole", "sle"),
    "lt": ("olt", "slt"),
    "ne": ("une", "ne"),
}

OPERATORS = {
    aten._to_copy.default: _convert,
    aten._unsafe_view.default: _view,
    aten.abs.default: _of(1, scalar.absolute),
    aten.add.Scalar: _scaled(scalar.add),
    aten.add.Tensor: _scaled(scalar.add),
    aten.alias.default: _same,
    aten.clamp.default: _clamp,
    aten.clamp_max.default: _of(2, scalar.minimum),
    aten.clamp_min.default: _of(2, scalar.maximum),
    aten.clone.default: _same,
    aten.constant_pad_nd.default: _pad,
    aten.detach.default: _same,
    aten.div.Scalar: _of(2, scalar.divide),
    aten.div.Tensor: _of(2, scalar.divide),
    aten.elu.default: _elu,
    aten.erf.default: _math("math.erf"),
    aten.exp.default: _math("math.exp"),
    aten.expand.default: _expand,
    aten.full.default: _full(1),
    aten.full_like.default: _full(1),
    aten.gelu.default: _gelu,
    aten.hardsigmoid.default: _of(1, lambda b, a: scalar.hard_sigmoid(b, a, 1 / 6, 0.5)),
    aten.hardswish.default: _of(1, scalar.hard_swish),
    aten.hardtanh.default: _hardtanh,
    aten.leaky_relu.default: _leaky_relu,
    aten.log.default: _math("math.log"),
    aten.log1p.default: _math("math.log1p"),
    aten.maximum.default: _of(2, scalar.maximum),
    aten.minimum.default: _of(2, scalar.minimum),
    aten.mul.Scalar: _of(2, scalar.multiply),
    aten.mul.Tensor: _of(2, scalar.multiply),
    aten.neg.default: _of(1, scalar.negate),
    aten.permute.default: _permute,
    aten.pow.Tensor_Scalar: _power,
    aten.reciprocal.default: _of(1, _reciprocal),
    aten.relu.default: _of(1, scalar.relu),
    aten.rsqrt.default: _math("math.rsqrt"),
    aten.rsub.Scalar: _reverse_subtract,
    aten.scalar_tensor.default: _full(0),
    aten.sigmoid.default: _of(1, scalar.sigmoid),
    aten.silu.default: _of(1, scalar.silu),
    aten.sqrt.default: _math("math.sqrt"),
    aten.squeeze.dims: _view,
    aten.squeeze.dim: _view,
    aten.sub.Scalar: _scaled(scalar.subtract),
    aten.sub.Tensor: _scaled(scalar.subtract),
    aten.t.default: _permute,
    aten.tanh.default: _math("math.tanh"),
    aten.threshold_backward.default: _of(3, _threshold_backward),
    aten.transpose.int: _permute,
    aten.unsqueeze.default: _view,
    aten.view.default: _view,
    aten.where.self: _of(3, lambda body, c, a, b: body.select(c, a, b)),
    aten.zeros_like.default: _zeros,
}
for _name, _predicates in COMPARISONS.items():
    for _overload in ("Scalar", "Tensor"):
        OPERATORS[getattr(getattr(aten, _name), _overload)] = _compare(*_predicates)
