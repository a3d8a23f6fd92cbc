"""A block of a video autoencoder: 3x3x3 convolutions that are causal in time.

A frame depends on itself and frames before it: time is padded in front only. Two
residual blocks, a strided convolution within frames, two residual blocks of twice the
channels.
"""

import torch.nn.functional as F
from torch import nn

CHANNELS, TINY_CHANNELS = 128, 8


class CausalConv3d(nn.Conv3d):
    """Its padding of time is in front, of one frame less than the filter has."""

    def __init__(self, channels, filters, extent=3, stride=(1, 1, 1)):
        around = extent // 2
        super().__init__(channels, filters, extent, stride, padding=(0, around, around))

    def forward(self, x):
        before = (0, 0, 0, 0, self.kernel_size[0] - 1, 0)
        return super().forward(F.pad(x, before))


def norm(channels):
    return nn.GroupNorm(min(32, channels // 4), channels)


class ResidualBlock(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.norm1 = norm(channels)
        self.conv1 = CausalConv3d(channels, filters)
        self.norm2 = norm(filters)
        self.conv2 = CausalConv3d(filters, filters)
        same = channels == filters
        self.shortcut = nn.Identity() if same else nn.Conv3d(channels, filters, 1)

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        y = self.conv2(F.silu(self.norm2(y)))
        return self.shortcut(x) + y


def build(is_tiny=False):
    channels = TINY_CHANNELS if is_tiny else CHANNELS
    return nn.Sequential(
        ResidualBlock(channels, channels),
        ResidualBlock(channels, channels),
        CausalConv3d(channels, channels, stride=(1, 2, 2)),
        ResidualBlock(channels, 2 * channels),
        ResidualBlock(2 * channels, 2 * channels),
    )
