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
    # Crops of each side alone, down to one position, with strides and dilations.
    yield line(1, 8, 7, 9, 16, 1, 1, pad="-3:-3x-8:0")
    yield line(2, 16, 11, 10, 8, 3, 2, "2x3", "-2:3x4:-1", "2x1")
    yield line(1, 12, 8, 8, 6, 2, 2, 2, "-1", groups=2)
    # Padding beyond the filter on one side, or all of an output in it.
    yield line(1, 16, 3, 4, 8, 2, 2, "3", "0:9x7:0")
    yield line(1, 8, 1, 1, 16, 1, 1, pad="2x0:3")
    # One channel, one filter, one position.
    yield line(3, 1, 5, 6, 1, 3, 2, pad=1)
    yield line(2, 64, 1, 1, 64, 1, 1)
    yield line(2, 1, 1, 9, 40, 1, 9)
    yield line(1, 24, 3, 3, 1, 3, 3)
    yield line(0, 16, 4, 4, 24, 1, 1, "2")
    yield "forward n=2 c=8 d=1 h=1 w=1 k=8 t=1 r=1 s=1"
    yield "forward n=1 c=7 d=4 h=5 w=3 k=10 t=3 r=1 s=2 stride=2x3x1 pad=2:0x-1:1x0:2 dilation=1x1x2"
    yield "forward n=0 c=8 w=9 k=8 s=3 pad=1"


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


def narrow_biases():
    """Scales and biases in the type of the operands, in all kinds of kernels; of dgrad,
    too, which is then a transposed convolution, also where no tap reaches."""
    for number, more in enumerate(
        (
            *("epilogue=bias bias-type=bf16", "epilogue=bias bias-type=f16"),
            "epilogue=scale,bias,residual,relu bias-type=bf16 out-type=f32",
            "epilogue=scale bias-type=f16",
        )
    ):
        yield line(2, 20, 9, 11, 33 + number, 3, 3, pad=1, more=more)
        yield line(2, 64, 6, 8, 64, 3, 3, pad=1, more=more)
        yield line(1, 8, 6, 8, 16, 1, 1, more=more + " layout=nchw")
        yield line(2, 24, 8, 6, 24, 3, 3, pad=1, groups=24, more=more)
        yield line(1, 12, 6, 5, 36, 3, 2, 2, 1, groups=3, more=more)
    more = "epilogue=bias,relu bias-type=bf16"
    yield line(2, 72, 5, 6, 40, 3, 3, pad=1, more=more) + " | tile=32x32xK16 warps=2x1 stages=2 split-k=3"
    yield "forward n=2 c=16 w=33 k=24 s=3 pad=1 " + more
    yield line(1, 17, 8, 9, 24, 3, 2, "3x5", "1x0", more=more)


def transposed_biases():
    """What follows dgrad as a transposed convolution."""
    for more in ("bias", "bias,relu", "scale,residual", "scale,bias,residual,clip:0:6"):
        more = f"epilogue={more}"
        yield line(1, 24, 7, 6, 16, 2, 3, pad="0:1x1", more=more)
        yield line(2, 64, 8, 8, 64, 3, 3, 2, 1, more=more)
        yield line(2, 24, 9, 8, 40, 3, 2, "2x3", "1x0", more=more + " accumulate=true")
        yield line(1, 16, 9, 11, 24, 1, 2, "3x4", more=more)
        yield line(2, 24, 8, 6, 40, 2, 2, 2, more=more + " layout=nchw")
    yield line(1, 36, 6, 5, 36, 3, 2, 2, 1, groups=36, more="epilogue=bias,relu")
    yield line(1, 24, 6, 5, 24, 3, 3, 1, 1, groups=24, more="epilogue=bias")
    yield line(1, 12, 6, 5, 36, 3, 2, 2, 1, groups=3, more="epilogue=bias")
    yield line(1, 40, 5, 6, 72, 2, 2, more="epilogue=bias,relu") + " | tile=32x32xK16 warps=2x1 stages=2 split-k=3"
    yield line(1, 20, 5, 6, 33, 3, 2, more="epilogue=scale,bias")
    yield "forward n=1 c=8 d=3 h=4 w=6 k=16 t=2 r=3 s=2 stride=2 pad=1x1x0 epilogue=bias layout=nchw"
    yield line(0, 8, 5, 5, 8, 3, 3, more="epilogue=bias")


