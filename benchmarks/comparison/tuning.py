"""Finding the fastest schedule of each case, on the session of compare_cudnn.py.

All candidates of a case are timed in turns, shortly; the best few again, for
longer. Times within the noise count as equal, and of equals the first wins: the
candidates are in the order of the model, whose first is the untuned choice.
"""

import json
import os
import tempfile
from dataclasses import dataclass

import conv_mlir

from .compiling import Compiler
from .report import error_of
from .session import Session, has_failed
from .timing import Settings

SCREENING = Settings(samples=2, batch_us=12_000, settle_us=24_000, warmup_us=20_000)
FINAL = Settings(samples=4, batch_us=40_000, settle_us=60_000)
FINALISTS = 4  # At most, and the untuned choice besides.
FINAL_MARGIN = 0.08  # How much slower than the best a finalist is.
NOISE = 0.015  # Within which times are equal.


@dataclass(frozen=True)
class Winner:
    schedule: str
    us: float
    untuned_us: float  # nan where the untuned choice has no time.
    cudnn_us: float


def times_of(row):
    """The medians of a row's plans by the schedule that was asked for."""
    return {
        plan["requested"]: plan["median_us"]
        for plan in row.get("plans", ())
        if "error" not in plan
    }


def choose_finalists(schedules, times):
    """Those that are timed again, in the order of the schedules."""
    if not times:
        return []
    limit = min(times.values()) * (1 + FINAL_MARGIN)
    best = [s for s in sorted(times, key=times.get) if times[s] <= limit]
    chosen = {*best[:FINALISTS], *([schedules[0]] if schedules[0] in times else [])}
    return [schedule for schedule in schedules if schedule in chosen]


def choose_winner(schedules, times):
    """The first of those that are as fast as the fastest."""
    limit = min(times.values()) * (1 + NOISE)
    return next(s for s in schedules if times.get(s, limit + 1) <= limit)


class TuningSession(Session):
    """options: those of a Session, `count`, the candidates of a case, and
    `report`, a file that gets a line of JSON for each case (None: no report)."""

    def __init__(self, worker, cases, options):
        super().__init__(worker, cases, (), FINAL, options)

    def run(self, on_winner, compiler_command):
        """Tunes every case; on_winner(case, winner) after each that has one. The
        exit status: 1 where a plan computes wrong results or a process died."""
        self.device = self.worker.hello()
        self.target = self.options.target or self.device["target"]
        self.say(f"{self.device['device']}, tuning for {self.target}")
        failures = 0
        with tempfile.TemporaryDirectory() as folder:
            compiler = Compiler(
                self.target,
                folder,
                self.options.jobs or max(1, (os.cpu_count() or 1) - 2),
                self.options.compile_timeout,
                compiler_command,
            )
            try:
                failures = self._tune_all(compiler, on_winner)
            finally:
                compiler.close()
        self.say(f"{len(self.cases)} problems, {failures} with a failure")
        return 1 if failures else 0

    def _tune_all(self, compiler, on_winner):
        """The number of cases with a failure."""
        failures = 0
        pending = [self._submit(compiler, case) for case in self.cases]
        for index, (case, futures) in enumerate(zip(self.cases, pending), 1):
            rows, winner = self.tune(case, futures)
            failures += any(map(has_failed, rows))
            text = error_of(rows[0])
            if winner:
                on_winner(case, winner)
                text = (
                    f"{winner.us:.1f} µs, untuned {winner.untuned_us:.1f}, cuDNN "
                    f"{winner.cudnn_us:.1f}: {winner.schedule}"
                )
            self.say(f"{index}/{len(self.cases)} {case.family}: {case.problem}: {text}")
        return failures

    def _submit(self, compiler, case):
        try:
            schedules = conv_mlir.candidate_schedules(
                case.problem, self.target, self.options.count
            )
        except conv_mlir.Error:
            schedules = [""]  # The compiler says why not.
        return [compiler.submit(case.problem, schedule) for schedule in schedules]

    def tune(self, case, futures):
        """The rows that were measured, and the winner or None."""
        schedules = [future.result().schedule for future in futures]
        row = self.measure(case, futures, SCREENING)
        self._name_failures(row)
        times = times_of(row)
        self._report(case, row, times)
        rows = [row]
        finalists = choose_finalists(schedules, times)
        if len(finalists) > 1:
            chosen = [f for f in futures if f.result().schedule in finalists]
            rows.append(self.measure(case, chosen, FINAL))
            self._name_failures(rows[-1])
            times = times_of(rows[-1])
        if not times:
            return rows, None
        schedule = choose_winner(schedules, times)
        untuned = times.get(schedules[0], float("nan"))
        cudnn = rows[-1]["cudnn"]["median_us"]
        return rows, Winner(schedule, times[schedule], untuned, cudnn)

    def _report(self, case, row, times):
        """The times of all candidates, in the order of the model."""
        if not self.options.report:
            return
        document = {
            "problem": case.problem,
            "cudnn_us": row.get("cudnn", {}).get("median_us"),
            "median_us": times,
        }
        with self.options.report.open("a") as file:
            file.write(json.dumps(document) + "\n")

    def _name_failures(self, row):
        for plan in row.get("plans", ()):
            if "error" in plan and plan["requested"]:
                self.say(f"skipped: {plan['requested']}: {plan['error']}")
