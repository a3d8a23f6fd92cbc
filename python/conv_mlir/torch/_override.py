"""The kernels of aten::convolution and aten::convolution_backward for a device.

Each call runs our kernel, or PyTorch's own, which was taken before ours took its
place. Autograd, autocast, vmap and torch.compile lie above the two operators: they
work as before.
"""

import warnings
from dataclasses import dataclass
from typing import Callable, Optional

import torch

from .. import Error
from ._devices import Emulator, Gpu
from ._problem import parameters_of
from ._recent import Recent
from ._report import Table
from ._routes import make_route

# Results of the backward that a route computes: their places among the gradients of
# x, w and the bias. A route of two may compute the first one alone.
PLACES = {"dx": (0,), "dw": (1,), "dw+db": (1, 2)}
# Signatures whose decision is remembered.
ROUTES = 4096


@dataclass(frozen=True)
class Settings:
    """What enable() is told; `sample` takes the place of the device's clock
    (sample_gpu() of _measure.py)."""

    policy: str
    compile: str
    sample: Optional[Callable] = None


class Original:
    """PyTorch's own kernel of an operator."""

    def __init__(self, name, key):
        if hasattr(torch.library, "get_kernel"):  # torch 2.9
            self.call = torch.library.get_kernel(f"aten::{name}", key).call_boxed
            return
        # Before, both operators had one kernel for all devices.
        operator = getattr(torch.ops.aten, name).default
        all_devices = torch._C.DispatchKey.CompositeExplicitAutograd
        self.call = lambda keyset, *arguments: operator._op_dk(all_devices, *arguments)


class Override:
    """Our kernels in the place of PyTorch's, from now on until remove()."""

    # Whether a call costs the host less than PyTorch's own.
    is_cheap = False

    def __init__(self, kind, settings):
        self.settings = settings
        self.table = Table()
        self._key = {"cpu": "CPU", "cuda": "CUDA"}[kind]
        self._routes = Recent(ROUTES)
        self._devices = {}
        self._make_device = _emulator if kind == "cpu" else _gpu
        self._forward = Original("convolution", self._key).call
        self._backward = Original("convolution_backward", self._key).call
        self._library = None
        try:
            self._take_over()
        except Error:
            self.remove()
            raise

    def _take_over(self):
        """Puts our kernels in front of PyTorch's."""
        self._library = torch.library.Library("aten", "IMPL")
        self._register("convolution", self._convolution)
        self._register("convolution_backward", self._convolution_backward)

    def count(self):
        """Brings what was not counted yet into the rows of the report."""

    def remove(self):
        """Puts PyTorch's kernels back."""
        self._library._destroy()
        # Or PyTorch forgets, when it collects this library, who has replaced the
        # operators since.
        self._library._op_impls.clear()

    def _register(self, name, kernel):
        try:
            with warnings.catch_warnings():
                # That a kernel is replaced, which is what the user asked for.
                warnings.filterwarnings("ignore", "(?s).*Overriding a previously")
                self._library.impl(name, kernel, self._key, with_keyset=True)
        except RuntimeError as error:
            raise Error(
                f"another package has replaced aten::{name} for {self._key}: {error}"
            ) from None

    def _convolution(self, keyset, x, w, bias, *rest):
        tensors = dict(x=x, w=w, bias=bias)
        route = self._route("y", tensors, rest)

        def theirs():
            return self._forward(keyset, x, w, bias, *rest)

        return route.run(tensors)[0] if route.takes(tensors, theirs) else theirs()

    def _convolution_backward(self, keyset, dy, x, w, bias_sizes, *rest):
        *parameters, mask = rest
        results = [None, None, None]

        def theirs(left):
            return self._backward(keyset, dy, x, w, bias_sizes, *parameters, left)

        for which in routes_of(mask):
            found = self._gradients(which, dy, x, w, parameters, theirs)
            for place, result in zip(PLACES[which], found):
                results[place] = result
        if mask[2] and results[2] is None and any(r is not None for r in results):
            results[2] = _bias_gradient(dy)
        left = [asked and result is None for asked, result in zip(mask, results)]
        if any(left) or not any(mask):
            found = theirs(left)
            results = [f if l else r for f, l, r in zip(found, left, results)]
        return tuple(results)

    def _gradients(self, which, dy, x, w, parameters, theirs):
        """Our results of a route; none where PyTorch's kernel runs."""
        tensors = dict(x=x, w=w, dy=dy)
        route = self._route(which, tensors, parameters)

        def alone():
            return theirs(same_results(which, route))

        return route.run(tensors) if route.takes(tensors, alone) else ()

    def _route(self, which, tensors, parameters):
        parameters = parameters_of(*parameters)
        x = tensors["x"]
        device = self._device(x.device)
        key = (which, parameters, device.flags(x.dtype), *map(_facts, tensors.values()))
        route = self._routes.get(key)
        if route is None:
            made = make_route(
                *(self.settings, device, self.table, which, tensors, parameters),
                is_cheap=self.is_cheap,
            )
            route = self._routes.add(key, lambda: made)
        return route

    def _device(self, device):
        index = device.index or 0
        found = self._devices.get(index)
        if found is None:
            found = self._devices[index] = self._make_device(index)
        return found


def _emulator(index):
    return Emulator()


def _gpu(index):
    return Gpu(index)


def _facts(tensor):
    """What of a tensor a signature has."""
    if tensor is None:
        return None
    return tensor.shape, tensor.stride(), tensor.dtype, tensor.device, tensor.layout


def routes_of(mask):
    """The routes of a backward call, by the results that it is asked for."""
    routes = ["dx"] if mask[0] else []
    if mask[1]:
        routes.append("dw+db" if mask[2] else "dw")
    return routes


def same_results(which, route):
    """The mask of what our kernel of a route computes."""
    places = PLACES[which][: 1 if route.task.filters is None else 2]
    return [place in places for place in range(3)]


def _bias_gradient(dy):
    # With its type, or autocast would make it float32.
    return dy.sum([0, *range(2, dy.dim())], dtype=dy.dtype)
