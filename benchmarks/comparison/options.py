"""What the command lines of the benchmarks share: options, and how each starts itself
again as the worker that holds the device."""

import argparse
import pathlib
import sys

from .suite import OPS

SUITE = pathlib.Path(__file__).resolve().parent.parent / "suite.json"


def names(text):
    """The words between commas."""
    return [name for name in text.split(",") if name]


def suite_parser(description, compile_timeout):
    """A parser that knows which rows to take and how they are compiled and timed."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--suite", type=pathlib.Path, default=SUITE)
    add("--rows", default="", help="regular expression on family and problem line")
    add("--ops", type=names, default=OPS, help=f"of {','.join(OPS)} (default: all)")
    types = "of f16,bf16,tf32,f32,f64 (default: the rows' own)"
    add("--types", type=names, default=(), help=types)
    add("--target", help="what to compile for (default: the device's best)")
    add("--budget", type=float, help="seconds after which no row is begun")
    add("--jobs", type=int, help="compilations at a time (default: cores - 2)")
    add("--compile-timeout", type=float, default=compile_timeout, metavar="SECONDS")
    add("--row-timeout", type=float, default=120, metavar="SECONDS")
    add("--timing", choices=("graph", "events", "flushed"), default="graph")
    add("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def serve_torch(timing):
    """The worker's side; its exit status."""
    from .serving import serve

    def open_backend():
        from .torch_backend import TorchBackend

        return TorchBackend(timing)

    return serve(open_backend)


def start(script, options, act):
    """Runs `act` with the options and the command of a worker, or is that worker."""
    if options.worker:
        return serve_torch(options.timing)
    command = [sys.executable, script, "--worker", f"--timing={options.timing}"]
    return act(options, command)
