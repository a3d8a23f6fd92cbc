"""PyTorch's kernels and ours in turns, on one network in one process.

A turn is some steps of one side. enable() and disable() are between turns, and steps
that do not count: they decide about signatures. comparison/timing.py has the order
of turns and the medians.
"""

import conv_mlir.torch
import torch
from comparison.timing import measure

from .profiling import profile_steps
from .steps import give_back_memory, synchronize, time_us

PYTORCH = "pytorch"
# Steps of a side's first turn, which compile and time kernels, and of its later ones.
FIRST_STEPS = 4
STEPS_AFTER_SWITCH = 2


class Sides:
    """Whose convolutions run: PYTORCH, or a policy of conv_mlir.torch. .reports has
    what enable() reported last, by policy."""

    def __init__(self, device):
        self._device = device
        self._active = None
        self.reports = {}

    def switch(self, side):
        """Whether there was something to switch."""
        if side == self._active:
            return False
        self._note()
        if side == PYTORCH:
            conv_mlir.torch.disable()
        else:
            conv_mlir.torch.enable(side, "sync", self._device)
        self._active = side
        return True

    def close(self):
        self._note()
        conv_mlir.torch.disable()
        self._active = None

    def _note(self):
        """A graph that runs again calls no operator: then an earlier report stays."""
        if self._active in (None, PYTORCH):
            return
        report = conv_mlir.torch.report()
        if list(report) or self._active not in self.reports:
            self.reports[self._active] = report


class Turns:
    """Steps as a user runs them. What timing.measure() takes."""

    def __init__(self, steps, sides):
        self._steps, self._sides = steps, sides
        self._device = steps.subject.device

    def prepare(self, side):
        """Has everything compiled; about the microseconds of a step."""
        self._sides.switch(side)
        self._run(side, FIRST_STEPS)
        return self._run(side, 2) / 2

    def batch(self, side, count, sets):
        return side, count

    def time(self, batches):
        return [self._turn(*batch) for batch in batches]

    def _turn(self, side, count):
        if self._sides.switch(side):
            self._run(side, STEPS_AFTER_SWITCH)
        return self._run(side, count)

    def _run(self, side, count):
        return time_us(lambda: self._steps.step(side != PYTORCH), count, self._device)


class Replays:
    """The same with a step of each side as a CUDA graph."""

    def __init__(self, steps, sides):
        self._steps, self._sides = steps, sides
        self._turns = Turns(steps, sides)
        self._graphs = {}
        self._pool = torch.cuda.graph_pool_handle()

    def prepare(self, side):
        self._turns.prepare(side)
        self._graphs[side] = self._steps.capture(side != PYTORCH, self._pool)
        return self._run(self._graphs[side], 3) / 3

    def batch(self, side, count, sets):
        return self._graphs[side], count

    def time(self, batches):
        return [self._run(*batch) for batch in batches]

    def _run(self, graph, count):
        return time_us(graph.replay, count, self._steps.subject.device)


def contest(steps, is_captured, policies, settings, is_profiled=False):
    """A row for each policy, and the reports of enable() by policy. is_profiled: rows
    have what the device does in a step of each side, not captured."""
    sides = Sides(steps.subject.device)
    names = [PYTORCH, *policies]
    try:
        backend = (Replays if is_captured else Turns)(steps, sides)
        estimates = {name: backend.prepare(name) for name in names}
        times = measure(backend, dict(zip(names, names)), estimates, 1, settings)
        sides.close()
        reports = dict(sides.reports)
        profiles = _profiles(steps, sides, names) if is_profiled else {}
    finally:
        sides.close()
        synchronize(steps.subject.device)
        give_back_memory()
    rows = [_row(steps.subject, is_captured, name, times, reports) for name in policies]
    for row in rows if is_profiled else []:
        row["profiles"] = {
            "pytorch": profiles[PYTORCH],
            "ours": profiles[row["policy"]],
            "problems": _problems(reports[row["policy"]]),
        }
    return rows, reports


def _profiles(steps, sides, names):
    found = {}
    for side in names:
        sides.switch(side)
        for _ in range(STEPS_AFTER_SWITCH):
            steps.step(side != PYTORCH)
        found[side] = profile_steps(lambda: steps.step(side != PYTORCH))
    return found


def _problems(report):
    """The rows of a report as a document."""
    fields = ("problem", "calls", "ours", "reason", "schedule", "ours_us", "theirs_us")
    return [{field: getattr(row, field) for field in fields} for row in report]


def _row(subject, is_captured, policy, times, reports):
    stock, ours = times[PYTORCH], times[policy]
    calls = list(reports[policy])
    return {
        "subject": subject.document(),
        "mode": subject.mode(is_captured),
        "policy": policy,
        "ratio": stock["median_us"] / ours["median_us"],
        "pytorch": stock,
        "ours": ours,
        "calls": sum(row.calls for row in calls),
        "our_calls": sum(row.ours for row in calls),
    }
