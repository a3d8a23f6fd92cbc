"""The override in C (conv-c/Torch.h): a call costs the host less than PyTorch's own.

Kernels in the library look a call's signature up in a table of rules: which plans
run, on which tensors. A call without a rule comes here once, as a call of an
operator of ours that returns nothing; then PyTorch's own kernel runs, or the rule
that was added. So errors of PyTorch's kernels reach the user as they are.

Needs PyTorch 2.10; older ones have the override in Python (_override.py).
"""

import collections
import functools
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import torch

from .. import Error
from .._library import Sized, library
from ._override import Override
from ._tasks import add_bias, empty

# The operators that decide, with the arguments of those that they decide about.
SPACE = "conv_mlir_decide"
SCHEMAS = {
    "convolution": "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, "
    "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, "
    "SymInt groups) -> ()",
    "convolution_backward": "(Tensor grad_output, Tensor input, Tensor weight, "
    "SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, "
    "bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) "
    "-> ()",
    "add_bias": "(Tensor(a!) result, Tensor bias) -> ()",
}
# Slots of tensors by name.
SLOTS = {
    "convolution": {"x": 0, "w": 1, "bias": 2, "y": 3},
    "convolution_backward": {"dy": 0, "x": 1, "w": 2, "dx": 3, "dw": 4},
}
FORMATS = {
    torch.contiguous_format: b"contiguous",
    torch.channels_last: b"channels_last",
    torch.channels_last_3d: b"channels_last_3d",
}
DTYPES = {torch.float32: b"float32", torch.float64: b"float64"}


class CConversion(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("slot", c_int32),
        ("dtype", c_char_p),
        ("format", c_char_p),
    ]


class CResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("slot", c_int32),
        ("like", c_int32),
        ("rank", c_int32),
        ("extents", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
    ]


class CStep(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("program", c_void_p),
        ("plan", c_void_p),
        ("slots", POINTER(c_int32)),
        ("count", c_int32),
        ("workspace_bytes", c_size_t),
    ]


class CRule(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("conversions", POINTER(CConversion)),
        ("conversion_count", c_size_t),
        ("results", POINTER(CResult)),
        ("result_count", c_size_t),
        ("steps", POINTER(CStep)),
        ("step_count", c_size_t),
        ("adds_bias", c_int32),
    ]


class CCounts(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("calls", c_int64),
        ("handed_on", c_int64),
        ("unaligned", c_int64),
        ("refused", c_int64),
    ]


# Why PyTorch's kernel runs in the place of plans, by counter.
PASSED = {
    "unaligned": "an address is no multiple of 16",
    "refused": "PyTorch gave no tensor: no memory is left",
}


# Defined once for the process.
_definitions = torch.library.Library(SPACE, "DEF")
for _name, _schema in SCHEMAS.items():
    _definitions.define(f"decide_{_name}{_schema}")


@functools.lru_cache(maxsize=None)
def obstacle():
    """Why this PyTorch has no fast override, or None."""
    try:
        library().torch_check(*_paths())
    except Error as error:
        return str(error)
    return None


def _paths():
    """PyTorch's libraries, the second one only where it has CUDA."""
    folder = pathlib.Path(torch.__file__).parent / "lib"
    cuda = folder / "libtorch_cuda.so"
    has_cuda = torch.version.cuda and cuda.exists()
    return str(folder / "libtorch_cpu.so").encode(), (
        str(cuda).encode() if has_cuda else None
    )


def _signature():
    """The words of the call that is decided about."""
    words, count = POINTER(c_int64)(), c_size_t()
    library().torch_get_signature(byref(words), byref(count))
    return (c_int64 * count.value)(*words[: count.value])


