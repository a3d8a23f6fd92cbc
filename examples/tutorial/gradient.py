"""Prints the gradients of a layer as StableHLO; docs/tutorial/6-jax.md. Needs JAX
(gradient.mlir is what JAX 0.10.2 printed), and no GPU."""

import jax
import jax.numpy as jnp

ORDER = ("NHWC", "HWIO", "NHWC")


def loss(w, x):
    y = jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=ORDER)
    return jnp.sum(jax.nn.relu(y))


shapes = [(3, 3, 16, 32), (2, 14, 14, 16)]
arguments = [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in shapes]
print(jax.jit(jax.grad(loss, argnums=(0, 1))).lower(*arguments).as_text())
