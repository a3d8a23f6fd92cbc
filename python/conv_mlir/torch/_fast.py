"""The override in C (conv-c/Torch.h): a call costs the host less than PyTorch's own.

Kernels in the library look a call's signature up in a table of rules: which plans
run, on which tensors. A call without a rule comes here once, as a call of an
operator of ours that returns nothing; then PyTorch's own kernel runs, or the rule
that was added. So errors of PyTorch's kernels reach the user as they are.

While a plan is being compiled the rule is PyTorch's kernel. When it is there, the
next call comes here again.

Needs PyTorch 2.10; older ones have the override in Python (_override.py).
"""

import functools
import threading

import torch

from .._library import library
from ._override import Override, routes_of, same_results
from ._rules import Rule, ask_again, conversion, paths, signature

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
# Defined once for the process.
_definitions = torch.library.Library(SPACE, "DEF")
for _name, _schema in SCHEMAS.items():
    _definitions.define(f"decide_{_name}{_schema}")


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
            self._key.encode(), *paths(), f"{SPACE}::decide".encode()
        )

    def remove(self):
        self.count()
        library().torch_disable(self._key.encode())
        with self._counting:
            for rule in self._rules.values():
                rule.retire()
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
            words = signature()
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
        self._add_rule(make_rule(operator, words, routes, reasons, tensors))
        for job in jobs:
            job.when_done(lambda: ask_again(words))

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


def make_rule(operator, words, routes, reasons, tensors):
    """The Rule of a call: the plans of those results that ours computes."""
    rule = Rule(words, [(route.row, reasons[which]) for which, route in routes.items()])
    slots = SLOTS[operator]
    for which, route in routes.items():
        if reasons[which] is not None:
            continue
        task = route.task
        bias = ["bias"] if task.bias else []
        for name in task.operands:
            made = conversion(tensors[name], task.format, route.copies.code(name))
            rule.convert(slots[name], **made)
        for name in bias:
            if not tensors[name].is_contiguous():
                rule.convert(slots[name], format=torch.contiguous_format)
        made = dict(zip(which.split("+"), task.make("meta")))
        for name, result in made.items():
            rule.make(slots[name], result)
        names = [*task.operands, *bias, *made]
        rule.run(route.code(), [slots[name] for name in names])
    return rule
