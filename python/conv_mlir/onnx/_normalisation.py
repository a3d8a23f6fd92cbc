"""BatchNormalization: part of the convolution in front, or a scale and a bias."""

import numpy
import onnx

from .._layers import channel_vector
from .._scalar_functions import add, multiply

PARAMETERS = ("the scale", "the bias", "the mean", "the variance")


def affine(scale, bias, mean, variance, epsilon):
    """Factor and summand of each channel, in f64."""
    scale, bias, mean, variance = (
        numpy.asarray(a).astype(numpy.float64) for a in (scale, bias, mean, variance)
    )
    factor = scale / numpy.sqrt(variance + epsilon)
    return factor, bias - mean * factor


def batch_normalisation(node):
    node.expect_floats()
    node.attribute("momentum")
    node.expect("spatial", 1)
    _refuse_training(node)
    epsilon = node.attribute("epsilon", 1e-5)
    arrays = [node.constant(1 + i, what) for i, what in enumerate(PARAMETERS)]
    factor, summand = affine(*arrays, epsilon)
    x = node.value(0)
    # Kept in f32 where images have 16 bits: it is rounded once, behind the sum.
    type = "f64" if x.type == "f64" else "f32"
    vectors = [_vector(node, array, type, len(x.shape)) for array in (factor, summand)]

    def compute(body, scalars):
        return add(body, multiply(body, scalars[0], scalars[1]), scalars[2])

    return node.function.elementwise([x, *vectors], x.shape, x.type, compute)


def _refuse_training(node):
    if node.opset < 7:
        training = not node.attribute("is_test", 0)
    else:
        training = node.attribute("training_mode", 0)
    if training:
        raise node.refuse("expected inference, got training: statistics of the batch")


def _vector(node, array, type, rank):
    array = array.astype(numpy.float64 if type == "f64" else numpy.float32)
    vector = node.function.constant(array.tobytes(), type, array.shape)
    return channel_vector(node.function, vector, max(rank, 2))


def fold_normalisations(model, constants):
    """A convolution with constant filters behind which nothing but a normalisation
    reads has the filters and the bias of both."""
    readers = {}
    for node in model.nodes:
        for name in node.input:
            readers[name] = readers.get(name, 0) + 1
    producers = {node.output[0]: node for node in model.nodes if node.op_type == "Conv"}
    for node in list(model.nodes):
        conv = producers.get(node.input[0]) if _is_foldable(node, model, constants) else None
        name = node.input[0] if node.input else ""
        if conv is not None and readers[name] == 1 and name not in model.outputs:
            _fold(model, constants, conv, node)


def _is_foldable(node, model, constants):
    if node.op_type != "BatchNormalization" or len([o for o in node.output if o]) != 1:
        return False
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    training = attributes.get("training_mode", 0) or (
        model.opset < 7 and not attributes.get("is_test", 0)
    )
    known = {"epsilon", "momentum", "training_mode", "is_test", "spatial"}
    if training or attributes.get("spatial", 1) != 1 or set(attributes) - known:
        return False
    return all(name in constants for name in node.input[1:])


def _fold(model, constants, conv, node):
    """The convolution takes the place of both; its filter and bias have new names."""
    filter = constants.get(conv.input[1])
    has_bias = len(conv.input) > 2 and conv.input[2]
    bias = constants.get(conv.input[2]) if has_bias else 0.0
    if filter is None or bias is None:
        return
    epsilon = {a.name: a.f for a in node.attribute}.get("epsilon", 1e-5)
    factor, summand = affine(*(constants[n] for n in node.input[1:]), epsilon)
    rows = factor.reshape([-1] + [1] * (filter.ndim - 1))
    folded = (filter.astype(numpy.float64) * rows).astype(filter.dtype)
    summand = (numpy.asarray(bias, numpy.float64) * factor + summand).astype(filter.dtype)
    names = [f"{node.output[0]}/filter", f"{node.output[0]}/bias"]
    for name, array in zip(names, (folded, summand)):
        constants[name] = array
        fact = model.facts[conv.input[1]]
        model.facts[name] = type(fact)(fact.elements, array.shape)
    joined = onnx.NodeProto()
    joined.CopyFrom(conv)
    del joined.input[1:], joined.output[:]
    joined.input.extend(names)
    joined.output.append(node.output[0])
    model.nodes[model.nodes.index(node)] = joined
    model.nodes.remove(conv)


OPERATORS = {"BatchNormalization": batch_normalisation}
