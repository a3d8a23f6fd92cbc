#!/usr/bin/env python3
"""Compares our kernels with PyTorch's cuDNN, in one process, on the same buffers.

For every row of a suite file and every operation: the plan is compiled (all rows
in parallel), its result compared with cuDNN's on random data, and both are timed
in turns with inputs that come from memory (benchmarks/comparison/timing.py says
how). cuBLAS on 8192x8192 matrices is measured in the same run. A row that cannot
be compared is listed with the reason.

Output, in --output: NAME.json, NAME.md, NAME-ratio.svg and NAME-roofline.svg,
complete after every row. NAME is the date and the device, or --name. Exit status 1
where a result is wrong or a worker died; 2 for bad usage. Needs PyTorch and a GPU.
"""

import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

from comparison import plots, report  # noqa: E402
from comparison.compiling import COMPILER  # noqa: E402
from comparison.options import start, suite_parser  # noqa: E402
from comparison.session import Session, finish  # noqa: E402
from comparison.suite import SuiteError, load_suite, read_schedules  # noqa: E402
from comparison.supervisor import Worker, WorkerFailed  # noqa: E402
from comparison.timing import Settings  # noqa: E402


def parse_arguments(arguments):
    parser = suite_parser(__doc__, compile_timeout=120)
    add = parser.add_argument
    add("--schedule", default="", help="keys of the schedule to force")
    add("--schedules", type=pathlib.Path, help="a file of schedules: the best counts")
    add("--untuned", action="store_true", help="leave tuning records aside")
    add("--quick", action="store_true", help="fewer and shorter samples")
    add("--samples", type=int, help="batches of each side that count")
    add("--batch-ms", type=float, help="least duration of a batch")
    add("--settle-ms", type=float, help="of its load before each batch that counts")
    add("--output", type=pathlib.Path, default=HERE / "results")
    add("--name", help="of the files (default: DATE-DEVICE)")
    return parser.parse_args(arguments)


def default_name(document):
    device = document["device"]["device"].lower().replace("nvidia ", "")
    return f"{time.strftime('%Y-%m-%d')}-{'-'.join(device.split())}"


def write(folder, name, document):
    """All files of the run so far."""
    name = name or default_name(document)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(report.to_json(document))
    (folder / f"{name}.md").write_text(report.markdown(document))
    if any(report.ratio(row) for row in document["rows"]):
        (folder / f"{name}-ratio.svg").write_text(plots.ratio_plot(document["rows"]))
    roofline = plots.roofline_plot(document["rows"], document["device"])
    if roofline:
        (folder / f"{name}-roofline.svg").write_text(roofline)


def compare(options, worker_command, compiler_command=COMPILER):
    """The exit status."""
    if options.untuned:
        compiler_command = [*compiler_command, "--no-tuning"]
    try:
        cases = load_suite(options.suite, options.ops, options.types, options.rows)
        schedules = [options.schedule]
        if options.schedules:
            schedules = read_schedules(options.schedules)
    except SuiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    settings = Settings.chosen(
        options.quick, options.samples, options.batch_ms, options.settle_ms
    )
    worker = Worker(worker_command, timeout=options.row_timeout)
    session = Session(worker, cases, schedules, settings, options)
    try:
        session.run(
            lambda document: write(options.output, options.name, document),
            compiler_command,
        )
    except WorkerFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        worker.close()
    print(f"\n{report.markdown(session.document())}")
    return finish(session.rows)


if __name__ == "__main__":
    sys.exit(start(__file__, parse_arguments(sys.argv[1:]), compare))
