"""Measured rows as bars, in SVG: PyTorch's time over ours, a bar for each policy."""

import math

from comparison.plots import Canvas

from .subjects import Subject
from .table import device_line, measured

COLOURS = {"auto": "#1f6fb4", "measure": "#2f8f4e", "tune": "#7a4fb0", "always": "#d1702b"}
LEFT, RIGHT, TOP = 330, 50, 56
BAR, GAP = 14, 10
WIDTH = 860


def bar_chart(document):
    """The chart of a document of session.Session; None where nothing was measured."""
    groups = grouped(measured(document["rows"]))
    if not groups:
        return None
    rows = [row for group in groups.values() for row in group]
    height = TOP + BAR * len(rows) + GAP * len(groups) + 30
    canvas = Canvas(WIDTH, height)
    highest = max(1.2, *(row["ratio"] for row in rows))
    scale = Scale(math.ceil(highest * 5 + 0.5) / 5)
    canvas.text(LEFT, 18, "PyTorch's time / ours: right of 1 is faster", size=13)
    canvas.text(LEFT, 36, device_line(document["device"]), size=10, colour="#666")
    legend(canvas, dict.fromkeys(row["policy"] for row in rows))
    scale.draw(canvas, TOP - 6, height - 26)
    y = TOP
    for label, group in groups.items():
        y = draw_group(canvas, scale, y, label, group)
    canvas.line(scale(1), TOP - 6, scale(1), height - 26, "#222", 1.5)
    return canvas.svg()


def grouped(rows):
    """By what a reader tells apart; policies beside each other."""
    groups = {}
    for row in rows:
        groups.setdefault(label_of(row), []).append(row)
    return groups


def label_of(row):
    subject = Subject(**row["subject"])
    words = [subject.title, subject.task, f"batch {subject.batch}", row["mode"]]
    if subject.layout != "channels-last":
        words.append("default layout")
    return ", ".join(words)


class Scale:
    """Ratios as x."""

    def __init__(self, highest):
        self._highest = highest

    def __call__(self, ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * ratio / self._highest

    def draw(self, canvas, top, bottom):
        for tick in range(round(self._highest * 5) + 1):
            x = self(tick / 5)
            canvas.line(x, top, x, bottom, "#e4e6ea")
            canvas.text(x, bottom + 16, f"{tick / 5:.1f}", "middle", 10)


def draw_group(canvas, scale, y, label, rows):
    """The y of the next one."""
    canvas.text(LEFT - 8, y + BAR * len(rows) / 2 + 4, label, "end")
    for row in rows:
        end, ratio = scale(row["ratio"]), f"{row['ratio']:.2f}"
        title = f"{label}, {row['policy']}: {ratio}"
        colour = COLOURS[row["policy"]]
        canvas.box(LEFT, y, end - LEFT, BAR - 2, colour, title)
        canvas.text(end + 4, y + BAR - 4, ratio, size=10)
        y += BAR
    return y + GAP


def legend(canvas, policies):
    x = 12
    for policy in policies:
        canvas.box(x, 10, 10, 10, COLOURS[policy], policy)
        canvas.text(x + 14, 19, policy)
        x += 34 + 7 * len(policy)
