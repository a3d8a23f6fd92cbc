"""Rows of models.py as text. A row has "subject", "mode" and "policy", and the times
of both sides, or an "error"."""

from comparison.report import number
from comparison.timing import geometric_mean

from .subjects import Subject

HEADS = (
    "PyTorch / ours",
    "network",
    "task, batch",
    "layout",
    "mode",
    "policy",
    "PyTorch, ms",
    "ours, ms",
    "calls of ours",
)


def measured(rows):
    return [row for row in rows if "error" not in row]


def line(row):
    """Of the table, the ratio first."""
    subject = Subject(**row["subject"])
    about = [
        subject.title,
        f"{subject.task}, {subject.batch}",
        subject.layout,
        row["mode"],
        row["policy"],
    ]
    if "error" in row:
        return cells(["none", *about, row["error"], "", ""])
    times = [number(row[side]["median_us"] / 1000, 2) for side in ("pytorch", "ours")]
    calls = f"{row['our_calls']} of {row['calls']}" if "calls" in row else ""
    return cells([number(row["ratio"], 3), *about, *times, calls])


def cells(texts):
    return "| " + " | ".join(texts) + " |"


def head():
    return f"{cells(HEADS)}\n{'|---' * len(HEADS)}|"


PROFILE_HEADS = (
    "network",
    "task, batch",
    "layout",
    "mode",
    "side",
    "step, ms",
    "kernels, ms",
    "convolutions, ms",
    "kernels",
)


def profile_lines(rows):
    """A table of what the device does in a step; no lines where nothing is known. A
    step of PyTorch stands once, however many policies there are."""
    lines = []
    for row in measured(rows):
        profiles = row.get("profiles", {})
        for side in (side for side in ("pytorch", "ours") if side in profiles):
            line = _profile_line(row, side, profiles[side])
            if line not in lines:
                lines.append(line)
    head = [cells(PROFILE_HEADS), "|---" * len(PROFILE_HEADS) + "|"]
    return head + lines if lines else []


def _profile_line(row, side, profile):
    subject = Subject(**row["subject"])
    times = (
        row[side]["median_us"],
        profile["kernels_us"],
        profile["convolutions_us"],
    )
    return cells(
        [
            subject.title,
            f"{subject.task}, {subject.batch}",
            subject.layout,
            row["mode"],
            "PyTorch" if side == "pytorch" else row["policy"],
            *(number(us and us / 1000, 2) for us in times),
            number(profile["launches"], 0),
        ]
    )


def losses_line(found):
    """A sentence about a training of both sides."""
    subject = Subject(**found["subject"])
    about = f"{subject}, {subject.mode(False)}, {found['policy']}"
    if "error" in found:
        return f"losses: {about}: {found['error']}"
    return (
        f"losses: {about}, {found['steps']} steps: "
        f"{'the same bits twice' if found['same_bits'] else 'NOT the same bits twice'}; "
        f"{found['difference']:.2g} from PyTorch's, whose runs differ by "
        f"{found['difference_of_pytorch']:.2g}: "
        f"{'alike' if found['agrees'] else 'NOT alike'}"
    )


def summary(rows):
    """A line for each policy, and one about what is missing."""
    known = measured(rows)
    lines = [
        f"{policy}: geometric mean {geometric_mean(ratios):.3f}, lowest "
        f"{min(ratios):.3f}, highest {max(ratios):.3f}, {len(ratios)} rows"
        for policy, ratios in by_policy(known).items()
    ]
    if len(known) < len(rows):
        lines.append(f"{len(rows) - len(known)} of {len(rows)} rows have no result")
    return "\n".join(lines)


def by_policy(rows):
    ratios = {}
    for row in rows:
        ratios.setdefault(row["policy"], []).append(row["ratio"])
    return ratios


def device_line(device):
    """What ran it, or that nothing did."""
    known = {key: value for key, value in device.items() if value is not None}
    if not known:
        return "no device was reached"
    parts = [known.pop("device"), *(f"{key} {value}" for key, value in known.items())]
    return ", ".join(parts).replace("conv_mlir", "conv-mlir")
