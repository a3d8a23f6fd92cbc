"""Our operators on the library's kernels (conv-c/Torch.h), as PyTorch's are by
_fast.py: a call whose rule is known costs the host no Python.

A call without a rule comes to run_conv, run_conv_dgrad or run_conv_wgrad below,
which compute its results and may add a rule. So does a call that its rule cannot
serve: one with an address that is no multiple of 16.

Errors travel as a tensor: the C ABI between the library and PyTorch loses them.
"""

import threading

import torch

from .. import Error
from .._library import library
from . import _rules
from ._calls import TENSORS
from ._override import ROUTES

SPACE = "conv_mlir_run"
RESULTS = "(Tensor?, Tensor?, Tensor?)"


class Raising(torch.Tensor):
    """Stands for an error: an operator of PyTorch that takes it raises it."""

    @staticmethod
    def __new__(cls, error):
        self = torch.Tensor._make_wrapper_subclass(cls, (0,))
        self.error = error
        return self

    @classmethod
    def __torch_dispatch__(cls, operator, types, arguments=(), options=None):
        raise next(a.error for a in arguments if isinstance(a, cls))


def define(operators):
    """Defines the operators that the library calls. operators: (schemas, run) by what
    names begin with; run(name, arguments, words) has the results, `words` being those
    of the signature or None."""
    definitions = torch.library.Library(SPACE, "DEF")
    for prefix, (schemas, run) in operators.items():
        for name, schema in schemas.items():
            full, arguments = f"run_{prefix}{name}", schema.split(" -> ")[0]
            definitions.define(f"{full}{arguments} -> {RESULTS}")
            definitions.impl(full, _kernel(name, run), "CompositeExplicitAutograd")
    return definitions


def _kernel(name, run):
    def kernel(*arguments):
        try:
            found = run(name, arguments, _words())
        except BaseException as error:
            return None, None, Raising(error)
        first, second = found if isinstance(found, tuple) else (found, None)
        return first, second, None

    return kernel


def _words():
    try:
        return _rules.signature()
    except Error:
        return None  # Longer than signatures are.


def install(space, key, is_brief=False):
    """Registers the library's kernels for a dispatch key, of the operators in a
    namespace; they stay."""
    run = f"{SPACE}::run".encode()
    library().torch_enable_operators(
        space.encode(), key.encode(), is_brief, *_rules.paths(), run
    )


class OpRules:
    """Rules of our operators with the settings of an enable(); safe from several
    threads."""

    def __init__(self, limit=ROUTES):
        self._limit = limit
        self._lock = threading.Lock()
        self._rules = {}  # By signature; the newest one is the last.
        self._is_open = True

    def add(self, name, words, route, tensors):
        """Adds a rule for calls that go as this one, which ran our kernel. Never
        fails: without a rule they come here again."""
        if words is None or not (route.is_decided and route.task.is_one_launch):
            return
        with self._lock:
            if not self._is_open or bytes(words) in self._rules:
                return
            rule = make_rule(name, words, route, tensors)
            rule.add()
            self._rules[rule.key] = rule
            if len(self._rules) > self._limit:
                self._remove(list(self._rules)[: self._limit // 4])

    def count(self):
        """Brings the calls that rules have served into the rows of the report."""
        with self._lock:
            for rule in self._rules.values():
                rule.count_served()

    def close(self):
        """Removes all rules; no further ones are added."""
        with self._lock:
            self._is_open = False
            self._remove(list(self._rules))

    def _remove(self, keys):
        for key in keys:
            rule = self._rules.pop(key)
            rule.count_served()
            rule.remove()


def make_rule(name, words, route, tensors):
    """The Rule of a call that runs our kernel."""
    rule = _rules.Rule(words, [(route.row, None)])
    task = route.task
    slots = {name: slot for slot, name in enumerate(TENSORS[name])}
    read = task.reads()
    for reading in read:
        slot, tensor = slots[reading.name], tensors[reading.name]
        code = route.copies.code(reading.name)
        rule.convert(slot, **_conversion(reading, tensor, code))
    results = task.make("meta")
    of_results = list(range(len(slots), len(slots) + len(results)))
    for slot, result in zip(of_results, results):
        rule.make(slot, result, result.dtype)
    written = of_results[: task.written]
    rule.run(route.code(), [*(slots[reading.name] for reading in read), *written])
    return rule


def _conversion(reading, tensor, code):
    """Arguments of Rule.convert() for what a kernel reads; none where it is so. code:
    of a plan that copies an image of the kernel's type, or None."""
    if reading.extent is None:
        found = _rules.conversion(tensor, reading.format, code)
    elif tensor.is_contiguous() and tensor.shape == (reading.extent,):
        found = {}
    else:
        found = dict(format=torch.contiguous_format, extent=reading.extent)
    if tensor.dtype != reading.type:
        # In its format, too: a copy has that of the tensor otherwise.
        is_line = reading.extent is None and tensor.dim() == 3
        found = {"format": reading.format, "is_line": is_line, **found}
        found["dtype"] = reading.type
    return found
