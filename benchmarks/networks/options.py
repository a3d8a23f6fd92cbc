"""The command line of models.py."""

import argparse
import pathlib
from dataclasses import replace

from comparison.options import names
from comparison.timing import Settings

from .catalogue import NETWORKS
from .subjects import GRAPHS, LAYOUTS, MODES, STOCK_BACKEND, TASKS, subjects

POLICIES = ("auto", "measure", "tune", "always")
# Turns of some 0.4 s, each behind steps that do not count.
SETTINGS = Settings(samples=9, batch_us=400_000, warmup_us=0)
QUICK = Settings(samples=5, batch_us=150_000, warmup_us=0)


def some_of(known):
    """The words between commas, which have to be known ones."""

    def parse(text):
        found = names(text)
        for name in found:
            if name not in known:
                expected = ", ".join(known)
                raise argparse.ArgumentTypeError(f"expected {expected}, got '{name}'")
        return found

    return parse


def positive(kind):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not value > 0:
            raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
        return value

    return parse


def parse_arguments(arguments, description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_choices(parser.add_argument)
    add_measurement(parser.add_argument)
    add_files(parser.add_argument)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.profile and options.device == "cpu":
        parser.error("--profile: expected --device=cuda; the emulator has no profile")
    if options.policies is None:
        options.policies = ["auto", "measure"] if options.device == "cuda" else ["auto"]
    check_graphs(parser, options)
    return options


def check_graphs(parser, options):
    """A graph keeps the kernels that it was recorded with."""
    if GRAPHS not in options.modes or options.read:
        return
    if options.device == "cpu":
        parser.error(f"--modes={GRAPHS}: expected --device=cuda: graphs are CUDA's")
    if len(options.policies) != 1 or options.backend == STOCK_BACKEND:
        parser.error(
            f"--modes={GRAPHS}: expected one of --policies and --backend=conv_mlir, got "
            f"--policies={','.join(options.policies)} --backend={options.backend}"
        )


def add_choices(add):
    for name, known in (
        ("models", tuple(NETWORKS)),
        ("tasks", TASKS),
        ("layouts", LAYOUTS),
    ):
        help = f"of {', '.join(known)} (default: all)"
        add(f"--{name}", type=some_of(known), default=known, metavar="A,B", help=help)
    modes = f"of {', '.join((*MODES, GRAPHS))} (default: all but the last one)"
    known = (*MODES, GRAPHS)
    add("--modes", type=some_of(known), default=MODES, metavar="A,B", help=modes)
    policies = f"of {', '.join(POLICIES)} (default: auto,measure)"
    add("--policies", type=some_of(POLICIES), metavar="A,B", help=policies)
    add("--batch", type=positive(int), help="in place of each network's own")
    add("--backend", default=STOCK_BACKEND, help="of torch.compile, on our side")


def add_measurement(add):
    add("--quick", action="store_true", help="fewer and shorter turns")
    add("--samples", type=positive(int), help="turns of each side")
    add("--limit", type=positive(float), help="seconds of the run: what is left is missing")
    add("--row-timeout", type=positive(float), default=600, help="seconds of one row")
    add("--profile", action="store_true", help="what the device does in a step, too")
    add("--losses", action="store_true", help="train with both sides, compare losses")
    add("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: the emulator")
    add("--tiny", action="store_true", help="networks of a few channels, for tests")


def add_files(add):
    add("--json", type=pathlib.Path, help="file of all results, whole after each row")
    add("--chart", type=pathlib.Path, help="file of a bar chart, SVG")
    add("--read", type=pathlib.Path, help="JSON of a run, which is shown: none is made")


def chosen_settings(options):
    settings = QUICK if options.quick else SETTINGS
    return replace(settings, samples=options.samples) if options.samples else settings


def chosen_subjects(options):
    return subjects(
        options.models,
        ["training"] if options.losses else options.tasks,
        [mode for mode in options.modes if not (options.losses and "capt" in mode)],
        options.layouts,
        options.batch,
        device=options.device,
        backend=options.backend,
        is_tiny=options.tiny,
    )


def is_chosen(options, row):
    """Whether a row that was read is one of those that are asked for."""
    subject = row["subject"]
    return (
        subject["network"] in options.models
        and subject["task"] in options.tasks
        and subject["layout"] in options.layouts
        and row["mode"] in options.modes
        and row["policy"] in options.policies
        and options.batch in (None, subject["batch"])
    )
