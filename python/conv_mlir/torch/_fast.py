"""The override in C (conv-c/Torch.h): a call costs the host less than PyTorch's own.

Kernels in the library look a call's signature up in a table of rules: which plans
run, on which tensors. A call without a rule comes here once, as a call of an
operator of ours that returns nothing; then PyTorch's own kernel runs, or the rule
that was added. So errors of PyTorch's kernels reach the user as they are.

While a plan is being compiled the rule is PyTorch's kernel. When it is there, the
next call comes here again.

Needs PyTorch 2.10; older ones have the override in Python (_override.py).
"""

import collections
import functools
import pathlib
import threading
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import torch

from .. import Error
from .._library import Sized, library
from ._override import Override, routes_of, same_results

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
}
# Rules that are PyTorch's kernel; others are as many as there are plans.
PASSING = 4096
# Slots of tensors by name.
SLOTS = {
    "convolution": {"x": 0, "w": 1, "bias": 2, "y": 3},
    "convolution_backward": {"dy": 0, "x": 1, "w": 2, "dx": 3, "dw": 4, "db": 5},
}
FORMATS = {
    torch.contiguous_format: b"contiguous",
    torch.channels_last: b"channels_last",
    torch.channels_last_3d: b"channels_last_3d",
}


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


def _ask_again(words):
    """The next call of a signature is decided about once more."""
    try:
        library().torch_ask_again(words, len(words))
    except Error:
        pass  # disable() has removed its rule.


