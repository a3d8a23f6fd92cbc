"""Where ptxas is, NVIDIA's assembler."""

import importlib.util
import pathlib
from ctypes import byref, c_void_p

from ._environment import Environment
from ._library import encode, library, take

# Packages of PyPI that bring ptxas: PyTorch brings Triton.
_IN_PACKAGES = (
    ("triton", "backends/nvidia/bin"),  # triton
    ("nvidia", "cuda_nvcc/bin"),  # nvidia-cuda-nvcc-cu12
    ("nvidia", "cu13/bin"),  # nvidia-cuda-nvcc
)


def folders_in_packages():
    """Folders of installed Python packages where ptxas would be."""
    for name, folder in _IN_PACKAGES:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            continue
        for place in (spec.submodule_search_locations or ()) if spec else ():
            yield str(pathlib.Path(place) / folder)


def _find(cuda_home, search_path):
    path = c_void_p()
    library().find_ptxas(None, encode(cuda_home), encode(search_path), byref(path))
    return take(path)


def find_ptxas():
    """The path of ptxas in CUDA_HOME, PATH, /usr/local/cuda or an installed
    Python package (Triton's, NVIDIA's), or None."""
    environment = Environment.read()
    return _find(environment.cuda_home, environment.search_path) or _find(
        None, ":".join(folders_in_packages())
    )