class FastOverride(Override):
    """Override, whose decisions become rules."""

    is_cheap = True

    def _take_over(self):
        self._rules = []
        # In Python first: it finds the kernels of other packages, and its warning
        # that kernels are replaced, which comes once, can be caught.
        super()._take_over()
        super().remove()
        self._library = torch.library.Library(SPACE, "IMPL")
        self._register("decide_convolution", self._decide_convolution)
        self._register("decide_convolution_backward", self._decide_backward)
        self._register("decide_add_bias", lambda keyset, y, bias: add_bias(y, bias))
        library().torch_enable(
            self._key.encode(), *_paths(), f"{SPACE}::decide".encode()
        )

    def remove(self):
        self.count()
        library().torch_disable(self._key.encode())
        super().remove()

    def count(self):
        """Brings the calls that rules have served into the rows of the report."""
        for rule in list(self._rules):
            rule.count()

    def _decide_convolution(self, keyset, x, w, bias, *parameters):
        def theirs(_):
            return self._forward(keyset, x, w, bias, *parameters)

        tensors = dict(x=x, w=w, bias=bias)
        self._decide("convolution", ("y",), tensors, parameters, theirs)

    def _decide_backward(self, keyset, dy, x, w, bias_sizes, *rest):
        *parameters, mask = rest

        def theirs(which):
            left = [which == "dx", which == "dw", False]
            return self._backward(keyset, dy, x, w, bias_sizes, *parameters, left)

        results = tuple(which for which, is_asked in zip(("dx", "dw"), mask) if is_asked)
        tensors = dict(x=x, w=w, dy=dy)
        self._decide("convolution_backward", results, tensors, parameters, theirs)

    def _decide(self, operator, results, tensors, parameters, theirs):
        """Adds a rule, where nothing is left to ask. Never fails: PyTorch's kernel
        runs where there is no rule."""
        try:
            words = _signature()
            routes = {
                which: self._route(which, tensors, parameters) for which in results
            }
            reasons = {
                which: route.decide(
                    lambda route=route: route.run(**tensors),
                    lambda which=which: theirs(which),
                )
                for which, route in routes.items()
            }
            if all(route.is_decided for route in routes.values()):
                self._rules.append(Rule(operator, words, routes, reasons, tensors))
            else:
                for which, route in routes.items():
                    route.row.count(reasons[which] or "the call's other result waits")
        except Exception as error:
            self.table.row("calls that could not be decided about").count(str(error))


class Rule:
    """What runs for a signature, kept alive, and its rows of the report."""

    def __init__(self, operator, words, routes, reasons, tensors):
        self._words = words
        self._counted = collections.Counter()
        self._rows = []
        self._kept = []  # What the C structures point to, plans, programs.
        slots = SLOTS[operator]
        conversions, results, steps = {}, [], []
        for which, route in routes.items():
            self._rows.append((route.row, reasons[which]))
            if reasons[which] is None:
                conversions.update(_conversions(route.task, slots, tensors))
                results.append(self._result(route.task, slots[which]))
                steps.append(self._step(route, slots, which))
        rule = CRule(
            conversions=_array(CConversion, list(conversions.values())),
            conversion_count=len(conversions),
            results=_array(CResult, results),
            result_count=len(results),
            steps=_array(CStep, steps),
            step_count=len(steps),
            adds_bias=any(
                route.task.bias == "added"
                for which, route in routes.items()
                if reasons[which] is None
            ),
        )
        library().torch_add_rule(words, len(words), byref(rule))

    def count(self):
        counts = CCounts()
        try:
            library().torch_count(self._words, len(self._words), byref(counts))
        except Error:
            return  # Replaced by disable().
        now = {name: getattr(counts, name) for name, _ in CCounts._fields_[1:]}
        new = {name: number - self._counted[name] for name, number in now.items()}
        self._counted.update(new)
        for row, reason in self._rows:
            row.count(reason, new["calls"] + new["handed_on"])
            for name, why in PASSED.items():
                row.count(reason or why, new[name])

    def _integers(self, type, values):
        array = (type * len(values))(*values)
        self._kept.append(array)
        return array

    def _result(self, task, slot):
        made = empty(task.shape, task.dtype, "meta", task.format)
        return CResult(
            slot=slot,
            like=0,
            rank=made.dim(),
            extents=self._integers(c_int64, made.shape),
            strides=self._integers(c_int64, made.stride()),
        )

    def _step(self, route, slots, which):
        fused = ["bias"] if route.task.bias == "fused" else []
        names = [*route.task.operands, *fused, which]
        code = route.code()
        self._kept.append(code)
        return CStep(
            **code.handles,
            slots=self._integers(c_int32, [slots[name] for name in names]),
            count=len(names),
            workspace_bytes=code.workspace_bytes,
        )


def _array(type, structures):
    return (type * len(structures))(*structures)


def _conversions(task, slots, tensors):
    """By slot."""
    found = {}
    for name in task.operands:
        tensor = tensors[name]
        is_line = tensor.dim() == 3
        wide = tensor.unsqueeze(2) if is_line else tensor
        if not wide.is_contiguous(memory_format=task.format):
            format = FORMATS[task.format]
            if is_line and task.format == torch.channels_last:
                format = b"channels_last_1d"
            found[slots[name]] = CConversion(slot=slots[name], format=format)
    if task.bias == "fused":
        bias = tensors["bias"]
        wide = torch.promote_types(task.dtype, torch.float32)
        if bias.dtype != wide or not bias.is_contiguous():
            found[slots["bias"]] = CConversion(
                slot=slots["bias"],
                dtype=DTYPES[wide],
                format=FORMATS[torch.contiguous_format],
            )
    return found
