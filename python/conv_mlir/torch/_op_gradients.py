"""Gradients of our operators, in our operators and PyTorch's: so they have
gradients of their own."""

import torch

from .. import Error
from . import _activations, _brief
from ._types import BYTES, wide_type


def register(space, library):
    formulas = {
        "conv": (_conv_setup, _conv_backward),
        "conv_dgrad": (_dgrad_setup, _dgrad_backward),
        "conv_wgrad": (_wgrad_setup, _wgrad_backward),
    }
    for name, (setup, backward) in formulas.items():
        operator = getattr(getattr(torch.ops, space), name).default
        kernel = _autograd(operator, setup, backward)
        library.impl(name, kernel, "Autograd", with_keyset=True)


def _autograd(operator, setup, backward):
    """The kernel of an operator for autograd: torch.library.register_autograd() has
    the same in more steps, which a call has to pay."""
    below = torch._C._after_autograd_keyset

    def run(keys, arguments):
        with torch._C._AutoDispatchBelowAutograd():
            return operator.redispatch(keys & below, *arguments)

    class Differentiated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *arguments):
            *arguments, keys = arguments
            results = run(keys, arguments)
            setup(ctx, arguments, results)
            return results

        @staticmethod
        def backward(ctx, *gradients):
            return (*backward(ctx, *gradients), None)

    Differentiated.__name__ = f"{operator._opname}_backward"

    def kernel(keys, *arguments):
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*arguments):
            return Differentiated.apply(*arguments, keys)
        return run(keys, arguments)

    return kernel


def call(name, *arguments):
    """An operator of ours; where no gradients of it are wanted, the one that costs the
    host less."""
    if torch.is_grad_enabled() or is_traced():
        return getattr(torch.ops.conv_mlir, name)(*arguments)
    return call_brief(name, *arguments)


def call_brief(name, *arguments):
    """The operator without gradients and autocast."""
    brief = _brief.shorten(name, arguments)
    if brief is None:  # PyTorch says what is wrong.
        return getattr(torch.ops.conv_mlir, name)(*arguments)
    return getattr(torch.ops.conv_mlir_kernels, name)(*brief)


def is_traced():
    """Whether calls become a program, which has the operators with gradients."""
    return torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() > 0


def _check(name, type):
    if type in BYTES:
        raise Error(
            f"{name}: operands of 8 bits have no gradients of their own; give dy in 8 "
            "bits to conv_dgrad and conv_wgrad"
        )


def _conv_setup(ctx, inputs, output):
    x, w, bias, scale, residual, activation, *places, _ = inputs
    ctx.set_materialize_grads(False)
    ctx.activation, ctx.places = activation, places
    ctx.out = output.dtype
    y = output if activation != "none" and _activations.have_result(activation) else None
    ctx.save_for_backward(x, w, bias, scale, residual, y)


def _conv_backward(ctx, dy):
    x, w, bias, scale, residual, _ = ctx.saved_tensors
    needs = ctx.needs_input_grad
    _check("conv", x.dtype)
    if dy is None:
        return (None,) * 11
    dz = _through_activation(ctx, dy)
    inner = (dz if scale is None else dz * _rows(scale, dz)).to(x.dtype)
    dx = dw = db = None
    if needs[0]:
        dx = _dgrad(inner, w, x.shape, ctx.places)
    fused = needs[2] and scale is None and inner.dtype == dz.dtype
    if needs[1]:
        dw, db = _wgrad(x, inner, w.shape, fused, ctx.places)
    if needs[2]:
        db = (db if fused and needs[1] else _sum(dz)).to(bias.dtype)
    dscale = _scale_gradient(ctx, dz) if needs[3] else None
    dresidual = dz.to(residual.dtype) if needs[4] else None
    return (dx, dw, db if needs[2] else None, dscale, dresidual) + (None,) * 6


def _through_activation(ctx, dy):
    """The gradient in front of the activation."""
    x, w, bias, scale, residual, y = ctx.saved_tensors
    if ctx.activation == "none":
        return dy
    if y is not None:
        return _activations.from_result(ctx.activation, dy, y)
    # Computed once more rather than kept.
    z = call("conv", x, w, bias, scale, residual, "none", *ctx.places, ctx.out)
    return _activations.backward(ctx.activation, dy, z)


def _scale_gradient(ctx, dz):
    x, w, _, scale, _, _ = ctx.saved_tensors
    wide = wide_type(x.dtype)
    product = dz.to(wide) * call("conv", x, w, None, None, None, "none", *ctx.places, wide)
    sums = product.sum() if scale.numel() == 1 else _sum(product)
    return sums.reshape(scale.shape).to(scale.dtype)


def _rows(vector, like):
    return vector.reshape([1, -1] + [1] * (like.dim() - 2)).to(like.dtype)


def _sum(dz):
    return dz.sum([0, *range(2, dz.dim())], dtype=wide_type(dz.dtype))


def _dgrad(dy, w, shape, places):
    return call("conv_dgrad", dy, w, None, None, shape, "none", *places, None)


def _wgrad(x, dy, shape, bias, places):
    return call("conv_wgrad", x, dy, None, shape, bias, *places, None)


def _conv(x, w, places):
    return call("conv", x, w, None, None, None, "none", *places, None)


# Of the gradients, which are linear in both operands.


def _dgrad_setup(ctx, inputs, output):
    dy, w, act, scale, _, activation, *places, _ = inputs
    ctx.activation, ctx.places = activation, places
    ctx.save_for_backward(dy, w, act, scale)


def _dgrad_backward(ctx, gradient):
    dy, w, act, scale = ctx.saved_tensors
    needs = ctx.needs_input_grad
    _check("conv_dgrad", dy.dtype)
    if scale is not None or needs[2]:
        raise Error("conv_dgrad: no gradients of act, nor beside a scale")
    if act is not None:
        gradient = _activations.backward(ctx.activation, gradient, act.to(gradient.dtype))
    gradient = gradient.to(dy.dtype)
    ddy = _conv(gradient, w, ctx.places) if needs[0] else None
    dw = _wgrad(gradient, dy, w.shape, False, ctx.places)[0] if needs[1] else None
    return (ddy, dw) + (None,) * 9


def _wgrad_setup(ctx, inputs, output):
    x, dy, scale, _, bias, *places, _ = inputs
    ctx.bias, ctx.places = bias, places
    ctx.save_for_backward(x, dy, scale)


def _wgrad_backward(ctx, gradient, bias_gradient):
    x, dy, scale = ctx.saved_tensors
    needs = ctx.needs_input_grad
    _check("conv_wgrad", x.dtype)
    if scale is not None:
        raise Error("conv_wgrad: no gradients beside a scale")
    gradient = gradient.to(x.dtype)
    dx = _dgrad(dy, gradient, x.shape, ctx.places) if needs[0] else None
    ddy = _conv(x, gradient, ctx.places) if needs[1] else None
    if needs[1] and ctx.bias:
        ddy = ddy + _rows(bias_gradient, ddy)
    return (dx, ddy) + (None,) * 8
