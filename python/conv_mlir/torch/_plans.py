"""Plans, compiled when they are first wanted, kept in memory and on disk.

Input: what to compile (arguments of conv_mlir.compile(), or of compile_module() with
"module" for the text). Output: an Entry, which
has a plan, or a reason why there is none (yet). Plans outlive disable(): the next
enable() finds them. The disk is that of conv_mlir.cache: worker processes keep
there what they compile, and the next process of a user compiles nothing.
"""

import functools
import os
import threading

from .. import Plan
from .._compilers import compilers
from ..cache import Cache
from ._problem import layer_of
from ._recent import Recent

# Plans in memory: what was used last stays.
PLANS = 1024
# Shapes of one layer that are compiled. A batch or an image size that is new in
# every step would compile for ever.
SHAPES_OF_A_LAYER = 32


class Job:
    """Work for a compiler process, done once at most. .result, or .reason, which
    says why there is none (yet)."""

    def __init__(self, request, reason):
        self._request = request
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._submitted = False
        self._waiting = []
        self.result = None
        self.reason = reason

    @property
    def is_pending(self):
        """Whether a compiler process has it."""
        return self._submitted and not self._done.is_set()

    def look_up(self):
        """Takes the result from disk, if it is there."""

    def refuse(self, reason):
        """Why it is not started."""
        if not self._submitted:
            self.reason = reason

    def start(self):
        with self._lock:
            if self._submitted or self.result is not None:
                return
            self._submitted = True
            self.reason = "being compiled"
        compilers().submit(self._request, self._finish)

    def wait(self):
        """Until it is not pending any more."""
        if self._submitted:
            self._done.wait()

    def when_done(self, call):
        """Calls call() once it is not pending any more, which may be now."""
        with self._lock:
            if self.is_pending:
                self._waiting.append(call)
                return
        call()

    def _finish(self, data, error):
        """Called by a thread of the compilers."""
        try:
            if error:
                raise error
            self.result = self._read(data)
        except Exception as failure:  # An Error, a worker that cannot be started.
            self.reason = f"not compiled: {failure}"
        finally:
            with self._lock:
                self._done.set()
                waiting, self._waiting = self._waiting, []
            for call in waiting:
                call()

    def after_fork(self):
        """The threads that compile are those of the process in front: who waits
        has to ask again."""
        self._lock = threading.Lock()
        if self._done.is_set():
            return
        self._done = threading.Event()
        self._submitted = False
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()


class Entry(Job):
    """A plan, or what stands in its way: .plan, .reason."""

    def __init__(self, request):
        super().__init__(request, "no plan, and compile is 'never'")
        self._was_looked_up = False

    @property
    def plan(self):
        return self.result

    def look_up(self):
        if self.result is None and not self._was_looked_up:
            self._was_looked_up = True
            self.result = self._find(**self._request)

    def _read(self, data):
        return Plan.from_bytes(data)

    @staticmethod
    def _find(module=None, **request):
        if module is None:
            return disk().find(**request)
        return disk().find_module(module, **request)


class Listing(Job):
    """The schedules of a problem that are worth timing: .schedules, or None."""

    def __init__(self, problem, target, count, multiprocessors=0):
        request = dict(problem=problem, target=target, candidates=count)
        request["multiprocessors"] = multiprocessors
        super().__init__(request, "no list of schedules, and compile is 'never'")

    @property
    def schedules(self):
        return self.result

    def _read(self, data):
        return data.decode().splitlines()


@functools.lru_cache(maxsize=None)
def disk():
    """The files of plans; those in memory are kept here."""
    return Cache(max_plans=0)


class Plans:
    def __init__(self):
        self._jobs = Recent(PLANS)
        self._layers = Recent(PLANS)
        self._lock = threading.Lock()

    def find(self, request):
        """The Entry of a request."""
        key = tuple(sorted(request.items()))
        return self._jobs.add(key, lambda: Entry(request))

    def listing(self, problem, target, count, multiprocessors=0):
        """The Listing of a problem."""
        key = (problem, target, count, multiprocessors)
        return self._jobs.add(key, lambda: Listing(problem, target, count, multiprocessors))

    def refusal(self, line):
        """Why a problem is not compiled; None where it is one of the first shapes of
        its layer, which it is from now on if there is room."""
        shapes = self._layers.add(layer_of(line), set)
        with self._lock:
            if len(shapes) < SHAPES_OF_A_LAYER:
                shapes.add(line)
            if line in shapes:
                return None
        return (
            f"more than {SHAPES_OF_A_LAYER} shapes of this layer: "
            "no further ones are compiled"
        )

    def after_fork(self):
        self._lock = threading.Lock()
        self._jobs.after_fork()
        self._layers.after_fork()
        for job in self._jobs.values():
            job.after_fork()

    def __len__(self):
        return len(self._jobs)


plans = Plans()
os.register_at_fork(after_in_child=plans.after_fork)
