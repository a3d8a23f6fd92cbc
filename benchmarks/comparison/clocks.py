"""What the clocks of the device were, by nvidia-smi, which runs meanwhile."""

import statistics
import subprocess
import threading
import time

FIELDS = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu")
NAMES = ("sm_mhz", "memory_mhz", "power_w", "temperature_c")
PERIOD_MS = 50


def parse(line):
    """The numbers of a line "1980, 3201, 350.10, 45"; None for another line."""
    try:
        values = [float(field) for field in line.split(",")]
    except ValueError:
        return None
    return values if len(values) == len(FIELDS) else None


class Clocks:
    """Samples from its construction to close()."""

    def __init__(self, device=0, command=None):
        self.samples = []  # (time, values).
        self.problem = ""
        command = command or [
            "nvidia-smi",
            f"--id={device}",
            f"--query-gpu={','.join(FIELDS)}",
            "--format=csv,noheader,nounits",
            f"--loop-ms={PERIOD_MS}",
        ]
        try:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
        except OSError as error:
            self.process = None
            self.problem = f"{command[0]}: {error.strerror}"
            return
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            values = parse(line)
            if values:
                self.samples.append((time.time(), values))
            else:
                self.problem = self.problem or line.strip()

    def during(self, begin, end):
        """Medians, and the lowest clock, between two times of the wall; None
        where there is no sample."""
        values = [v for t, v in list(self.samples) if begin <= t <= end]
        if not values:
            return None
        columns = list(zip(*values))
        document = dict(zip(NAMES, map(statistics.median, columns)))
        return {**document, "sm_mhz_min": min(columns[0]), "samples": len(values)}

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.thread.join()


def driver_version():
    """The version of the NVIDIA driver, or "unknown"."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    lines = done.stdout.split()
    return lines[0] if done.returncode == 0 and lines else "unknown"
