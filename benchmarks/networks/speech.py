"""1-D convolutions, as encoders of speech have them: sound of 16 kHz becomes 50
vectors a second by seven strided convolutions; a wide grouped one tells positions."""

from torch import nn

# Extent and stride of each layer.
LAYERS = ((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))
TINY_LAYERS = ((10, 5), (3, 2), (2, 2))
FILTERS, TINY_FILTERS = 512, 16
# Filters and extent of the layer of positions, and its groups. The tiny one is odd:
# PyTorch 2.11 computes even ones with groups wrongly in bf16 on some CPUs.
POSITIONS, TINY_POSITIONS = (768, 128, 16), (16, 7, 2)


def layer(channels, filters, extent, stride, is_first):
    norm = [nn.GroupNorm(filters, filters)] if is_first else []
    return [nn.Conv1d(channels, filters, extent, stride, bias=False), *norm, nn.GELU()]


def build(is_tiny=False):
    filters = TINY_FILTERS if is_tiny else FILTERS
    wide, extent, groups = TINY_POSITIONS if is_tiny else POSITIONS
    layers = []
    for index, (taps, stride) in enumerate(TINY_LAYERS if is_tiny else LAYERS):
        channels = filters if index else 1
        layers += layer(channels, filters, taps, stride, is_first=index == 0)
    return nn.Sequential(
        *layers,
        nn.Conv1d(filters, wide, 1),
        nn.Conv1d(wide, wide, extent, padding=extent // 2, groups=groups),
        nn.GELU(),
    )
