"""A process with the GPU, and what to do when it dies.

A kernel that faults or never ends takes its process along. So all work on the
device is done by a worker that answers requests, one line of JSON each; where it
dies or falls silent, its request fails with the reason, and the next request
starts another worker.
"""

import contextlib
import json
import queue
import signal
import subprocess
import threading


class WorkerFailed(Exception):
    """The worker died, fell silent, or said why it cannot start."""


class Worker:
    def __init__(self, command, start_timeout=300, timeout=120):
        """`timeout`: seconds of silence that a request may take."""
        self.command = command
        self.start_timeout = start_timeout
        self.timeout = timeout
        self.process = None
        self.lines = None

    def hello(self):
        """Starts a worker where there is none; what the last one that was started
        said of its device."""
        if self.process is None:
            self._start()
        return self.greeting

    def request(self, message):
        """The answer to a request."""
        self.hello()
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerFailed(self._bury("died")) from None
        answer = self._answer(self.timeout)
        if answer.get("final"):
            self._bury("gave up")
        return answer

    def close(self):
        if self.process is not None:
            self._bury("closed")

    def _start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.lines = queue.Queue()
        threading.Thread(
            target=self._read, args=(self.process, self.lines), daemon=True
        ).start()
        self.greeting = self._answer(self.start_timeout)

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def _answer(self, timeout):
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise WorkerFailed(self._bury(f"was silent for {timeout:g} s")) from None
        if line is None:
            raise WorkerFailed(self._bury("died"))
        answer = json.loads(line)
        if "fatal" in answer:
            self._bury("gave up")
            raise WorkerFailed(answer["fatal"])
        return answer

    def _bury(self, how):
        """Ends the process, whatever its state; the reason for a message."""
        process, self.process = self.process, None
        if how != "died":
            process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        code = process.wait()
        if how != "died":
            return f"the worker {how}"
        if code < 0:
            return f"the worker died of {signal.Signals(-code).name}"
        return f"the worker died with status {code}"
