"""Plans, compiled when they are first wanted, kept in memory and on disk.

Input: what to compile (arguments of conv_mlir.compile()). Output: an Entry, which
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


class Entry:
    """A plan, or what stands in its way: .plan, .reason."""

    def __init__(self, request):
        self._request = request
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._submitted = False
        self.plan = None
        self.reason = "no plan, and compile is 'never'"
        self._was_looked_up = False

    def want(self, mode, may_compile):
        """Has it read from disk or compiled, where it is not yet: "sync" waits for
        it. may_compile() is asked once, before."""
        if not self.plan and not self._was_looked_up:
            self._was_looked_up = True
            self.plan = disk().find(**self._request)
        if mode == "never" or self.plan:
            return
        with self._lock:
            if not self._submitted and not may_compile():
                self.reason = (
                    f"more than {SHAPES_OF_A_LAYER} shapes of this layer: "
                    "no further ones are compiled"
                )
                return
            self._submit()
        if mode == "sync":
            self._done.wait()

    def _submit(self):
        if not self._submitted:
            self._submitted = True
            self.reason = "being compiled"
            compilers().submit(self._request, self._finish)

    def _finish(self, data, error):
        """Called by a thread of the compilers."""
        try:
            if error:
                raise error
            self.plan = Plan.from_bytes(data)
        except Exception as failure:  # An Error, a worker that cannot be started.
            self.reason = f"not compiled: {failure}"
        finally:
            self._done.set()

    def after_fork(self):
        """The threads that compile are those of the process in front."""
        self._lock = threading.Lock()
        if not self._done.is_set():
            self._done = threading.Event()
            self._submitted = False


@functools.lru_cache(maxsize=None)
def disk():
    """The files of plans; those in memory are kept here."""
    return Cache(max_plans=0)


class Plans:
    def __init__(self):
        self._entries = Recent(PLANS)
        self._layers = Recent(PLANS)
        self._lock = threading.Lock()

    def find(self, request):
        """The Entry of a request."""
        key = tuple(sorted(request.items()))
        return self._entries.add(key, lambda: Entry(request))

    def may_compile(self, line):
        """Whether this is one of the first shapes of its layer; counts it."""
        layer = self._layers.add(layer_of(line), lambda: [0])
        with self._lock:
            layer[0] += 1
            return layer[0] <= SHAPES_OF_A_LAYER

    def after_fork(self):
        for entry in self._entries.values():
            entry.after_fork()

    def __len__(self):
        return len(self._entries)


plans = Plans()
os.register_at_fork(after_in_child=plans.after_fork)
