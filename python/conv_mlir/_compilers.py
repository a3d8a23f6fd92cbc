"""Compilation in worker processes, which may die.

Input: the arguments of compile(). Output: the bytes of a plan, or an Error; the
death of a worker is one, and the next problem gets a new worker.
"""

import atexit
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import weakref

from ._library import Error, find_library

# Compiling takes 0.1 to 0.4 s; what takes this long does not end.
LIMIT_SECONDS = 300
_PACKAGES = str(pathlib.Path(__file__).resolve().parents[1])
# The folder of the user's program, which is where Python looks first, may have
# modules of any name.
_PROGRAM = f"import sys; sys.path[0] = {_PACKAGES!r}; from conv_mlir._worker import main; main()"


class Worker:
    """A process of _worker.py, and the conversation with it."""

    def __init__(self, program=_PROGRAM):
        if not sys.executable:
            raise Error("no Python to compile in: sys.executable is empty", 4)
        self._messages = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env={**os.environ, "CONV_MLIR_LIBRARY": str(find_library())},
        )

    def compile(self, request):
        """The bytes of the plan."""
        clock = threading.Timer(LIMIT_SECONDS, self._process.kill)
        clock.daemon = True
        clock.start()
        try:
            return self._converse(json.dumps(request).encode())
        finally:
            clock.cancel()

    def _converse(self, request):
        answers = self._process.stdout
        try:
            self._process.stdin.write(request + b"\n")
            self._process.stdin.flush()
            header = json.loads(answers.readline() or b"{}")
        except (OSError, ValueError):
            header = {}
        if "error" in header:
            raise Error(header["error"], header["status"])
        data = answers.read(header.get("bytes", 0))
        if not data or len(data) < header["bytes"]:
            raise WorkerDied(self._obituary())
        return data

    def _obituary(self):
        """How the process ended, with its last words."""
        self.stop()
        code = self._process.wait()
        self._messages.seek(0)
        words = self._messages.read().decode(errors="replace").split("\n")
        last = next((line for line in reversed(words) if line.strip()), "no message")
        how = f"status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        return f"the compiler ended with {how}: {last.strip()[:200]}"

    def stop(self):
        """Ends the process, whatever it does."""
        self._process.kill()


class WorkerDied(Error):
    def __init__(self, message):
        super().__init__(message, 4)


class Compilers:
    """Up to `count` workers, each started by the first problem that needs it.

    submit(request, done) returns at once; done(data, error) is called on another
    thread, with one of both.
    """

    def __init__(self, count, make_worker=Worker):
        self._jobs = queue.SimpleQueue()
        self._make_worker = make_worker
        self._room = count
        self._idle = 0  # Workers without a problem; below 0: problems that wait.
        self._lock = threading.Lock()
        self._workers = weakref.WeakSet()

    def submit(self, request, done):
        with self._lock:
            if self._idle <= 0 and self._room > 0:
                self._room -= 1
                threading.Thread(target=self._serve, daemon=True).start()
            else:
                self._idle -= 1
        self._jobs.put((request, done))

    def stop(self):
        """Ends the worker processes; what they compile is lost."""
        for worker in list(self._workers):
            worker.stop()

    def _serve(self):
        worker = None
        while True:
            request, done = self._jobs.get()
            worker = self._compile(worker, request, done)
            with self._lock:
                self._idle += 1

    def _compile(self, worker, request, done):
        """Compiles with a worker, or a new one for None; returns the one to go on
        with."""
        try:
            if worker is None:
                worker = self._make_worker()
                self._workers.add(worker)
            data = worker.compile(request)
        except Exception as error:  # Whatever it is, somebody waits for an answer.
            done(None, error)
            refused = isinstance(error, Error) and not isinstance(error, WorkerDied)
            return worker if refused else None
        done(data, None)
        return worker


_compilers = None


def compilers():
    """The workers of this process, at most half as many as it may use processors
    and eight. A process that was forked off has its own."""
    global _compilers
    if _compilers is None:
        processors = len(os.sched_getaffinity(0))
        _compilers = Compilers(max(1, min(8, processors // 2)))
    return _compilers


def _forget():
    global _compilers
    _compilers = None


def _stop():
    if _compilers is not None:
        _compilers.stop()


os.register_at_fork(after_in_child=_forget)
atexit.register(_stop)
