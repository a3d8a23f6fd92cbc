#!/usr/bin/env python3
"""Runs the rows of benchmarks/suite.json through conv-run on a GPU.

Output: OUTPUT/benchmark.json (every report of conv-run, whole) and
OUTPUT/benchmark.md (one table per operation). With --cudnn, PyTorch's cuDNN is
measured beside each row, on the same device within the same second, and the
table gives its time over ours; without it the times in suite.json, measured on
an H200, are shown as a guide.

Exit status 1 where a row failed, and the others are still run.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
OPS = ("forward", "dgrad", "wgrad")


@dataclass
class Row:
    """One problem as one operation, and what was measured."""

    family: str
    op: str
    problem: str
    guide_us: float
    report: dict = field(default_factory=dict)
    error: str = ""
    cudnn_us: float = math.nan

    @property
    def us(self):
        return self.report.get("benchmark", {}).get("median_us") or math.nan

    @property
    def ratio(self):
        """cuDNN's time over ours: above 1 is faster than cuDNN."""
        return self.cudnn_us / self.us


def select_rows(suite, ops, pattern):
    for row in suite["rows"]:
        for op in ops:
            problem = f"{op} {row['problem']}"
            if re.search(pattern, f"{row['family']} {problem}"):
                yield Row(row["family"], op, problem, row["cudnn_us"][op])


def run_conv(row, conv_run, device, runs, extra):
    command = [conv_run, f"--problem={row.problem}", f"--device={device}"]
    command += [f"--benchmark={runs}", "--json", *extra]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        row.error = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return
    row.report = json.loads(done.stdout)
    if "benchmark" not in row.report:
        row.error = f"no times from device {row.report['device']}"


def numbers(problem):
    """`n=1 stride=2x1 …` as a dictionary of lists of integers."""
    fields = dict(item.split("=") for item in problem.split()[1:])
    return {
        key: [int(part) for part in value.split("x")]
        for key, value in fields.items()
        if key != "type"
    }


class CuDNN:
    """PyTorch's cuDNN, channels last, with its own choice of algorithm."""

    def __init__(self):
        import torch

        torch.backends.cudnn.benchmark = True
        self.torch = torch

    def call(self, problem):
        """A function that launches the operation once."""
        torch, p = self.torch, numbers(problem)
        groups = p.get("groups", [1])[0]
        x = torch.randn(p["n"] + p["c"] + p["h"] + p["w"], device="cuda")
        w = torch.randn(p["k"] + [p["c"][0] // groups] + p["r"] + p["s"], device="cuda")
        x, w = (t.bfloat16().to(memory_format=torch.channels_last) for t in (x, w))
        pair = {key: (p[key] * 2)[:2] for key in ("stride", "pad", "dilation")}
        shape = (pair["stride"], pair["pad"], pair["dilation"])
        if problem.startswith("forward"):
            return lambda: torch.nn.functional.conv2d(x, w, None, *shape, groups)
        y = torch.nn.functional.conv2d(x, w, None, *shape, groups)
        mask = [problem.startswith("dgrad"), problem.startswith("wgrad"), False]
        backward = torch.ops.aten.convolution_backward
        arguments = (y, x, w, None, *shape, False, [0, 0], groups, mask)
        return lambda: backward(*arguments)

    def median_us(self, problem, runs):
        """Median over single launches. The queue is held while they are
        enqueued, so that the time to launch is not in the figure."""
        torch, launch = self.torch, self.call(problem)
        for _ in range(5):
            launch()
        torch.cuda.synchronize()
        events = [
            [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            for _ in range(runs)
        ]
        torch.cuda._sleep(50_000_000)
        for begin, end in events:
            begin.record()
            launch()
            end.record()
        torch.cuda.synchronize()
        times = sorted(begin.elapsed_time(end) for begin, end in events)
        return 1000 * times[len(times) // 2]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(rows, measured):
    """Markdown, one line per row and the geometric mean at the end."""
    cudnn = "cuDNN, µs" if measured else "cuDNN on an H200 (guide), µs"
    lines = [
        f"| family | problem | µs | TFLOP/s | of the bound | {cudnn} | cuDNN time / ours |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        problem = " ".join(row.problem.split()[1:])
        if row.error:
            lines.append(f"| {row.family} | {problem} | {row.error} | | | | |")
            continue
        timing = row.report["benchmark"]
        share = timing["share_of_bound"]
        lines.append(
            f"| {row.family} | {problem} | {row.us:.1f} | {timing['tflops']:.0f} | "
            f"{'' if share is None else f'{share:.2f}'} | "
            f"{row.cudnn_us:.1f} | {row.ratio:.2f} |"
        )
    ratios = [row.ratio for row in rows if not math.isnan(row.ratio)]
    lines.append(f"\nGeometric mean of the last column: {geometric_mean(ratios):.3f}")
    return "\n".join(lines) + "\n"


def write_results(rows, folder, measured):
    folder.mkdir(parents=True, exist_ok=True)
    documents = [
        {
            "family": row.family,
            "problem": row.problem,
            "cudnn_us": row.cudnn_us,
            "cudnn_measured": measured,
            "error": row.error,
            "report": row.report,
        }
        for row in rows
    ]
    (folder / "benchmark.json").write_text(json.dumps(documents, indent=1) + "\n")
    device = next((row.report.get("device") for row in rows if row.report), "no device")
    text = f"Device: {device}\n"
    for op in OPS:
        of_op = [row for row in rows if row.op == op]
        if of_op:
            text += f"\n## {op}\n\n{table(of_op, measured)}"
    (folder / "benchmark.md").write_text(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--conv-run", default="conv-run", metavar="PATH")
    parser.add_argument("--suite", type=pathlib.Path, default=HERE / "suite.json")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--ops", default="forward", help="comma-separated (default: forward)")
    parser.add_argument("--rows", default="", help="regular expression on family and problem")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--cudnn", action="store_true", help="measure PyTorch's cuDNN too")
    parser.add_argument("extra", nargs="*", help="after --: options for conv-run")
    arguments = parser.parse_args()
    arguments.ops = arguments.ops.split(",")
    if unknown := set(arguments.ops) - set(OPS):
        parser.error(f"unknown operations {sorted(unknown)}; there are {', '.join(OPS)}")
    return arguments


def main():
    arguments = parse_arguments()
    suite = json.loads(arguments.suite.read_text())
    rows = list(select_rows(suite, arguments.ops, arguments.rows))
    if not rows:
        sys.exit(f"error: no row of {arguments.suite} matches '{arguments.rows}'")
    cudnn = CuDNN() if arguments.cudnn else None
    start = time.monotonic()
    for index, row in enumerate(rows, 1):
        run_conv(row, arguments.conv_run, arguments.device, arguments.runs, arguments.extra)
        row.cudnn_us = row.guide_us
        if cudnn:
            row.cudnn_us = cudnn.median_us(row.problem, arguments.runs)
        result = row.error or f"{row.us:.1f} µs, cuDNN {row.cudnn_us:.1f} µs: {row.ratio:.2f}"
        print(
            f"[{time.monotonic() - start:4.0f} s] {index}/{len(rows)} "
            f"{row.family}: {row.problem}: {result}",
            flush=True,
        )
        write_results(rows[:index], arguments.output, cudnn is not None)
    failed = sum(bool(row.error) for row in rows)
    print(f"{len(rows) - failed} rows measured, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
