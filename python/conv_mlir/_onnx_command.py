"""python -m conv_mlir onnx: an ONNX model as a module for conv-run."""

import argparse
import os
import sys

from ._library import Error

DESCRIPTION = """Writes an ONNX model as MLIR (docs/ONNX.md), which conv-run FILE.mlir
compiles, executes and verifies."""


def main(arguments):
    parser = argparse.ArgumentParser("python -m conv_mlir onnx", description=DESCRIPTION)
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument(
        "-o", "--output", metavar="FILE.mlir", help="by default standard output"
    )
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="INPUT=1x3x224x224",
        help="the shape of an input whose extents the model leaves open",
    )
    parser.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="INPUT=PATH.npy",
        help="an input that becomes a constant",
    )
    parser.add_argument(
        "--tf32", action="store_true", help="convolutions of f32 in tf32, on tensor cores"
    )
    given = parser.parse_args(arguments)
    from .onnx import convert

    text = convert(
        given.model,
        shapes=dict(_read_shape(text) for text in given.shape),
        constants=dict(_read_constant(text) for text in given.constant),
        tf32=given.tf32,
    )
    _write(given.output, text)
    return 0


def _split(option, text):
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise Error(f"{option}: expected INPUT=VALUE, got '{text}'")
    return name, value


def _read_shape(text):
    name, value = _split("--shape", text)
    try:
        extents = [int(extent) for extent in value.split("x")] if value else []
    except ValueError:
        raise Error(f"--shape: expected extents such as 1x3x224, got '{value}'") from None
    return name, extents


def _read_constant(text):
    name, path = _split("--constant", text)
    try:
        import numpy

        return name, numpy.load(path, allow_pickle=False)
    except ImportError as error:
        raise Error(f"--constant needs the package numpy ({error})") from None
    except OSError as error:
        raise Error(f"--constant: {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise Error(f"--constant: {path}: {error}") from None


def _write(path, text):
    """The file is there whole or not at all."""
    if path is None:
        sys.stdout.write(text)
        return
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "w") as file:
            file.write(text)
        os.replace(partial, path)
    except OSError as error:
        if os.path.exists(partial):
            os.unlink(partial)
        raise Error(f"{path}: {error.strerror}") from None
