"""The plots of a run as SVG: ratios against cuDNN, and the roofline."""

import math
from xml.sax.saxutils import escape

from .report import best_plan, ratio, tflops

COLOURS = {"forward": "#1f6fb4", "dgrad": "#d1702b", "wgrad": "#2f8f4e"}
GREY = "#8a8f98"


class Canvas:
    """A drawing with a white ground; y grows downwards."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="white"/>']

    def line(self, x1, y1, x2, y2, colour=GREY, width=1, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dash}/>'
        )

    def box(self, x, y, width, height, colour, title):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{colour}"><title>{escape(title)}</title></rect>'
        )

    def dot(self, x, y, colour, title, hollow=False):
        fill = "white" if hollow else colour
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" '
            f'stroke="{colour}" stroke-width="1.5"><title>{escape(title)}</title>'
            "</circle>"
        )

    def text(self, x, y, text, anchor="start", size=11, colour="#222"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" fill="{colour}">{escape(text)}</text>'
        )

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" font-family="sans-serif">\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def legend(canvas, x, y, ops):
    for op in ops:
        canvas.dot(x, y, COLOURS[op], op)
        canvas.text(x + 9, y + 4, op)
        x += 30 + 7 * len(op)
    return x


def shorten(problem):
    """A problem line without what is as usual."""
    words = problem.split()[1:]
    usual = ("stride=1", "dilation=1", "groups=1", "pad=0")
    return " ".join(w for w in words if w not in usual and not w.startswith("type="))


def ratio_plot(rows):
    """One line per problem, one dot per operation at cuDNN's time over ours."""
    compared = [row for row in rows if ratio(row) is not None]
    labels = list(
        dict.fromkeys((row["family"], shorten(row["problem"])) for row in compared)
    )
    left, right, top, step = 430, 40, 50, 16
    canvas = Canvas(960, top + step * len(labels) + 40)
    highest = max([2.0] + [math.ceil(2 * ratio(row)) / 2 for row in compared])

    def x_of(value):
        return left + (canvas.width - left - right) * value / highest

    bottom = top + step * len(labels)
    for tick in range(int(4 * highest) + 1):
        value = tick / 4
        canvas.line(x_of(value), top - 8, x_of(value), bottom, "#e4e6ea")
        if tick % 2 == 0:
            canvas.text(x_of(value), bottom + 16, f"{value:.1f}", "middle")
    canvas.line(x_of(1), top - 8, x_of(1), bottom, "#222", 1.5)
    canvas.text(left, 18, "cuDNN's time / ours: right of 1 is faster", size=13)
    legend(canvas, left + 330, 14, dict.fromkeys(row["op"] for row in compared))
    for index, (family, label) in enumerate(labels):
        y = top + step * (index + 0.5)
        canvas.text(left - 8, y + 4, f"{family}: {label}", "end", 10)
        canvas.line(left, y, canvas.width - right, y, "#f1f2f4")
    for row in compared:
        index = labels.index((row["family"], shorten(row["problem"])))
        title = f"{row['problem']}: {ratio(row):.3f}"
        y = top + step * (index + 0.5)
        canvas.dot(x_of(ratio(row)), y, COLOURS[row["op"]], title)
    return canvas.svg()


class LogAxis:
    """Maps values between two powers of ten to pixels."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.begin, self.end = begin, end

    def __call__(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def decades(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def roofline_plot(rows, device):
    """TFLOP/s over operations per byte: ours filled, cuDNN's hollow, and the
    bounds of the device. None where nothing was compared or no peak is known."""
    compared = [row for row in rows if best_plan(row)]
    peak = device.get("peak_16bit_tflops")
    bandwidth = device.get("memory_bytes_per_second")
    if not compared or not peak or not bandwidth:
        return None
    canvas = Canvas(820, 520)
    points = []
    for row in compared:
        intensity = row["flops"] / row["least_bytes"]
        for plan, hollow in ((row["cudnn"], True), (best_plan(row), False)):
            rate = tflops(row, plan["median_us"])
            points.append((intensity, rate, hollow, row))
    ridge = peak * 1e12 / bandwidth
    x = LogAxis([p[0] for p in points] + [ridge], 60, 800)
    y = LogAxis([p[1] for p in points] + [peak], 470, 40)
    for value in x.decades():
        canvas.line(x(value), 40, x(value), 470, "#e4e6ea")
        canvas.text(x(value), 488, f"{value:g}", "middle")
    for value in y.decades():
        canvas.line(60, y(value), 800, y(value), "#e4e6ea")
        canvas.text(54, y(value) + 4, f"{value:g}", "end")
    # The memory's bound begins where it enters the drawing.
    first = max(10.0**x.low, 10.0**y.low * 1e12 / bandwidth)
    canvas.line(x(first), y(first * bandwidth * 1e-12), x(ridge), y(peak), "#222")
    canvas.line(x(ridge), y(peak), 800, y(peak), "#222")
    for intensity, rate, hollow, row in points:
        who = "cuDNN" if hollow else "ours"
        title = f"{row['problem']}: {who} {rate:.0f} TFLOP/s"
        canvas.dot(x(intensity), y(rate), COLOURS[row["op"]], title, hollow)
    canvas.text(60, 20, "TFLOP/s over operations per least byte", size=13)
    end = legend(canvas, 330, 16, dict.fromkeys(row["op"] for row in compared))
    canvas.text(end, 20, "filled: ours, hollow: cuDNN")
    return canvas.svg()
