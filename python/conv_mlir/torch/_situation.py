"""What a measurement depends on: the call, the device, all versions, and PyTorch's
flags. Measurements are kept on disk under it (_measurements.py)."""

import functools
import os
import pathlib

import torch

from .._library import find_library, version
from .._measurements import measurements_of
from .._ptxas import find_ptxas
from .._tuning import find_tuning_file
from ._plans import disk

_DRIVER = pathlib.Path("/proc/driver/nvidia/version")


def situation(policy, device, line, which, tensors, parameters):
    """A dictionary that JSON can have; two calls with the same one take the same
    times."""
    return {
        "policy": policy,
        "problem": line,
        "call": [which, list(parameters), *map(_layout, tensors.values())],
        "device": [*device.describe(), *device.flags(tensors["x"].dtype)],
        "versions": list(_versions()),
        "tuning": [_file(find_tuning_file()), *_shipped_records()],
        "flags": _flags(),
    }


def _layout(tensor):
    if tensor is None:
        return None
    return [str(tensor.dtype), list(tensor.shape), list(tensor.stride())]


@functools.lru_cache(maxsize=None)
def _versions():
    """Of everything that computes. The library and ptxas are named by their files,
    which change when they are built or installed again."""
    return (
        *(version(), _file(find_library()), _file(find_ptxas())),
        *(torch.__version__, torch.version.cuda, torch.backends.cudnn.version()),
        _DRIVER.read_text().splitlines()[0] if _DRIVER.exists() else None,
    )


@functools.lru_cache(maxsize=None)
def _shipped_records():
    """The tuning records that come with the library (docs/Tuning.md)."""
    folder = pathlib.Path(os.path.realpath(find_library())).parents[1]
    return tuple(map(_file, sorted(folder.glob("share/conv-mlir/tuning/*.json"))))


def _file(path):
    if not path:
        return None
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
    except OSError:
        return [path]
    return [path, status.st_size, status.st_mtime_ns]


def _flags():
    """Those that change which kernels PyTorch runs; that of tf32 is in what the
    device says."""
    cudnn = torch.backends.cudnn
    names = ("benchmark", "benchmark_limit", "deterministic")
    return {
        **{name: getattr(cudnn, name, None) for name in names},
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled(),
    }


@functools.lru_cache(maxsize=None)
def measurements():
    """Those of this process and of the cache's folder."""
    return measurements_of(disk())
