"""Compiles one problem line into a plan file.

A process of its own for each compilation lets many run at a time, and one that
dies takes no other with it.
"""

import argparse

from . import compile


def main(arguments):
    parser = argparse.ArgumentParser("python -m conv_mlir", description=__doc__)
    parser.add_argument("problem", help="a problem line, docs/Problem.md")
    parser.add_argument("-o", "--output", required=True, metavar="PATH")
    parser.add_argument("--target", help="by default that of device 0")
    parser.add_argument(
        "--multiprocessors", type=int, metavar="N", help="by default of device 0"
    )
    parser.add_argument("--schedule", help="keys of the schedule to replace")
    parser.add_argument(
        "--max-workspace", type=int, metavar="BYTES", help="what a launch may take"
    )
    parser.add_argument("--tuning-file", help="measured schedules, docs/Tuning.md")
    parser.add_argument("--no-tuning", action="store_true", help="the model's choice")
    parser.add_argument(
        "--refuse-flaws", action="store_true", help="spills and C75xx are errors"
    )
    options = parser.parse_args(arguments)
    plan = compile(
        options.problem,
        options.target,
        options.schedule,
        tuning_file=options.tuning_file,
        tuned=not options.no_tuning,
        refuse_flaws=options.refuse_flaws,
        max_workspace=options.max_workspace,
        multiprocessors=options.multiprocessors,
    )
    plan.save(options.output)
    return 0
