"""A run over many cases: compiled ahead, measured one at a time, none dropped."""

import os
import tempfile
import time

from .clocks import Clocks, driver_version
from .compiling import COMPILER, Compiler
from .report import best_plan, error_of, gemm_line, ratio
from .serving import GEMM
from .supervisor import WorkerFailed


class Session:
    """
    worker: a supervisor.Worker. settings: timing.Settings. schedules: what every
    case is compiled with; "" is the compiler's choice. options: has target, jobs,
    compile_timeout and budget (seconds, or None).
    """

    def __init__(self, worker, cases, schedules, settings, options):
        self.worker, self.cases, self.schedules = worker, cases, schedules
        self.settings, self.options = settings, options
        self.begin = time.monotonic()
        self.rows = []
        self.references = []

    def document(self):
        """All that is known so far."""
        return {
            "date": time.strftime("%Y-%m-%d"),
            "device": self.device,
            "settings": self.settings.document(),
            "references": self.references,
            "rows": self.rows,
        }

    def say(self, text):
        seconds = time.monotonic() - self.begin
        print(f"[{seconds:4.0f} s] {text}", flush=True)

    def run(self, on_row, compiler_command=COMPILER):
        """Measures everything; on_row(document) after each row. WorkerFailed where
        no worker starts at all."""
        self.device = {**self.worker.hello(), "driver": driver_version()}
        if self.options.target:
            self.device["target"] = self.options.target
        self.say(f"{self.device['device']}, compiling for {self.device['target']}")
        clocks = Clocks()
        with tempfile.TemporaryDirectory() as folder:
            compiler = Compiler(
                self.device["target"],
                folder,
                self.options.jobs or max(1, (os.cpu_count() or 1) - 2),
                self.options.compile_timeout,
                compiler_command,
            )
            try:
                self._measure_all(compiler, clocks, on_row)
            finally:
                compiler.close()
                clocks.close()
        if clocks.problem:
            self.say(f"clocks were not recorded: {clocks.problem}")

    def _measure_all(self, compiler, clocks, on_row):
        pending = [
            [compiler.submit(case.problem, schedule) for schedule in self.schedules]
            for case in self.cases
        ]
        self.measure_references("before")
        for index, (case, futures) in enumerate(zip(self.cases, pending), 1):
            row = self.measure(case, futures)
            if "timed" in row:
                row["clocks"] = clocks.during(*row["timed"])
            self.rows.append(row)
            best = best_plan(row)
            text = error_of(row)
            if best:
                text = (
                    f"{best['median_us']:.1f} µs, cuDNN "
                    f"{row['cudnn']['median_us']:.1f} µs: {ratio(row):.3f}"
                )
            self.say(f"{index}/{len(self.cases)} {case.family}: {case.problem}: {text}")
            on_row(self.document())
        self.measure_references("after")
        on_row(self.document())

    def measure_references(self, when):
        """cuBLAS on square matrices, in the types of the cases."""
        known = {"bf16", "f16", "tf32"}
        for name in sorted({case.type for case in self.cases} & known):
            request = {"gemm": name, "settings": self.settings.document()}
            try:
                answer = self.worker.request(request)
            except WorkerFailed as failed:
                answer = {"error": str(failed)}
            if "error" in answer:
                self.say(f"cuBLAS {name}: {answer['error']}")
                continue
            reference = {**answer["result"], "when": when, "extent": GEMM}
            self.references.append(reference)
            self.say(gemm_line(reference))

    def measure(self, case, futures, settings=None):
        """The row of a case, whatever becomes of it."""
        row = {"family": case.family, "op": case.op, "problem": case.problem}
        budget = self.options.budget
        if budget is not None and time.monotonic() - self.begin > budget:
            for future in futures:
                future.cancel()
            return {**row, "error": f"not measured: {budget:g} s are spent"}
        compiled = [future.result() for future in futures]
        refused = [
            {
                "requested": plan.schedule,
                "error": plan.error,
                "refused": plan.refused,
            }
            for plan in compiled
            if plan.error
        ]
        plans = [
            {"schedule": plan.schedule, "path": plan.path}
            for plan in compiled
            if not plan.error
        ]
        if not plans:
            return {**row, "plans": refused}
        request = {
            "problem": case.problem,
            "plans": plans,
            "settings": (settings or self.settings).document(),
        }
        try:
            answer = self.worker.request(request)
        except WorkerFailed as failed:
            answer = {"error": str(failed), "final": True}
        if "error" in answer:
            failed = bool(answer.get("final"))
            return {**row, "error": answer["error"], "failed": failed}
        result = answer["result"]
        result["plans"] += refused
        return {**row, **result}


def has_failed(row):
    """Whether something is wrong, rather than not supported: a compiler or worker
    that died, a result that is wrong, a plan that does not launch."""
    plans = row.get("plans", ())
    wrong = any("error" in plan and not plan.get("refused") for plan in plans)
    return wrong or row.get("failed", False)


def finish(rows):
    """Prints the last line; the exit status."""
    failed = sum(map(has_failed, rows))
    compared = sum(ratio(row) is not None for row in rows)
    print(f"{compared} of {len(rows)} rows compared, {failed} with a failure")
    return 1 if failed else 0