class FastOverride(Override):
    """Override, whose decisions become rules."""

    is_cheap = True

    def _take_over(self):
        self._rules = {}
        self._counting = threading.Lock()
        # In Python first: it finds the kernels of other packages, and its warning
        # that kernels are replaced, which comes once, can be caught.
        super()._take_over()
        super().remove()
        self._library = torch.library.Library(SPACE, "IMPL")
        self._register("decide_convolution", self._decide_convolution)
        self._register("decide_convolution_backward", self._decide_backward)
        library().torch_enable(
            self._key.encode(), *_paths(), f"{SPACE}::decide".encode()
        )

    def remove(self):
        self.count()
        library().torch_disable(self._key.encode())
        super().remove()

    def count(self):
        """Brings the calls that rules have served into the rows of the report."""
        with self._counting:
            for rule in self._rules.values():
                rule.count()

    def _decide_convolution(self, keyset, x, w, bias, *parameters):
        def theirs(which, route):
            return self._forward(keyset, x, w, bias, *parameters)

        tensors = dict(x=x, w=w, bias=bias)
        self._decide("convolution", ("y",), tensors, parameters, theirs)

    def _decide_backward(self, keyset, dy, x, w, bias_sizes, *rest):
        *parameters, mask = rest

        def theirs(which, route):
            left = same_results(which, route)
            return self._backward(keyset, dy, x, w, bias_sizes, *parameters, left)

        tensors = dict(x=x, w=w, dy=dy)
        self._decide("convolution_backward", routes_of(mask), tensors, parameters, theirs)

    def _decide(self, operator, results, tensors, parameters, theirs):
        """Adds a rule, where nothing is left to ask. Never fails: PyTorch's kernel
        runs where there is no rule."""
        try:
            words = _signature()
            routes = {
                which: self._route(which, tensors, parameters) for which in results
            }
            reasons = {
                which: route.decide(tensors, functools.partial(theirs, which, route))
                for which, route in routes.items()
            }
            self._conclude(operator, words, routes, reasons, tensors)
        except Exception as error:
            self.table.row("calls that could not be decided about").count(str(error))

    def _conclude(self, operator, words, routes, reasons, tensors):
        """Adds the rule, or one that is PyTorch's kernel until more is known."""
        open = [route for route in routes.values() if not route.is_decided]
        jobs = [job for route in open for job in route.pending]
        if open:
            reasons = {
                which: reason or "the call's other result waits"
                for which, reason in reasons.items()
            }
        if open and not all(route.pending for route in open):
            # Whatever it waits for, nobody says when it is there.
            for which, route in routes.items():
                route.row.count(reasons[which])
            return
        self._add_rule(Rule(operator, words, routes, reasons, tensors))
        for job in jobs:
            job.when_done(lambda: _ask_again(words))

    def _add_rule(self, rule):
        """Adds a rule, or replaces the one of its signature."""
        with self._counting:
            before = self._rules.get(rule.key)
            if before is not None:
                before.count()
                rule.follow(before)
            rule.add()
            # Last, as the newest one.
            self._rules.pop(rule.key, None)
            self._rules[rule.key] = rule
            self._shrink()

    def _shrink(self):
        """Removes old rules that run PyTorch's kernel, some at once: a shape that
        changes in every step makes one each time."""
        if len(self._rules) <= PASSING:
            return
        passing = [rule for rule in self._rules.values() if rule.passes]
        for rule in passing[: PASSING // 4] if len(passing) > PASSING else ():
            rule.count()
            rule.remove()
            del self._rules[rule.key]


class Rule:
    """What runs for a signature, kept alive, and its rows of the report."""

    def __init__(self, operator, words, routes, reasons, tensors):
        self.key = bytes(words)
        # What the rows have of the counts of the signature.
        self.counted = collections.Counter()
        self._before = {}  # Reasons of the rule that it replaces, by row.
        self._words = words
        self._rows = []
        self._kept = []  # What the C structures point to, plans, programs.
        slots = SLOTS[operator]
        conversions, results, steps = {}, [], []
        for which, route in routes.items():
            self._rows.append((route.row, reasons[which]))
            if reasons[which] is None:
                conversions.update(_conversions(route.task, slots, tensors))
                made = dict(zip(which.split("+"), route.task.make("meta")))
                results += [self._result(made[name], slots[name]) for name in made]
                steps.append(self._step(route, slots, made))
        self._rule = CRule(
            conversions=_array(CConversion, list(conversions.values())),
            conversion_count=len(conversions),
            results=_array(CResult, results),
            result_count=len(results),
            steps=_array(CStep, steps),
            step_count=len(steps),
        )

    def follow(self, before):
        """Takes the place of another rule, and its counts."""
        self.counted = before.counted
        self._before = dict(before._rows)

    @property
    def passes(self):
        """Whether it is PyTorch's kernel."""
        return self._rule.step_count == 0

    def remove(self):
        library().torch_remove_rule(self._words, len(self._words))

    def add(self):
        library().torch_add_rule(self._words, len(self._words), byref(self._rule))

    def count(self):
        counts = CCounts()
        try:
            library().torch_count(self._words, len(self._words), byref(counts))
        except Error:
            return  # Replaced by disable().
        now = {name: getattr(counts, name) for name, _ in CCounts._fields_[1:]}
        new = {name: number - self.counted[name] for name, number in now.items()}
        self.counted.update(new)
        for row, reason in self._rows:
            row.count(reason, new["calls"])
            # A call that was on its way when the rule before was replaced.
            row.count(reason or self._before.get(row), new["handed_on"])
            for name, why in PASSED.items():
                row.count(reason or why, new[name])

    def _integers(self, type, values):
        array = (type * len(values))(*values)
        self._kept.append(array)
        return array

    def _result(self, made, slot):
        return CResult(
            slot=slot,
            like=0,
            rank=made.dim(),
            extents=self._integers(c_int64, made.shape),
            strides=self._integers(c_int64, made.stride()),
        )

    def _step(self, route, slots, results):
        bias = ["bias"] if route.task.bias else []
        names = [*route.task.operands, *bias, *results]
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
    if task.bias and not tensors["bias"].is_contiguous():
        found[slots["bias"]] = CConversion(
            slot=slots["bias"], format=FORMATS[torch.contiguous_format]
        )
    return found
