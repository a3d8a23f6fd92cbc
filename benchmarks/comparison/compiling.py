"""Plans for many problems, compiled by as many processes at a time.

A process for each plan: one that dies or never ends costs its own row only.
"""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
from dataclasses import dataclass

REFUSED = 2  # The exit status of a compiler that does not support a problem.
COMPILER = [sys.executable, "-m", "conv_mlir"]
PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"


@dataclass(frozen=True)
class Compiled:
    """A plan file, or why there is none."""

    schedule: str  # As it was asked for; "": the compiler's choice.
    path: str = ""
    error: str = ""
    refused: bool = False  # The error is the compiler's own sentence.


def reason(done):
    """Why a process of the compiler failed, in one line."""
    if done.returncode < 0:
        return f"the compiler died of {signal.Signals(-done.returncode).name}"
    lines = done.stderr.strip().splitlines() or ["no message"]
    return lines[-1].replace("conv_mlir: error: ", "", 1)


class Compiler:
    def __init__(self, target, folder, jobs, timeout, command=COMPILER):
        """Compiles for `target` into `folder`; `command` takes the arguments of
        python -m conv_mlir."""
        self.target = target
        self.folder = pathlib.Path(folder)
        self.timeout = timeout
        self.command = command
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.count = 0

    def submit(self, problem, schedule):
        """A future Compiled."""
        self.count += 1
        path = self.folder / f"{self.count}.plan"
        return self.pool.submit(self._compile, problem, schedule, path)

    def close(self):
        """Drops what has not begun."""
        self.pool.shutdown(cancel_futures=True)

    def _compile(self, problem, schedule, path):
        command = [*self.command, problem, f"--output={path}"]
        command += [f"--target={self.target}"]
        command += [f"--schedule={schedule}"] if schedule else []
        paths = [str(PYTHON), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=self.timeout,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return Compiled(schedule, error=f"not compiled within {self.timeout:g} s")
        if done.returncode:
            refused = done.returncode == REFUSED
            return Compiled(schedule, error=reason(done), refused=refused)
        return Compiled(schedule, path=str(path))
