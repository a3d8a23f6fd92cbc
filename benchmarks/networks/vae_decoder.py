"""The decoder of an image autoencoder, as latent diffusion has it: a latent image of
4 channels becomes an RGB image of eight times its height and width.

A 3x3 convolution, residual blocks with attention in the middle, four levels of three
residual blocks; nearest-neighbour upsampling and a 3x3 convolution between levels.
"""

import torch.nn.functional as F
from torch import nn

LATENT = 4
# Channels of the levels, the deepest first.
LEVELS = (512, 512, 256, 128)
TINY_LEVELS = (16, 8)
BLOCKS = 3


def norm(channels):
    return nn.GroupNorm(min(32, channels // 4), channels, eps=1e-6)


class ResidualBlock(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.norm1 = norm(channels)
        self.conv1 = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm2 = norm(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1)
        same = channels == filters
        self.shortcut = nn.Identity() if same else nn.Conv2d(channels, filters, 1)

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        y = self.conv2(F.silu(self.norm2(y)))
        return self.shortcut(x) + y


class Attention(nn.Module):
    """One head over all positions; its matrices are 1x1 convolutions."""

    def __init__(self, channels):
        super().__init__()
        self.norm = norm(channels)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        rows = self.qkv(self.norm(x)).flatten(2).transpose(1, 2)
        q, k, v = (part.unsqueeze(1) for part in rows.chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(y.squeeze(1).transpose(1, 2).reshape(x.shape))


class Upsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


def level(channels, filters, is_last):
    blocks = [
        ResidualBlock(channels if index == 0 else filters, filters)
        for index in range(BLOCKS)
    ]
    return nn.Sequential(*blocks, *([] if is_last else [Upsample(filters)]))


def build(is_tiny=False):
    levels = TINY_LEVELS if is_tiny else LEVELS
    deepest, last = levels[0], levels[-1]
    channels = (deepest, *levels)
    return nn.Sequential(
        nn.Conv2d(LATENT, LATENT, 1),
        nn.Conv2d(LATENT, deepest, 3, padding=1),
        ResidualBlock(deepest, deepest),
        Attention(deepest),
        ResidualBlock(deepest, deepest),
        *(
            level(channels[index], filters, index == len(levels) - 1)
            for index, filters in enumerate(levels)
        ),
        norm(last),
        nn.SiLU(),
        nn.Conv2d(last, 3, 3, padding=1),
    )
