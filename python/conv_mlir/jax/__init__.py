"""JAX's convolutions on kernels of conv-mlir.

    from conv_mlir.jax import conv_general_dilated

It takes what jax.lax.conv_general_dilated takes, and runs our kernels within
programs of XLA: under jit, grad, vmap, on a GPU, and on the CPU by the emulator.
docs/JAX.md has the details.
"""

from ._call import conv_general_dilated
from ._handlers import register
from ._plans import plans

__all__ = ["conv_general_dilated", "plans"]

register()
