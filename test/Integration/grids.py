"""Problems that other libraries test, in extents that the emulator runs quickly.

The names are those of the projects whose tests the grids are taken after; see
the attributes there, not the sizes.
"""


def line(n, c, h, w, k, r, s, stride="1", pad="0", dilation="1", groups=1, more=""):
    return (
        f"forward n={n} c={c} h={h} w={w} k={k} r={r} s={s} stride={stride} "
        f"pad={pad} dilation={dilation} groups={groups} {more}".strip()
    )


def triton():
    """Filters, strides and paddings, with channels that are full tiles and not."""
    channels = [(16, 16), (24, 40), (16, 24)]
    number = 0
    for r, s in ((1, 1), (2, 2), (3, 3), (1, 3)):
        for stride in (1, 2, 3):
            for pad in (0, 1):
                c, k = channels[number % 3]
                yield line(1 + number % 2, c, 9, 7, k, r, s, stride, pad)
                number += 1
    yield line(3, 5, 10, 11, 96, 3, 3, pad=1)
    yield line(4, 96, 1, 8, 128, 1, 2, "1x2")
    yield line(4, 64, 2, 2, 96, 2, 2, 2)


def cubek():
    """Wide dilations and paddings, from one channel to 64."""
    for h, w, c, k in (
        (16, 16, 16, 32),
        (32, 32, 32, 16),
        (4, 4, 1, 1),
        (17, 17, 1, 1),
        (20, 20, 16, 32),
        (23, 10, 17, 20),
        (32, 32, 64, 3),
    ):
        yield line(2, c, h, w, k, 4, 3, pad="3x1", dilation="3x2")


def direct():
    """Groups, from dense to nearly depthwise."""
    windows = (
        (3, 3, 1, 1, 1),
        (3, 3, 2, 1, 1),
        (3, 3, 1, 2, 2),
        (3, 3, 1, 1, 0),
        (1, 1, 1, 1, 0),
        (1, 3, 1, 1, "0x1"),
    )
    channels = (
        (3, 8, 1),
        (16, 16, 1),
        (64, 12, 1),
        (64, 6, 1),
        (64, 5, 1),
        (128, 32, 2),
        (32, 64, 2),
        (192, 48, 3),
        (104, 26, 1),
    )
    for i, (c, k, groups) in enumerate(channels):
        for j, (r, s, stride, dilation, pad) in enumerate(windows):
            if (i + j) % 2 == 0:
                yield line(2, c, 8, 9, k, r, s, stride, pad, dilation, groups)
    yield line(2, 12, 7, 6, 12, 3, 3, pad=1, groups=12)
    yield line(2, 6, 7, 6, 18, 3, 2, pad=1, groups=6)


def cutlass():
    """Everything unequal."""
    yield line(7, 64, 8, 8, 256, 1, 1)
    yield line(2, 32, 8, 8, 64, 3, 3, pad=1)
    yield line(2, 64, 8, 8, 64, 2, 5, pad="1:0x2:2")
    yield line(2, 64, 7, 7, 64, 2, 5, "2x3")
    yield line(2, 64, 16, 15, 64, 2, 5, "2x3", "0", "2x3")
    yield line(3, 64, 16, 16, 64, 2, 5, "2x4", "3", "4x2")
    yield line(3, 64, 16, 16, 64, 2, 5, "3x2", "3", "2x3")


def ranks():
    """1-D and 3-D."""
    yield "forward n=1 c=16 w=16 k=7 s=3 stride=2"
    yield "forward n=1 c=8 w=10 k=8 s=3 pad=0:2"
    yield "forward n=3 c=20 w=33 k=13 s=4 stride=3 pad=2:1 dilation=2 groups=1"
    yield "forward n=2 c=12 w=17 k=18 s=3 pad=1 groups=3"
    yield "forward n=1 c=64 d=8 h=10 w=9 k=96 t=3 r=4 s=5 pad=1:0x0:2x1:0 stride=2x1x2 dilation=2x2x1"
    yield "forward n=2 c=5 d=3 h=4 w=6 k=9 t=2 r=3 s=1 pad=1x1x0"
    yield "forward n=2 c=8 d=3 h=4 w=6 k=4 t=2 r=2 s=2 pad=1 groups=4"


def edges():
    """Extents of 1, nothing at all, windows in the padding, crops."""
    yield line(1, 1, 1, 1, 1, 1, 1)
    yield line(0, 8, 5, 5, 8, 3, 3)
    yield line(2, 3, 2, 2, 5, 3, 3, pad=4)
    yield line(2, 8, 9, 9, 8, 2, 2, pad="-1:-2x-2:1")
    yield line(1, 20, 6, 8, 10, 2, 3, "7x5")
    yield line(1, 130, 3, 3, 130, 3, 3, pad=1)


def epilogues():
    """Everything that is fused into the store, in both result types."""
    for number, epilogue in enumerate(
        ("bias", "relu", "residual", "bias,relu", "bias,residual", "bias,residual,relu")
    ):
        out = " out-type=f32" if number % 2 else ""
        k = 33 + number
        yield line(2, 20, 9, 11, k, 3, 3, pad=1, more=f"epilogue={epilogue}{out}")
    # A bias as wide as a tile, narrower, and in groups narrower than a tile.
    yield line(1, 9, 13, 13, 128, 3, 3, more="epilogue=bias")
    yield line(2, 8, 2, 7, 8, 1, 1, more="epilogue=bias")
    yield line(1, 4, 3, 5, 128, 1, 1, groups=4, more="epilogue=bias,residual")


GRIDS = {
    function.__name__: function
    for function in (triton, cubek, direct, cutlass, ranks, edges, epilogues)
}


def problems(grid):
    """The problem lines of a grid; the types take turns."""
    for number, text in enumerate(GRIDS[grid]()):
        yield f"{text} type={('bf16', 'f16')[number % 2]}"
