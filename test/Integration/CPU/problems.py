"""Convolution problems for the numerical proof of the algorithm forms.

Each line has the grammar of conv-run's --problem, without the kind: all three
kinds are computed. Extents, strides, dilations and padding are unequal wherever
the case allows it, since index errors like to hide in symmetry. Extents are
tiny: what matters is which elements meet.
"""

# 1-D, 2-D and 3-D, one irregularity after the other, then several at once.
WINDOWS = """
n=2 c=3 w=7 k=4 s=3
n=1 c=1 w=9 k=1 s=1
n=2 c=2 w=11 k=3 s=4 stride=3 pad=2:1
n=1 c=5 w=13 k=2 s=3 stride=2 pad=1:4 dilation=3
n=1 c=2 w=10 k=3 s=2 stride=4
n=2 c=3 w=12 k=2 s=3 stride=3 dilation=3 pad=3:2
n=1 c=2 w=9 k=3 s=3 pad=-1:-2
n=1 c=2 w=8 k=2 s=2 stride=3 pad=-2:1 dilation=2
n=1 c=3 w=6 k=2 s=3 pad=5:4
n=2 c=6 w=9 k=4 s=3 stride=2 pad=1:0 groups=2
n=1 c=3 w=1 k=2 s=1
n=2 c=4 h=6 w=5 k=3 r=2 s=3
n=1 c=3 h=7 w=9 k=5 r=3 s=2 stride=2x1 pad=1x0
n=2 c=2 h=9 w=8 k=3 r=3 s=2 stride=1x3 pad=0:2x1:0
n=1 c=3 h=8 w=11 k=2 r=2 s=3 dilation=3x2 pad=2x1
n=1 c=2 h=10 w=9 k=3 r=3 s=2 stride=2x3 dilation=4x2 pad=3:1x0:2
n=1 c=2 h=9 w=12 k=2 r=2 s=3 stride=3x2 dilation=3x4 pad=1:2x4:3
n=2 c=3 h=7 w=6 k=2 r=1 s=2 stride=3x3
n=1 c=2 h=9 w=8 k=3 r=2 s=1 stride=3x2 pad=1:0x0:1
n=1 c=3 h=8 w=9 k=2 r=3 s=3 pad=-1:2x1:-2
n=1 c=2 h=9 w=10 k=2 r=2 s=3 stride=2x2 pad=-3:1x-1:-2
n=1 c=2 h=4 w=3 k=3 r=2 s=3 pad=4:3x5:3
n=1 c=2 h=5 w=4 k=2 r=3 s=1 stride=2x3 pad=6:5x2:1 dilation=2x1
n=3 c=5 h=6 w=4 k=7 r=1 s=1
n=2 c=5 h=6 w=7 k=3 r=1 s=1 stride=2x3
n=1 c=4 h=5 w=1 k=3 r=5 s=1
n=1 c=2 h=1 w=7 k=3 r=1 s=3 pad=0x1
n=1 c=3 h=5 w=6 k=2 r=5 s=6
n=1 c=2 h=5 w=6 k=3 r=6 s=8 pad=2:1x1:2
n=2 c=4 h=5 w=6 k=6 r=3 s=2 groups=2 pad=1:0x0:1
n=1 c=6 h=7 w=5 k=9 r=2 s=3 groups=3 stride=2x1 pad=1x2:0
n=2 c=4 h=6 w=7 k=4 r=3 s=2 groups=4 stride=1x2 dilation=2x1 pad=2:1x0
n=1 c=4 h=8 w=7 k=8 r=2 s=3 groups=4 stride=3x2 pad=0:1x1:0
n=1 c=8 h=5 w=4 k=4 r=1 s=1 groups=4
n=1 c=6 h=6 w=5 k=4 r=1 s=1 groups=2 stride=2x2
n=1 c=3 h=6 w=7 k=3 r=3 s=3 groups=3 pad=1x1
n=1 c=6 h=9 w=8 k=4 r=2 s=2 groups=2 stride=2x3 dilation=2x3 pad=-1:2x3:-1
n=1 c=2 d=4 h=5 w=6 k=3 t=2 r=3 s=1
n=2 c=3 d=5 h=4 w=6 k=2 t=3 r=2 s=2 stride=2x1x3 pad=1:0x0:1x2:1
n=1 c=2 d=6 h=7 w=5 k=3 t=2 r=2 s=3 stride=3x2x1 dilation=3x2x2 pad=2:1x1:2x0:2
n=1 c=2 d=5 h=6 w=4 k=2 t=1 r=2 s=1 stride=2x3x2
n=1 c=4 d=4 h=5 w=6 k=6 t=2 r=1 s=3 groups=2 stride=1x2x2 pad=1:0x0x1:2
n=1 c=3 d=4 h=5 w=3 k=3 t=3 r=2 s=2 groups=3 pad=1x0:1x-1:1
n=1 c=4 d=6 h=4 w=5 k=4 t=2 r=3 s=2 groups=4 stride=2x3x1 dilation=2x1x3 pad=0:2x1x2:1
n=2 c=3 w=7 k=2 s=4 pad=2:1 input-dilation=2
n=1 c=2 w=6 k=3 s=3 stride=2 pad=1:3 dilation=3 input-dilation=6 flip=true
n=1 c=2 w=5 k=2 s=3 stride=4 pad=3:2 dilation=2 input-dilation=2
n=1 c=3 w=9 k=2 s=4 stride=2 pad=1:0 dilation=2 flip=true
n=2 c=4 h=5 w=4 k=6 r=3 s=2 groups=2 stride=3x1 pad=2:1x0:1 input-dilation=2x3
n=1 c=2 h=6 w=5 k=3 r=2 s=3 stride=4x6 dilation=3x2 pad=-1:3x2 input-dilation=2x4 flip=true
n=1 c=2 d=3 h=4 w=3 k=2 t=2 r=3 s=2 stride=1x2x3 pad=1x0:2x1 dilation=2x1x1 input-dilation=2x1x3
"""

