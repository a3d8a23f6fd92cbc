"""python -m conv_mlir: compiles one problem line into a plan file.

A process of its own for each compilation lets many run at a time, and one that
dies takes no other with it.
"""

import argparse
import sys

from . import Error, compile


def main():
    parser = argparse.ArgumentParser("python -m conv_mlir", description=__doc__)
    parser.add_argument("problem", help="a problem line, docs/Problem.md")
    parser.add_argument("-o", "--output", required=True, metavar="PATH")
    parser.add_argument("--target", help="by default that of device 0")
    parser.add_argument("--schedule", help="keys of the schedule to replace")
    parser.add_argument("--tuning-file", help="measured schedules, docs/Tuning.md")
    parser.add_argument("--no-tuning", action="store_true", help="the model's choice")
    parser.add_argument(
        "--refuse-flaws", action="store_true", help="spills and C75xx are errors"
    )
    arguments = parser.parse_args()
    try:
        plan = compile(
            arguments.problem,
            arguments.target,
            arguments.schedule,
            tuning_file=arguments.tuning_file,
            tuned=not arguments.no_tuning,
            refuse_flaws=arguments.refuse_flaws,
        )
        plan.save(arguments.output)
    except Error as error:
        print(f"conv_mlir: error: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
