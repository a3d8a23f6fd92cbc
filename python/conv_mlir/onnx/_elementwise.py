"""Operators on each element: activations, sums and products with broadcasting."""

from .. import _scalar_functions as scalar
from .._module_text import is_float


def _unary(compute, numbers=False):
    def run(node):
        node.expect_numbers() if numbers else node.expect_floats()
        return node.unary(compute)

    return run


def _math(name):
    return _unary(lambda body, a: body.apply(name, a))


def _binary(compute, floats=False):
    """Of two operands or, as Max and Sum, of any number."""

    def run(node):
        node.expect_floats() if floats else node.expect_numbers()

        def fold(body, scalars):
            result = scalars[0]
            for other in scalars[1:]:
                result = compute(body, result, other)
            return result

        return node.function.elementwise(
            node.values(), node.result_shape, node.result_type, fold
        )

    return run


def divide(node):
    node.expect_floats()
    return _binary(scalar.divide)(node)


def clip(node):
    node.expect_numbers()
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
    else:
        low = node.number(1, "the minimum") if node.has(1) else None
        high = node.number(2, "the maximum") if node.has(2) else None
    return node.unary(lambda body, a: scalar.clip(body, a, low, high))


def cast(node):
    """From one float to another."""
    node.expect_floats()
    node.expect("saturate", 1)
    node.attribute("to")
    if not is_float(node.result_type):
        raise node.refuse(f"expected floats as result, got {node.result_elements}")
    return node.function.elementwise(
        [node.value(0)], node.result_shape, node.result_type, lambda body, scalars: scalars[0]
    )


def leaky_relu(node):
    node.expect_floats()
    slope = node.attribute("alpha", 0.01)
    return node.unary(lambda body, a: scalar.leaky_relu(body, a, slope))


def prelu(node):
    node.expect_floats()
    if node.opset < 7:
        raise node.refuse(f"expected operators of version 7 or later, got {node.opset}")

    def compute(body, scalars):
        x, slope = scalars
        return scalar.select_positive(body, x, x, scalar.multiply(body, x, slope))

    return node.function.elementwise(
        node.values(), node.result_shape, node.result_type, compute
    )


def elu(node):
    node.expect_floats()
    scale = node.attribute("alpha", 1.0)
    return node.unary(lambda body, a: scalar.elu(body, a, scale))


def hard_sigmoid(node):
    node.expect_floats()
    slope, shift = node.attribute("alpha", 0.2), node.attribute("beta", 0.5)
    return node.unary(lambda body, a: scalar.hard_sigmoid(body, a, slope, shift))


def gelu(node):
    node.expect_floats()
    kind = node.expect("approximate", "none", "tanh")
    return node.unary(scalar.gelu_tanh if kind == "tanh" else scalar.gelu)


def swish(node):
    node.expect_floats()
    alpha = node.attribute("alpha", 1.0)

    def compute(body, a):
        scaled = scalar.multiply(body, a, body.number(alpha, a.type))
        return scalar.multiply(body, a, scalar.sigmoid(body, scaled))

    return node.unary(compute)


OPERATORS = {
    "Abs": _unary(scalar.absolute, numbers=True),
    "Add": _binary(scalar.add),
    "Cast": cast,
    "Clip": clip,
    "Div": divide,
    "Elu": elu,
    "Erf": _math("math.erf"),
    "Exp": _math("math.exp"),
    "Gelu": gelu,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": _unary(scalar.hard_swish),
    "LeakyRelu": leaky_relu,
    "Log": _math("math.log"),
    "Max": _binary(scalar.maximum),
    "Min": _binary(scalar.minimum),
    "Mul": _binary(scalar.multiply),
    "Neg": _unary(scalar.negate, numbers=True),
    "PRelu": prelu,
    "Relu": _unary(scalar.relu, numbers=True),
    "Sigmoid": _unary(scalar.sigmoid),
    "Sqrt": _math("math.sqrt"),
    "Sub": _binary(scalar.subtract),
    "Sum": _binary(scalar.add, floats=True),
    "Swish": swish,
    "Tanh": _math("math.tanh"),
}