# The gradient grids of other projects, channels cut down, extents kept.
GRIDS = """
n=1 c=3 h=16 w=8 k=4 r=1 s=2 stride=1x2
n=1 c=2 h=2 w=2 k=3 r=2 s=2 stride=2
n=1 c=3 h=8 w=7 k=2 r=3 s=3 stride=3 pad=1
n=1 c=3 h=8 w=7 k=2 r=2 s=2 stride=3 pad=1
n=1 c=3 h=8 w=7 k=2 r=1 s=3 stride=2
n=2 c=3 h=16 w=16 k=2 r=4 s=3 pad=3x1 dilation=3x2
n=2 c=2 h=32 w=32 k=1 r=4 s=3 pad=3x1 dilation=3x2
n=2 c=1 h=4 w=4 k=1 r=4 s=3 pad=3x1 dilation=3x2
n=2 c=1 h=17 w=17 k=1 r=4 s=3 pad=3x1 dilation=3x2
n=2 c=3 h=23 w=10 k=4 r=4 s=3 pad=3x1 dilation=3x2
n=7 c=2 h=8 w=8 k=3 r=1 s=1
n=2 c=2 h=8 w=8 k=3 r=3 s=3 pad=1
n=2 c=2 h=8 w=8 k=3 r=2 s=5 pad=1:2
n=2 c=2 h=7 w=7 k=3 r=2 s=5 stride=2x3
n=2 c=2 h=16 w=15 k=3 r=2 s=5 stride=2x3 dilation=2x3
n=1 c=2 h=16 w=16 k=3 r=2 s=5 stride=2x4 dilation=4x2
n=1 c=2 h=16 w=16 k=3 r=2 s=5 pad=0x1 stride=4x2 dilation=2x4
n=1 c=2 h=16 w=16 k=3 r=2 s=5 stride=3x2 dilation=2x3
n=1 c=1 d=16 h=10 w=16 k=2 t=3 r=4 s=5 pad=1:0x0:2x1:0 stride=2x1x2 dilation=4x2x3
n=1 c=6 h=7 w=6 k=2 r=3 s=3 pad=1 groups=2
n=1 c=4 h=7 w=6 k=8 r=3 s=3 pad=2 dilation=2 groups=2
n=1 c=6 h=7 w=6 k=3 r=3 s=3 stride=2 pad=1 groups=3
"""

# All ones: the gradients can be said without computing them. Each has the kind
# and its result, read along the innermost channel 0 of image or filter 0.
CLOSED_FORMS = {
    "n=1 c=16 w=16 k=16 s=3 stride=2": (
        "dgrad",
        [16, 16, 32, 16, 32, 16, 32, 16, 32, 16, 32, 16, 32, 16, 16, 0],
    ),
    "n=1 c=2 w=8 k=3 s=3 pad=0:2": ("wgrad", [8, 7, 6]),
}
