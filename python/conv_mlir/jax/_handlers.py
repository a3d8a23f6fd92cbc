"""The library's handlers, made known to XLA, and the plans that they run."""

import ctypes

import jax

from .._library import encode, library

# The name of the call in programs, on every platform.
TARGET = "conv_mlir"


def register():
    """Makes the handlers known, once: what is registered twice is an error where it
    differs."""
    for platform, name in (("cpu", "jax_emulate"), ("CUDA", "jax_launch")):
        address = library().address(name)
        bundle = {"execute": jax.ffi.pycapsule(ctypes.c_void_p(address))}
        if platform == "CUDA":
            bundle["initialize"] = jax.ffi.pycapsule(ctypes.c_void_p(address))
        jax.ffi.register_ffi_target(TARGET, bundle, platform=platform)


def add_plan(name, plan):
    """Lets calls run a plan by its name, for the rest of the process."""
    library().jax_add_plan(encode(name), plan.handle)
