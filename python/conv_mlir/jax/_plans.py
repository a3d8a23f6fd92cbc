"""Plans of problem lines, found on disk or compiled in a worker process.

Input: a problem line and the platform of a program. Output: a Ready plan, which the
library's handlers know by its name. Programs may run it as long as the process lives,
so it stays.
"""

import functools
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


def prepare(line, platform):
    """The Ready plan; the first time it is compiled, which the caller waits for."""
    with _lock:
        return _prepare(line, platform)


_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def _prepare(line, platform):
    request = _request(line, platform)
    plan = _disk().find(**request) or _compile(request)
    name = f"{platform} {request['target']} {line}"
    add_plan(name, plan)
    return Ready(name, plan.workspace_bytes if platform == "cuda" else 0)


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


def _compile(request):
    done = Future()

    def finish(data, error):
        if error:
            done.set_exception(error)
        else:
            done.set_result(data)

    compilers().submit(request, finish)
    return Plan.from_bytes(done.result())
