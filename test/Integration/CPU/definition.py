"""The definition of convolution and its gradients, written to be read.

Tensors are flat lists in channels-last order. Nothing is shared with the
compiler: neither its geometry nor its loops.
"""

import itertools
import random


class Problem:
    """One line of problems.py; lists have one entry per spatial dimension."""

    def __init__(self, text):
        self.text = text
        fields = dict(field.split("=") for field in text.split())
        one = lambda letter: int(fields[letter])
        self.n, self.c, self.k = one("n"), one("c"), one("k")
        self.groups = int(fields.get("groups", 1))
        self.input = [one(letter) for letter in "dhw" if letter in fields]
        self.filter = [one(letter) for letter in "trs" if letter in fields]
        self.rank = len(self.input)
        self.stride = self._spatial(fields.get("stride", "1"))
        self.dilation = self._spatial(fields.get("dilation", "1"))
        self.input_dilation = self._spatial(fields.get("input-dilation", "1"))
        self.flip = fields.get("flip") == "true"
        pad = self._per_dimension(fields.get("pad", "0"))
        self.pad_low = [int(entry.split(":")[0]) for entry in pad]
        self.pad_high = [int(entry.split(":")[-1]) for entry in pad]
        self.output = [
            ((x - 1) * spread + 1 + low + high - (r - 1) * dilation - 1) // stride + 1
            for x, spread, low, high, r, dilation, stride in zip(
                self.input,
                self.input_dilation,
                self.pad_low,
                self.pad_high,
                self.filter,
                self.dilation,
                self.stride,
            )
        ]
        assert min(self.output) > 0, f"no output: {text}"

    def _per_dimension(self, text):
        entries = text.split("x")
        return entries * self.rank if len(entries) == 1 else entries

    def _spatial(self, text):
        return [int(entry) for entry in self._per_dimension(text)]

    @property
    def shape_x(self):
        return [self.n, *self.input, self.c]

    @property
    def shape_w(self):
        return [self.k, *self.filter, self.c // self.groups]

    @property
    def shape_y(self):
        return [self.n, *self.output, self.k]


def size(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def random_data(shape, seed):
    """Small integers, a third of them zeros: sums stay exact in f32."""
    source = random.Random(seed)
    return [source.choice((-2, -1, 0, 0, 1, 2)) for _ in range(size(shape))]


def _linear(position, extents):
    """Index of a position in row-major order; None where it is outside."""
    index = 0
    for coordinate, extent in zip(position, extents):
        if not 0 <= coordinate < extent:
            return None
        index = index * extent + coordinate
    return index


def _pairs(problem):
    """All (image, input position, tap, output position) that meet, as linear
    indices of pixels: y[n, p] += x[n, p*stride + r*dilation - pad_low] * w[r].
    Of the positions, every input_dilation-th is one of x; a flipped filter is
    read backwards."""
    ranges = lambda extents: itertools.product(*map(range, extents))
    for tap in ranges(problem.filter):
        for out in ranges(problem.output):
            position = [
                p * stride + r * dilation - low
                for p, stride, r, dilation, low in zip(
                    out, problem.stride, tap, problem.dilation, problem.pad_low
                )
            ]
            if any(at % spread for at, spread in zip(position, problem.input_dilation)):
                continue
            position = [at // spread for at, spread in zip(position, problem.input_dilation)]
            pixel = _linear(position, problem.input)
            if pixel is None:
                continue
            read = [r - 1 - at for r, at in zip(problem.filter, tap)] if problem.flip else tap
            yield pixel, _linear(read, problem.filter), _linear(out, problem.output)


def define(problem, x, w, dy):
    """The three results [y, dx, dw]."""
    y, dx, dw = ([0] * size(s) for s in (problem.shape_y, problem.shape_x, problem.shape_w))
    c, k = problem.c // problem.groups, problem.k // problem.groups
    pixels, taps, outs = size(problem.input), size(problem.filter), size(problem.output)
    for pixel, tap, out in _pairs(problem):
        for n, filter in itertools.product(range(problem.n), range(problem.k)):
            at_y = (n * outs + out) * problem.k + filter
            at_x = (n * pixels + pixel) * problem.c + filter // k * c
            at_w = (filter * taps + tap) * c
            for channel in range(c):
                y[at_y] += x[at_x + channel] * w[at_w + channel]
                dx[at_x + channel] += dy[at_y] * w[at_w + channel]
                dw[at_w + channel] += dy[at_y] * x[at_x + channel]
    return y, dx, dw
