"""ONNX models as modules of ours.

    import conv_mlir, conv_mlir.onnx
    plan = conv_mlir.compile_module(conv_mlir.onnx.convert("model.onnx"))

docs/ONNX.md says which operators there are. Needs the package onnx.
"""

from .._library import Error

__all__ = ["convert"]


def convert(model, *, shapes=None, constants=None, tf32=False):
    """The text of a module whose one function computes an ONNX model.

    model: a path, the bytes of a file, or an onnx.ModelProto.
    shapes: extents of inputs by name, in the place of those in the model; all have to
    be known.
    constants: NumPy arrays by the name of an input that becomes a constant, such as
    the zero points of a model that has them as inputs.
    tf32: convolutions of f32 round their operands to tf32, for tensor cores.

    Arguments are the inputs in the model's order, results its outputs. uint8 is the
    same bits in i8. Raises Error, which names the node, for what cannot be done.
    """
    try:
        import onnx
    except ImportError as error:
        raise Error(
            f"conv_mlir.onnx needs the package onnx, which cannot be imported "
            f"({error}): pip install onnx"
        ) from None
    from ._importer import Importer
    from ._model import read_model

    return Importer(read_model(onnx, model, shapes or {}, constants or {}), tf32).run()
