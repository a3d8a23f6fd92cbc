"""Says what conv-mlir finds on this machine, and what to do where it misses something.

A line each: `ok`, `-` (works without it, and what that means) or `missing`.
Exit status: 0, or 2 where something is missing that nothing works without.
"""

import argparse
import ctypes
import subprocess
import sys

from . import Device, Error, compile, targets, version
from ._cache_command import find_directory, summarise
from ._library import find_library
from ._ptxas import find_ptxas

OK, OPTIONAL, MISSING = "ok", "-", "missing"


def check_python():
    return OK, "{}.{}.{}".format(*sys.version_info)


def check_library():
    try:
        path = find_library()
        return OK, f"{version()}, {path}; it compiles for {targets()}"
    except Error as error:
        return MISSING, f"{error}; install the wheel again, or set CONV_MLIR_LIBRARY"


def check_driver():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return OPTIONAL, (
            "no libcuda.so.1: kernels run on the emulator; for a GPU install "
            "NVIDIA's driver"
        )
    number = ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return OPTIONAL, "libcuda.so.1 does not answer: kernels run on the emulator"
    return OK, f"CUDA {number.value // 1000}.{number.value % 1000 // 10}"


def check_device():
    try:
        device = Device(0)
    except Error as error:
        return OPTIONAL, f"none ({error}): kernels run on the emulator"
    return OK, (
        f"{device.name}, {device.target}, {device.multiprocessors} multiprocessors; "
        f"kernels are compiled for {device.best_target}"
    )


def check_ptxas():
    path = find_ptxas()
    if path is None:
        return OPTIONAL, (
            "not in CUDA_HOME, PATH, /usr/local/cuda or a Python package: the driver "
            "assembles kernels when they are loaded; `pip install nvidia-cuda-nvcc` "
            "brings it"
        )
    try:
        run = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60
        )
        lines = [line for line in run.stdout.splitlines() if "release" in line]
        release = lines[0].strip() if lines else "of an unknown release"
    except (OSError, subprocess.TimeoutExpired) as error:
        return OPTIONAL, f"{path} does not run ({error}): set CUDA_HOME to another"
    return OK, f"{path}, {release}"


def check_compiler():
    """One layer, compiled as a user would."""
    try:
        plan = compile("forward c=64 h=8 w=8 k=64 r=3 s=3 pad=1", device="")
    except Error as error:
        return MISSING, str(error)
    return OK, f"a 3x3 layer for {plan.target} in {plan.compile_ms:.0f} ms"


def check_cache():
    try:
        return OK, summarise(find_directory())
    except Error as error:
        return OPTIONAL, (
            f"{error}: no plan is kept; set CONV_MLIR_CACHE_DIR to a folder that "
            "can be made"
        )


def check_torch():
    try:
        import torch
    except ImportError as error:
        return OPTIONAL, f"not installed ({error}): conv_mlir.torch needs it"
    built = f"for CUDA {torch.version.cuda}" if torch.version.cuda else "without CUDA"
    return OK, f"{torch.__version__}, {built}"


def check_override():
    """Enables our kernels in PyTorch, and takes them back."""
    try:
        from . import torch as ours
        from .torch import _rules
    except ImportError:
        return OPTIONAL, "nothing: conv_mlir.torch needs PyTorch"
    try:
        with ours.enabled():
            pass
    except Error as error:
        return OPTIONAL, f"nothing, conv_mlir.torch.enable() refuses: {error}"
    slow = _rules.obstacle()
    return OK, (
        "conv_mlir.torch.enable() replaces aten::convolution and "
        "aten::convolution_backward for CUDA tensors, in "
        + (f"Python, which takes more of the host's time: {slow}" if slow else "C")
    )


def check_jax():
    """Makes our handlers known to XLA."""
    try:
        import jax
    except ImportError as error:
        return OPTIONAL, f"not installed ({error}): conv_mlir.jax needs it"
    try:
        from . import jax as ours
    except Exception as error:  # Whatever JAX raises for another version of XLA.
        return OPTIONAL, f"{jax.__version__}, which refuses conv_mlir.jax: {error}"
    return OK, f"{jax.__version__}, {ours.__name__} has its handlers in XLA"


# Other parts of the package add theirs.
CHECKS = [
    ("Python", check_python),
    ("library", check_library),
    ("driver", check_driver),
    ("device", check_device),
    ("ptxas", check_ptxas),
    ("compiler", check_compiler),
    ("cache", check_cache),
    ("PyTorch", check_torch),
    ("override", check_override),
    ("JAX", check_jax),
]


def main(arguments):
    parser = argparse.ArgumentParser("python -m conv_mlir doctor", description=__doc__)
    parser.parse_args(arguments)
    works = True
    for name, check in CHECKS:
        if not works and check is not check_torch:
            continue  # Nothing else can be asked without the library.
        state, text = check()
        works &= state != MISSING
        print(f"{state:8}{name:10}{text}", flush=True)
    return 0 if works else 2