def activations():
    """Every activation and a scale, in result types that round coarsely and finely;
    whole tiles, channels that end within one, a split sum, groups, a window of TMA."""
    for number, name in enumerate(
        ("clip:-1.5:4", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh", "scale", "scale,clip:-6:1e3")
    ):
        out = " out-type=f32" if number % 2 else ""
        yield line(1, 16, 5, 7, 24 + number, 2, 3, pad="0:1x1", more=f"epilogue={name}{out}")
        yield line(2, 64, 6, 8, 64, 3, 3, pad=1, more=f"epilogue=bias,{name}")
    every = "epilogue=scale,bias,residual,silu"
    yield line(2, 72, 5, 6, 40, 3, 3, pad=1, more=every)
    yield line(2, 72, 5, 6, 40, 3, 3, pad=1, more=every) + " | tile=32x32x16 warps=2x1 stages=2 split-k=3"
    yield line(1, 12, 6, 5, 36, 3, 2, 2, 1, groups=3, more=every + " accumulate=true")
    yield line(2, 24, 8, 6, 40, 3, 3, pad=1, more=every + " layout=nchw")
    yield line(2, 64, 8, 8, 64, 1, 1, more="epilogue=scale,bias,gelu layout=nchw")
    yield line(1, 8, 5, 4, 16, 3, 3, 1, 1, more="epilogue=tanh input-dilation=2")
    yield "forward n=2 c=16 w=33 k=24 s=3 pad=1 epilogue=scale,residual,gelu"
    yield line(0, 8, 5, 5, 8, 3, 3, more="epilogue=scale,gelu")


def derivatives():
    """Of every activation, in phases, in parts, with what the result is added to."""
    for number, name in enumerate(
        ("drelu", "dclip:-1:2", "dgelu", "dgelu-tanh", "dsilu", "dsigmoid", "dtanh")
    ):
        out = " out-type=f32" if number % 2 else ""
        yield line(1, 24 + number, 7, 6, 16, 2, 3, pad="0:1x1", more=f"epilogue={name}{out}")
        yield line(2, 64, 6, 8, 64, 3, 3, pad=1, more=f"epilogue={name}")
    for name in ("drelu", "dsilu"):
        yield line(2, 24, 9, 8, 40, 3, 2, "2x3", "1x0", more=f"epilogue={name} accumulate=true")
        yield line(1, 12, 6, 5, 36, 3, 2, 2, 1, groups=3, more=f"epilogue={name}")
        yield line(2, 24, 8, 6, 40, 3, 3, pad=1, more=f"epilogue={name} layout=nchw")
        yield line(1, 40, 5, 6, 72, 2, 2, more=f"epilogue={name}") + " | tile=32x32x16 warps=2x1 stages=2 split-k=3"
    yield line(1, 8, 17, 18, 8, 7, 7, 8, 3, more="epilogue=drelu")
    yield line(0, 8, 5, 5, 8, 3, 3, more="epilogue=drelu")


def bias_gradients():
    """The sum of dy beside wgrad, in parts, groups, ranks and layouts."""
    more = "epilogue=dbias"
    yield line(2, 64, 8, 8, 64, 3, 3, pad=1, more=more)
    yield line(2, 12, 7, 6, 33, 3, 2, "2x1", "1:0x1", more=more)
    yield line(1, 12, 6, 5, 36, 3, 2, 2, 1, groups=3, more=more + " accumulate=true")
    yield line(3, 24, 8, 6, 40, 3, 3, pad=1, more=more + " layout=nchw")
    yield line(2, 16, 9, 7, 24, 3, 3, more=more) + " | tile=32x32xK16 warps=2x1 stages=2 split-k=3"
    yield line(0, 8, 5, 5, 8, 3, 3, more=more)
    yield "forward n=2 c=16 w=33 k=24 s=3 pad=1 epilogue=dbias"
    yield "forward n=1 c=8 d=3 h=4 w=6 k=16 t=2 r=3 s=1 pad=1x1x0 epilogue=dbias layout=nchw"


def narrow_bias_gradients():
    """The same in 16 bits, where sums are f32."""
    more = "epilogue=dbias"
    yield line(2, 64, 8, 8, 64, 3, 3, pad=1, more=more + " bias-type=bf16")
    yield line(2, 12, 7, 6, 33, 3, 2, "2x1", "1:0x1", more=more + " bias-type=bf16 out-type=f32")
    yield line(2, 24, 8, 6, 24, 3, 3, pad=1, groups=24, more=more + " bias-type=bf16")
    yield line(3, 24, 8, 6, 40, 3, 3, pad=1, more=more + " layout=nchw bias-type=f16")


def phases():
    """What the stride phases of dgrad can be: unlike in rows and taps, with
    dilation, without any tap, one position wide, cut off by a crop."""
    yield line(2, 24, 19, 17, 40, 5, 3, "3x2", "2x1", "2x1")
    yield line(2, 16, 24, 15, 24, 4, 3, "4x6", "1x2", "6x4")
    yield line(1, 24, 19, 17, 40, 2, 2, 5)
    yield line(1, 16, 16, 16, 16, 1, 1, 8)
    yield line(1, 8, 17, 18, 8, 7, 7, 8, 3)
    yield line(2, 9, 4, 11, 13, 3, 3, "5x2", "1:0x0:3")
    yield line(2, 20, 9, 9, 12, 2, 2, 2, "-1:-2x-2:1")
    yield line(1, 36, 9, 11, 18, 3, 3, 2, 1, groups=3)
    yield "forward n=1 c=16 w=1 k=16 s=1 stride=2 pad=1:0"
    yield "forward n=1 c=16 w=16 k=16 s=3 stride=2"
    yield "forward n=2 c=8 d=6 h=7 w=9 k=16 t=2 r=3 s=3 stride=2x1x3 pad=1x0x1 dilation=1x2x1"
    # One phase has a row for each image, the other has all rows of dy.
    yield "forward n=4 c=16 w=3 k=24 s=3 stride=2 pad=1"
    yield "forward n=3 c=24 h=3 w=1 k=16 r=2 s=1 stride=2x1 pad=1x0"


def dilations():
    """Input dilation: alone, against strides and dilations with and without
    common factors, taps and outputs that meet nothing, crops, flips."""
    yield line(2, 16, 7, 6, 24, 3, 3, pad=1, more="input-dilation=2")
    yield line(1, 24, 6, 5, 16, 4, 4, pad="2:1x2", more="input-dilation=2 flip=true")
    yield line(2, 8, 6, 7, 40, 3, 2, "2x3", "2x1", "1x2", more="input-dilation=3x2")
    yield line(1, 16, 5, 6, 16, 3, 4, "2x4", "1:2x3", "3x2", more="input-dilation=4x2")
    yield line(1, 16, 6, 4, 8, 3, 2, "2", "1x0", "2", more="input-dilation=2")
    yield line(2, 8, 4, 5, 16, 1, 1, more="input-dilation=3x1")
    yield line(1, 20, 5, 7, 9, 3, 3, 1, "-1:2x-2:3", more="input-dilation=2x3 flip=true")
    # One phase of wgrad, which leaves out half of dy.
    yield line(1, 16, 7, 20, 8, 4, 1, 1, "2:-1x0", more="input-dilation=1x2")
    yield line(1, 12, 6, 5, 18, 2, 3, 1, 1, groups=3, more="input-dilation=1x2")
    yield line(2, 64, 8, 8, 64, 3, 3, pad=1, more="flip=true")
    yield line(1, 16, 9, 8, 24, 3, 2, "2x1", "1x0", "1x2", more="flip=true")
    yield line(0, 8, 4, 4, 8, 3, 3, pad=1, more="input-dilation=2")
    yield "forward n=2 c=16 w=9 k=24 s=5 pad=4:3 input-dilation=4"
    yield "forward n=1 c=8 d=3 h=4 w=5 k=16 t=2 r=3 s=2 pad=1x1:0x2 stride=1x2x1 input-dilation=2x1x3"


def layouts():
    """Channels first: whole blocks of the transpositions and parts of them."""
    yield line(2, 16, 7, 6, 24, 3, 3, pad=1, more="layout=nchw")
    yield line(3, 64, 8, 8, 64, 1, 1, more="layout=nchw")
    yield line(2, 40, 8, 12, 72, 3, 3, 2, 1, more="layout=nchw")
    yield line(1, 3, 12, 8, 32, 3, 3, 1, 1, more="layout=nchw")
    yield line(2, 1, 9, 7, 1, 3, 2, more="layout=nchw")
    yield line(2, 13, 5, 5, 9, 2, 3, "2x1", "1:0x2", more="layout=nchw")
    yield line(2, 24, 6, 8, 36, 3, 3, pad=1, groups=3, more="layout=nchw")
    yield line(2, 16, 6, 5, 8, 3, 3, pad=1, more="input-dilation=2 layout=nchw flip=true")
    yield line(2, 64, 6, 16, 64, 3, 3, pad=1, more="layout=nchw")
    yield line(1, 64, 9, 80, 40, 2, 3, pad="0x1", more="layout=nchw")
    yield line(3, 16, 2, 2, 20, 1, 1, more="layout=nchw out-type=f32")
    yield line(0, 8, 5, 5, 8, 3, 3, more="layout=nchw")
    yield line(1, 8, 1, 1, 16, 1, 1, more="layout=nchw")
    yield "forward n=2 c=16 w=19 k=24 s=3 stride=2 layout=nchw"
    yield "forward n=1 c=8 d=3 h=4 w=6 k=16 t=2 r=3 s=1 pad=1x1x0 layout=nchw"


def images():
    """1x1 filters with the channels first: images are matrices as they are."""
    more = "layout=nchw"
    yield line(2, 32, 8, 8, 48, 1, 1, more=more)
    yield line(3, 40, 8, 13, 24, 1, 1, more=more)
    yield line(1, 72, 8, 11, 136, 1, 1, more=more)
    yield line(2, 13, 9, 8, 11, 1, 1, more=more)
    yield line(5, 64, 4, 20, 80, 1, 1, more=more + " out-type=f32")
    yield line(2, 24, 8, 9, 40, 1, 1, more=more + " accumulate=true")
    yield line(2, 48, 8, 8, 40, 1, 1, more=more) + " | tile=32x32xK16 warps=1x1 stages=2 split-k=2"
    yield line(2, 24, 8, 9, 40, 1, 1, more=more) + " | tile=64x32xK32 warps=2x1 stages=3"
    yield line(2, 24, 8, 9, 40, 1, 1, more=more) + " | algorithm=im2col"
    yield "forward n=2 c=16 w=72 k=24 s=1 layout=nchw"
    yield "forward n=2 c=8 d=3 h=4 w=6 k=16 t=1 r=1 s=1 layout=nchw"


def images_epilogues():
    """Bias, residual and relu of such results, in parts of gemm-k, too."""
    for epilogue in ("bias", "residual,relu", "bias,residual,relu"):
        yield line(2, 40, 8, 9, 72, 1, 1, more=f"epilogue={epilogue} layout=nchw")
        yield line(1, 20, 8, 8, 9, 1, 1, more=f"epilogue={epilogue} layout=nchw")
    more = "epilogue=bias,relu layout=nchw"
    yield line(2, 48, 8, 9, 40, 1, 1, more=more) + " | tile=32x32xK16 warps=1x1 stages=2 split-k=3"
    yield line(2, 40, 8, 9, 72, 1, 1, more=more + " out-type=f32")


def channels_first_epilogues():
    """Bias, residual and relu of results with channels first."""
    for epilogue in ("bias", "residual,relu", "bias,residual,relu"):
        yield line(2, 16, 8, 6, 40, 3, 3, pad=1, more=f"epilogue={epilogue} layout=nchw")
    yield line(1, 20, 5, 7, 9, 1, 1, more="epilogue=bias,relu out-type=f32 layout=nchw")


def accumulations():
    """Results that are added to what is there, in parts and in phases, too."""
    more = "accumulate=true"
    tile = "tile=32x32x16 warps=2x1 stages=2"
    yield line(2, 16, 9, 7, 24, 3, 3, pad=1, more=more)
    yield line(2, 64, 8, 8, 64, 3, 3, pad=1, more=more)
    yield line(1, 9, 9, 8, 13, 3, 2, "2x3", 1, more=more + " out-type=f32")
    yield line(1, 16, 6, 6, 8, 3, 3, 1, 1, more=more + " layout=nchw")
    yield line(1, 16, 6, 5, 8, 3, 3, 1, 1, more=more + " input-dilation=2")
    yield line(2, 12, 5, 6, 18, 3, 2, groups=3, more=more)
    yield line(0, 8, 4, 4, 8, 3, 3, more=more)
    yield line(1, 80, 8, 8, 80, 1, 1, more=more) + f" | {tile} split-k=3"
    yield line(1, 8, 6, 6, 8, 2, 2, more=more) + " | algorithm=im2col"


def parts():
    """Gemm-k in parts, as even as it goes and not, with all that follows."""
    tile = "tile=32x32x16 warps=2x1 stages=3"
    for number, split in enumerate((2, 3, 5, 6)):
        text = line(2, 96 + number, 9, 7, 100 - number, 3, 2, 1, 1)
        yield f"{text} | {tile} split-k={split}"
    yield line(2, 80, 9, 11, 80, 3, 3, 2, 1, groups=2) + f" | {tile} split-k=3"
    yield f"forward n=2 c=33 d=3 h=4 w=6 k=40 t=2 r=3 s=1 pad=1 | {tile} split-k=2"


def sums():
    """Parts and a fused epilogue: it follows the sum."""
    tile = "tile=32x32x16 warps=2x1 stages=2"
    epilogue = "epilogue=bias,residual,relu"
    yield line(2, 40, 9, 11, 40, 3, 3, 2, 1, more=epilogue) + f" | {tile} split-k=3"
    yield line(1, 64, 5, 6, 32, 2, 3, more="epilogue=bias out-type=f32") + f" | {tile} split-k=4"
    yield line(2, 80, 7, 6, 24, 3, 3, groups=2, more=epilogue) + f" | {tile} split-k=2"


BYTES = {"s8": 1, "e4m3": 1, "e5m2": 1, "f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8}

OUT_TYPES = {
    "tf32": ("f32", "f16", "bf16"),
    "f32": ("f32", "f16", "bf16"),
    "f64": ("f64",),
    "s8": ("s32", "s8", "f32"),
    "e4m3": ("f32", "f16", "bf16", "e4m3", "e5m2"),
    "e5m2": ("f32", "f16", "bf16", "e4m3", "e5m2"),
}


OTHER_TYPE = {"e4m3": "e5m2", "e5m2": "e4m3"}


def types():
    """What depends on the bytes of an element: channels that are whole copies
    of 16, 8 and 4 bytes and that are not, blocks of 32, 64 and 128 bytes (here
    K16, K32, K64 of 16 bits), operands with either dimension contiguous."""
    yield line(1, 64, 5, 6, 48, 3, 3, pad=1)
    yield line(2, 16, 7, 9, 40, 3, 2, "2x1", "1:0x1", "1x2") + " | tile=64x32xK32 warps=2x1 stages=3"
    yield line(1, 3, 9, 8, 20, 3, 3, 2, 1) + " | tile=32x32xK16 warps=2x1 stages=2"
    yield line(2, 36, 5, 7, 33, 2, 2, pad="1:0") + " | tile=32x64xK64 warps=1x2 stages=2"
    yield line(2, 24, 6, 5, 36, 3, 3, 2, 1, groups=3) + " | tile=32x16xK16 warps=2x1 stages=4"
    yield line(2, 10, 5, 6, 6, 3, 3, 3, 1, groups=2)
    yield line(2, 130, 9, 8, 134, 1, 1) + " | tile=128x64xK32 warps=2x2 stages=2 split-k=2"
    yield line(1, 7, 1, 1, 5, 1, 1)
    # Of dgrad: phases without a tap.
    yield line(1, 24, 7, 6, 20, 2, 1, "3x2")
    yield "forward n=2 c=20 d=3 h=4 w=5 k=12 t=2 r=1 s=3 stride=1x1x2 pad=1x0x1"
    yield "forward n=2 c=8 w=17 k=18 s=3 pad=1 | algorithm=im2col"


def out_types(of):
    """The result types of a type, and what is fused in front of them."""
    for number, out in enumerate(OUT_TYPES[of]):
        yield line(2, 20, 5, 6, 24 + number, 2, 3, more=f"out-type={out}")
        epilogue = ("bias,relu", "bias,residual")[number % 2]
        yield line(1, 9, 6, 5, 16 + 3 * number, 3, 3, pad=1, more=f"out-type={out} epilogue={epilogue}")
        last = "clip:-2.5:7" if of == "f64" else "gelu"
        yield line(1, 16, 5, 6, 32, 1, 3, more=f"out-type={out} epilogue=scale,bias,residual,{last}")
    # A sum of parts in the accumulation type.
    out = OUT_TYPES[of][-1]
    yield line(1, 130, 4, 3, 20, 2, 1, more=f"out-type={out}") + " | tile=32x32xK16 warps=2x1 stages=2 split-k=2"


def second_types(of):
    """Inputs of two types, in all kinds of kernels and layouts."""
    more = f"second-type={OTHER_TYPE[of]}"
    yield line(2, 64, 8, 9, 64, 3, 3, pad=1, more=more)
    yield line(2, 64, 8, 9, 96, 3, 3, pad=1, more=more + " layout=nchw out-type=bf16")
    yield line(2, 48, 8, 8, 32, 1, 1, more=more + " layout=nchw")
    yield line(1, 64, 9, 7, 80, 3, 2, "2x1", "1:0x1", "1x2", more=more)
    yield line(2, 64, 7, 6, 64, 3, 3, pad=1, groups=2, more=more)
    yield line(2, 32, 6, 7, 32, 3, 3, pad=1, groups=32, more=more)
    yield line(1, 32, 6, 7, 32, 2, 2, pad=1, more=more + " input-dilation=2")
    yield line(1, 32, 6, 7, 32, 2, 3, pad=1, more=more + " flip=true accumulate=true")
    yield line(1, 3, 9, 8, 20, 3, 3, 2, 1, more=more) + " | tile=32x32xK16 warps=2x1 stages=2"
    yield line(2, 36, 5, 7, 33, 2, 2, pad="1:0", more=more) + " | tile=32x64xK64 warps=1x2 stages=2"
    yield line(2, 130, 9, 8, 134, 1, 1, more=more) + " | tile=128x64xK32 warps=2x2 stages=2 split-k=2"
    yield line(2, 24, 8, 8, 24, 1, 1, more=more + " layout=nchw") + " | tile=32x32xK16 warps=2x1 stages=2"
    yield f"forward n=2 c=32 d=3 h=4 w=5 k=16 t=2 r=1 s=3 stride=1x1x2 pad=1x0x1 {more}"
    yield f"forward n=2 c=16 w=17 k=18 s=3 pad=1 {more} | algorithm=im2col"


def second_types_epilogues(of):
    """What follows products of two types, of forward and dgrad."""
    more = f"second-type={OTHER_TYPE[of]}"
    for number, out in enumerate(OUT_TYPES[of]):
        epilogue = ("scale,bias,relu", "bias,residual", "scale bias-type=bf16")[number % 3]
        yield line(2, 32, 5, 6, 48, 3, 3, pad=1, more=f"{more} out-type={out} epilogue={epilogue}")
        yield line(2, 20, 5, 6, 9, 2, 3, more=f"{more} out-type={out} epilogue={epilogue} layout=nchw")


GRIDS = {
    function.__name__: function
    for function in (
        triton,
        cubek,
        direct,
        cutlass,
        ranks,
        edges,
        epilogues,
        activations,
        derivatives,
        bias_gradients,
        narrow_bias_gradients,
        narrow_biases,
        transposed_biases,
        phases,
        dilations,
        layouts,
        channels_first_epilogues,
        images,
        images_epilogues,
        accumulations,
        parts,
        sums,
        types,
    )
}


# Those that depend on the type.
OF_TYPES = {
    function.__name__: function
    for function in (out_types, second_types, second_types_epilogues)
}


def problems(grid, kind, of=None):
    """The problems of a grid, of an operation, each with its schedule (empty:
    any), in a type; without one the 16-bit floats take turns. K16, K32 and K64
    in a schedule become as many bytes as they are of 16 bits."""
    lines = OF_TYPES[grid](of) if grid in OF_TYPES else GRIDS[grid]()
    for number, text in enumerate(lines):
        problem, _, schedule = text.partition(" | ")
        problem = problem.replace("forward", kind, 1)
        name = of or ("bf16", "f16")[number % 2]
        for block in (16, 32, 64):
            schedule = schedule.replace(f"xK{block}", f"x{2 * block // BYTES[name]}")
        yield f"{problem} type={name}", schedule
