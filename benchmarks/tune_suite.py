#!/usr/bin/env python3
"""Tunes the problems of a suite file on a GPU, and records the fastest schedules.

For every row of the file and every operation: the candidates that the compiler's
model ranks highest are compiled (all rows in parallel, ahead of the timing), each
result is compared with cuDNN's on random data, and all are timed in turns with
inputs that come from memory (benchmarks/comparison/tuning.py says how the winner
is found). What fails is skipped, and said.

The winner of a row is written to the tuning file as soon as it is known, in the
place of an older record of that problem: a run that is cut short keeps what it
found. Exit status 1 where a result is wrong or a process died; 2 for bad usage.
Needs PyTorch and a GPU.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import conv_mlir  # noqa: E402
from comparison.compiling import COMPILER  # noqa: E402
from comparison.options import start, suite_parser  # noqa: E402
from comparison.suite import SuiteError, load_suite  # noqa: E402
from comparison.supervisor import Worker, WorkerFailed  # noqa: E402
from comparison.tuning import TuningSession  # noqa: E402


def parse_arguments(arguments):
    parser = suite_parser(__doc__, compile_timeout=60)
    add = parser.add_argument
    add("--count", type=int, default=12, help="candidates of a row (default: 12)")
    add("--output", type=pathlib.Path, metavar="FILE")
    add(
        "--report",
        type=pathlib.Path,
        metavar="FILE",
        help="append the times of all candidates, a line of JSON for each row",
    )
    options = parser.parse_args(arguments)
    if not options.worker and not options.output:
        parser.error("expected --output=FILE, the tuning file to write to")
    if options.count < 1:
        parser.error(f"--count: expected at least 1, got {options.count}")
    return options


def tune(options, worker_command, compiler_command=COMPILER):
    """The exit status."""
    try:
        cases = load_suite(options.suite, options.ops, options.types, options.rows)
    except SuiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    worker = Worker(worker_command, timeout=options.row_timeout)
    session = TuningSession(worker, list(dict.fromkeys(cases)), options)

    def record(case, winner):
        device = session.device["device"]
        found = (winner.schedule, device, round(winner.us, 2))
        conv_mlir.add_tuning_record(
            options.output, case.problem, session.target, *found
        )

    try:
        return session.run(
            record, [*compiler_command, "--no-tuning", "--refuse-flaws"]
        )
    except (WorkerFailed, conv_mlir.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        worker.close()


if __name__ == "__main__":
    sys.exit(start(__file__, parse_arguments(sys.argv[1:]), tune))
