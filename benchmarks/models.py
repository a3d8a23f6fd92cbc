#!/usr/bin/env python3
"""Whole networks with our convolutions beside PyTorch's cuDNN: training and inference.

Steps are those of a user: compiled or eager, as they are or captured as a CUDA graph,
channels last or as PyTorch makes tensors; bf16. Each subject has a process of its own
where PyTorch's kernels (torch.backends.cudnn.benchmark = True) and ours (enable() of
conv_mlir.torch, compile="sync") run in turns; a row has the medians. Most important
rows come first. A row that fails, or for which --limit leaves no time, says so.

    models.py --limit=550 --json=models.json --chart=models.svg
    models.py --models=resnet50 --tasks=training --modes=eager --policies=auto
    models.py --losses --models=resnet50,convnext_tiny --modes=compiled
    models.py --read=models.json --chart=models.svg --modes=compiled

--profile says what the device does in a step: how long its kernels take, and those of
convolutions. A step that takes longer than its kernels waits for the processor.

--losses trains networks 50 steps instead: twice with our kernels, whose bits must be
the same, and with PyTorch's, the images of the batch in several orders.

Output: a table, and the files that are asked for. Exit status 1 where a row failed or
losses are not alike, 2 for bad usage. Needs PyTorch, torchvision for its networks, and
a GPU (--device=cpu: the emulator, with --tiny).
"""

import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# Behind an installed package.
sys.path.append(str(HERE.parent / "python"))

from comparison.report import to_json  # noqa: E402
from networks import table  # noqa: E402
from networks.chart import bar_chart  # noqa: E402
from networks.options import chosen_settings, chosen_subjects  # noqa: E402
from networks.options import is_chosen, parse_arguments  # noqa: E402
from networks.session import Session  # noqa: E402


class Unreadable(Exception):
    """What is wrong with a file."""


def write(options, document):
    """The files that are asked for, of the run so far."""
    if options.json:
        replace(options.json, to_json(document))
    chart = options.chart and bar_chart(document)
    if chart:
        replace(options.chart, chart)


def replace(path, text):
    """Writes a file that is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text)
    draft.replace(path)


def read(path):
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Unreadable(f"--read: {path}: {error}") from None
    if not isinstance(document, dict) or "rows" not in document:
        raise Unreadable(f"--read: {path}: expected the JSON of a run, got other JSON")
    return document


def show(options):
    """Shows what was measured before; the exit status."""
    document = read(options.read)
    rows = [row for row in document["rows"] if is_chosen(options, row)]
    print("\n".join([table.device_line(document["device"]), "", table.head()]))
    for row in rows:
        print(table.line(row))
    print(f"\n{table.summary(rows)}")
    print_profiles(rows)
    write(options, {**document, "rows": rows})
    return 0


def run(options):
    """Measures or trains; the exit status."""
    begin = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - begin:4.0f} s] {text}", file=sys.stderr, flush=True)

    command = [sys.executable, __file__, "--worker", f"--device={options.device}"]
    session = Session(
        command,
        options.policies,
        options.modes,
        chosen_settings(options),
        options.limit,
        options.row_timeout,
        say,
        options.profile,
    )
    if options.losses:
        train(options, session)
    else:
        measure(options, session)
    write(options, session.document())
    return status(session.document())


def measure(options, session):
    print(table.head(), flush=True)

    def on_rows(rows):
        for row in rows:
            print(table.line(row), flush=True)
        write(options, session.document())

    session.measure(chosen_subjects(options), on_rows)
    print(f"\n{table.device_line(session.device)}\n{table.summary(session.rows)}")
    print_profiles(session.rows)


def print_profiles(rows):
    lines = table.profile_lines(rows)
    if lines:
        print("\n" + "\n".join(lines))


def train(options, session):
    def on_losses(found):
        print(table.losses_line(found), flush=True)
        write(options, session.document())

    session.compare_losses(chosen_subjects(options), on_losses)
    print(table.device_line(session.device))


def status(document):
    failed = any("error" in row for row in document["rows"] + document["losses"])
    unlike = any(
        not (found["same_bits"] and found["agrees"])
        for found in document["losses"]
        if "error" not in found
    )
    return 1 if failed or unlike else 0


def main(arguments):
    options = parse_arguments(arguments, __doc__)
    if options.worker:
        from networks.serving import serve_models

        return serve_models(options.device)
    try:
        return show(options) if options.read else run(options)
    except Unreadable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
