"""Aborts a fuzzer at work, as an assertion in the compiler would.

    abort_fuzzer.py CONV_RUN

Prints what the fuzzer wrote to standard error, and how it ended.
"""

import os
import signal
import subprocess
import sys
import time


def catches(pid, number):
    """Whether a process has a handler of its own for a signal."""
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("SigCgt:"):
                return int(line.split()[1], 16) >> (number - 1) & 1 == 1
    return False


def main():
    command = [sys.argv[1], "--fuzz=100000", "--seed=5", "--device=emulator", "--target=sm_80"]
    fuzzer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while fuzzer.poll() is None and not catches(fuzzer.pid, signal.SIGABRT):
        time.sleep(0.01)
    os.kill(fuzzer.pid, signal.SIGABRT)
    print(fuzzer.communicate()[1], end="")
    print(f"ended by signal {-fuzzer.returncode}")


if __name__ == "__main__":
    main()
