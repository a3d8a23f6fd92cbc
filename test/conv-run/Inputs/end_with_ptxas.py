"""Ends conv-run by each signal while its ptxas runs, and says what is left.

usage: end_with_ptxas.py FOLDER. A line for each signal: how conv-run ended, how
many of the processes of its ptxas are alive, and how many files there are in the
folder of temporary files.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

WAIT_SECONDS = 60
PTXAS = """#!/bin/sh
trap '' TERM INT HUP
sleep 1000 &
echo $$ $! > {pids}.new
mv {pids}.new {pids}
sleep 1000
"""


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return False
    return state.split()[0] != "Z"


def wait_until(condition):
    end = time.monotonic() + WAIT_SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def count_left(folder, number):
    pids, temporary = folder / "pids", folder / "tmp"
    pids.unlink(missing_ok=True)
    command = ["conv-run", "--problem=forward c=8 h=4 w=4 k=8 r=1 s=1"]
    command += ["--target=sm_80", f"--cuda-path={folder}", "--emit=cubin"]
    command += ["-o", str(folder / "out.cubin")]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    # A background job of a shell ignores SIGINT, and its children do.
    restore = lambda: [signal.signal(n, signal.SIG_DFL) for n in (2, 1, 15)]
    run = subprocess.Popen(command, env=environment, preexec_fn=restore)
    started = wait_until(pids.exists)
    run.send_signal(number)
    status = run.wait()
    processes = [int(pid) for pid in pids.read_text().split()] if started else []
    wait_until(lambda: not any(map(is_alive, processes)))
    alive = sum(map(is_alive, processes))
    files = len(list(temporary.iterdir())) + (folder / "out.cubin").exists()
    return f"status {status}, {alive} of {len(processes)} alive, {files} files"


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "bin").mkdir(parents=True)
    (folder / "tmp").mkdir()
    ptxas = folder / "bin/ptxas"
    ptxas.write_text(PTXAS.format(pids=folder / "pids"))
    ptxas.chmod(0o755)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        print(f"{number.name}: {count_left(folder, number)}")


main()
