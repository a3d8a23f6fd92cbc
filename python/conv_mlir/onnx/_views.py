"""The same elements in another shape or order, zeros around them, and products of
matrices, which are convolutions of 1x1."""

import numpy

from .._layers import product
from .._scalar_functions import add, multiply


def view(node):
    """Reshape and its kind: the shape is the one that onnx infers."""
    for name in ("axes", "axis", "allowzero"):
        node.attribute(name)
    return node.function.reshape(node.value(0), node.result_shape)


def dropout(node):
    for name in ("ratio", "seed", "is_test"):
        node.attribute(name)
    if node.has(2) and node.constant(2, "training_mode"):
        raise node.refuse("expected inference, got training_mode")
    return node.value(0)


def transpose(node):
    x = node.value(0)
    permutation = node.attribute("perm") or list(range(len(x.shape)))[::-1]
    return node.function.transpose(x, permutation)


def pad(node):
    node.expect("mode", "constant")
    x = node.value(0)
    node.expect_numbers() if node.opset < 11 else node.expect_floats(0)
    if node.opset < 11:
        pads, number = node.attribute("pads"), node.attribute("value", 0.0)
    else:
        pads = node.constant(1, "pads").tolist()
        number = node.number(2, "the value") if node.has(2) else 0
    rank = len(x.shape)
    axes = list(range(rank))
    if node.has(3):
        axes = [a % rank for a in node.constant(3, "axes").tolist()]
    low, high = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[len(axes) + i]
    if min(low + high) < 0:
        raise node.refuse(f"pads: expected numbers of at least 0, got {pads}")
    return node.function.pad(x, low, high, number)


def gemm(node):
    node.expect_floats()
    node.attribute("broadcast")  # Of old versions: what NumPy does.
    a = _matrix(node, 0, node.attribute("transA", 0))
    b = _matrix(node, 1, not node.attribute("transB", 0))
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    sums = product(node.function, a, b, node.importer.tf32)

    def compute(body, scalars):
        result = scalars[0]
        if alpha != 1:
            result = multiply(body, result, body.number(alpha, result.type))
        if len(scalars) == 1:
            return result
        summand = scalars[1]
        if beta != 1:
            summand = multiply(body, summand, body.number(beta, result.type))
        return add(body, result, summand)

    operands = [sums] + ([node.value(2)] if node.has(2) else [])
    return node.function.elementwise(operands, sums.shape, node.result_type, compute)


def _matrix(node, index, transposed):
    """An operand of two dimensions, rows first; constants are turned here."""
    if len(node.shape(index)) != 2:
        raise node.refuse(
            f"'{node.proto.input[index]}': expected a matrix, got a shape of "
            f"{list(node.shape(index))}"
        )
    if not transposed:
        return node.value(index)
    array = node.array(index)
    if array is None:
        return node.function.transpose(node.value(index), (1, 0))
    turned = numpy.ascontiguousarray(array.T)
    type = node.importer.type(node.proto.input[index])
    return node.function.constant(turned.tobytes(), type, turned.shape)


def matrix_product(node):
    node.expect_floats()
    a, b = _matrix(node, 0, False), _matrix(node, 1, True)
    result = product(node.function, a, b, node.importer.tf32)
    return node.function.elementwise(
        [result], result.shape, node.result_type, lambda body, scalars: scalars[0]
    )


OPERATORS = {
    "Dropout": dropout,
    "Flatten": view,
    "Gemm": gemm,
    "Identity": view,
    "MatMul": matrix_product,
    "Pad": pad,
    "Reshape": view,
    "Squeeze": view,
    "Transpose": transpose,
    "Unsqueeze": view,
}
