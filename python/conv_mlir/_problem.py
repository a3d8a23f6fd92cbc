"""Problem lines as numbers."""

from ctypes import byref

from ._library import CProblem, encode, runtime

OPS = ("forward", "dgrad", "wgrad")


class Problem:
    """A checked problem line (docs/Problem.md).

    op                        "forward", "dgrad" or "wgrad"
    n, c, k, groups           channels of all groups
    input, filter, output     extents, one per spatial dimension, outermost first
    stride, dilation, input_dilation, pad_low, pad_high     the same
    type, second_type         of the first and of the second input
    out_type                  of the result
    channels_last, accumulate, flip   booleans
    scale, bias, residual     booleans, of the epilogue; relu: its activation is that
    activation                of the epilogue: "gelu", or "" where it has none
    derivative                boolean: of dgrad, the derivative of activation is a factor
    bias_gradient             boolean: of wgrad, db is a second result
    bias_type                 of scale, bias and db, where there are any
    clip                      (low, high) of the activation "clip", else None
    flops, least_bytes        operations; bytes that must be moved at least
    tolerance                 largest relative error allowed on random data
    """

    def __init__(self, text):
        raw = CProblem()
        runtime().problem_parse(encode(text), byref(raw))
        self.text = text
        self.op = OPS[raw.op]
        for name in ("n", "c", "k", "groups", "flops", "least_bytes", "tolerance"):
            setattr(self, name, getattr(raw, name))
        for name in ("input", "filter", "output", "stride", "dilation"):
            setattr(self, name, tuple(getattr(raw, name)[: raw.spatial_rank]))
        for name in ("pad_low", "pad_high", "input_dilation"):
            setattr(self, name, tuple(getattr(raw, name)[: raw.spatial_rank]))
        for name in ("channels_last", "bias", "residual", "relu", "accumulate", "flip"):
            setattr(self, name, bool(getattr(raw, name)))
        for name in ("scale", "derivative", "bias_gradient"):
            setattr(self, name, bool(getattr(raw, name)))
        self.activation = raw.activation.decode()
        self.clip = (raw.clip_low, raw.clip_high) if self.activation == "clip" else None
        self.type = raw.type.decode()
        self.second_type = raw.second_type.decode()
        self.out_type = raw.out_type.decode()
        self.bias_type = raw.bias_type.decode()

    def __repr__(self):
        return f"Problem({self.text!r})"
