"""Plans of problem lines, found on disk or compiled in a worker process.

Input: a problem line and the platform of a program. Output: a Ready plan, which the
library's handlers know by its name. Programs may run it as long as the process lives,
so it stays.

A plan is started where JAX traces a convolution, and waited for where it lowers the
program: so those of one program are compiled at the same time.
"""

import functools
import os
import threading
from concurrent.futures import Future
from typing import NamedTuple

from .. import Device, Error, Plan, targets
from .._compilers import compilers
from ..cache import Cache
from ._handlers import add_plan


class Ready(NamedTuple):
    name: str
    workspace_bytes: int  # On a GPU; the emulator has its own.


class Job:
    """A plan that is found or compiled: .wait() gives it, or raises the Error."""

    def __init__(self, line, platform):
        self._request = _request(line, platform)
        self._name = f"{platform} {self._request['target']} {line}"
        self._needs_workspace = platform == "cuda"
        self._plan = Future()
        plan = _disk().find(**self._request)
        if plan:
            self._plan.set_result(plan)
        else:
            compilers().submit(self._request, self._finish)

    def _finish(self, data, error):
        """Called by a thread of the compilers."""
        try:
            if error:
                raise error
            self._plan.set_result(Plan.from_bytes(data))
        except Exception as failure:  # Whatever it is, somebody may wait.
            self._plan.set_exception(failure)

    @property
    def has_failed(self):
        return self._plan.done() and self._plan.exception() is not None

    @property
    def plan(self):
        """The plan, or None as long as there is none."""
        return self._plan.result() if self._plan.done() and not self.has_failed else None

    def wait(self):
        plan = self._plan.result()
        add_plan(self._name, plan)
        return Ready(self._name, plan.workspace_bytes if self._needs_workspace else 0)


_lock = threading.Lock()
_jobs = {}


def start(line, platform):
    """The Job of a problem line, which has begun; a new one where it has failed."""
    with _lock:
        job = _jobs.get((line, platform))
        if job is None or job.has_failed:
            job = _jobs[line, platform] = Job(line, platform)
        return job


def prepare(line, platform):
    """The Ready plan."""
    return start(line, platform).wait()


def plans():
    """The plans of this process so far, a conv_mlir.Plan each: what was compiled, for
    which target, with which schedule."""
    with _lock:
        jobs = list(_jobs.values())
    return [job.plan for job in jobs if job.plan is not None]


def _after_fork():
    """The threads that compile are those of the process in front."""
    global _lock
    _lock = threading.Lock()
    _jobs.clear()


os.register_at_fork(after_in_child=_after_fork)


def _request(line, platform):
    if platform == "cpu":
        return dict(problem=line, target=targets()[-1], emulator_only=True)
    try:
        device = Device(0)
    except Error:  # Lowered for a GPU that is elsewhere.
        return dict(problem=line, target=targets()[-1])
    return dict(problem=line, target=device.best_target, device=device.name)


@functools.lru_cache(maxsize=None)
def _disk():
    return Cache(max_plans=0)
