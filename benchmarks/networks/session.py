"""A run over many subjects, a process for each: what one leaves behind (memory,
compiled code, a broken device) meets no other. None is dropped: where time is over,
or a process dies, its rows say so.
"""

import time
from contextlib import closing

from comparison.clocks import driver_version
from comparison.supervisor import Worker, WorkerFailed

from .subjects import captures

START_TIMEOUT = 300


class Session:
    """
    command    of a worker
    policies   of conv_mlir.torch that PyTorch is compared with
    modes      of subjects.MODES
    settings   timing.Settings
    limit      seconds of the whole run, or None
    timeout    seconds that a mode of a subject may take, beside the worker's start
    say        what is told while it runs: a function of a line
    is_profiled   whether rows have what the device does in a step
    """

    def __init__(
        self, command, policies, modes, settings, limit, timeout, say, is_profiled=False
    ):
        self._command, self._policies, self._modes = command, policies, modes
        self._settings, self._say = settings, say
        self._timeout, self._is_profiled = timeout, is_profiled
        self._limit = limit
        self._begin = time.monotonic()
        self.rows, self.losses, self.device = [], [], {}

    def document(self):
        """All that is known so far."""
        return {
            "date": time.strftime("%Y-%m-%d"),
            "device": self.device,
            "settings": self._settings.document(),
            "rows": self.rows,
            "losses": self.losses,
        }

    def measure(self, subjects, on_rows):
        """Measures all of them; on_rows(rows) after each mode of one."""
        for subject in subjects:
            with self._worker() as worker:
                for is_captured in captures(subject, self._modes):
                    rows = self._mode(worker, subject, is_captured)
                    self.rows += rows
                    on_rows(rows)

    def compare_losses(self, subjects, on_losses):
        """Trains all of them; on_losses(verdict) after each."""
        for subject in subjects:
            with self._worker() as worker:
                for policy in self._policies:
                    request = {"subject": subject.document(), "losses": policy}
                    found = self._ask(worker, request)
                    found = found if isinstance(found, dict) else {"error": found}
                    about = {"subject": subject.document(), "policy": policy}
                    self.losses.append({**about, **found})
                    on_losses(self.losses[-1])

    def _mode(self, worker, subject, is_captured):
        mode = subject.mode(is_captured)
        self._say(f"{subject}, {mode}")
        request = {
            "subject": subject.document(),
            "is_captured": is_captured,
            "policies": self._policies,
            "settings": self._settings.document(),
            "is_profiled": self._is_profiled,
        }
        found = self._ask(worker, request)
        if isinstance(found, list):
            return found
        about = {"subject": subject.document(), "mode": mode}
        return [{**about, "policy": p, "error": found} for p in self._policies]

    def _ask(self, worker, request):
        """The result, or a sentence why there is none."""
        left = self._left()
        if left <= 0:
            return self._over("missing")
        worker.start_timeout = min(START_TIMEOUT, left)
        try:
            self._note_device(worker)
            worker.timeout = min(self._timeout, max(self._left(), 0))
            answer = worker.request(request)
        except WorkerFailed as failed:
            return self._over("cut short") if self._left() <= 0 else str(failed)
        return answer["result"] if "result" in answer else answer["error"]

    def _note_device(self, worker):
        greeting = worker.hello()
        if not self.device:
            self.device = {**greeting, "driver": driver_version()}

    def _left(self):
        limit = float("inf") if self._limit is None else self._limit
        return limit - (time.monotonic() - self._begin)

    def _over(self, what):
        return f"{what}: the limit of {self._limit:g} s was reached"

    def _worker(self):
        return closing(Worker(self._command))
