"""A 3-D U-Net, as medical volumes are segmented: two 3x3x3 convolutions on each
level, strided ones down, transposed 2x2x2 ones up, skips beside."""

import torch
from torch import nn

MODALITIES, REGIONS = 4, 3
LEVELS = (32, 64, 128, 256, 320)
TINY_LEVELS = (4, 8)


class Pair(nn.Sequential):
    """Two convolutions with their normalisations; the first one may be strided."""

    def __init__(self, channels, filters, stride=1):
        super().__init__(
            *self._one(channels, filters, stride), *self._one(filters, filters, 1)
        )

    @staticmethod
    def _one(channels, filters, stride):
        return (
            nn.Conv3d(channels, filters, 3, stride, padding=1, bias=False),
            nn.InstanceNorm3d(filters, affine=True),
            nn.LeakyReLU(0.01),
        )


class UNet3d(nn.Module):
    def __init__(self, levels):
        super().__init__()
        channels = (MODALITIES, *levels)
        self.down = nn.ModuleList(
            Pair(channels[index], filters, stride=1 if index == 0 else 2)
            for index, filters in enumerate(levels)
        )
        steps = list(zip(levels[:0:-1], levels[-2::-1]))
        self.raised = nn.ModuleList(nn.ConvTranspose3d(a, b, 2, 2) for a, b in steps)
        self.up = nn.ModuleList(Pair(2 * b, b) for _, b in steps)
        self.out = nn.Conv3d(levels[0], REGIONS, 1)

    def forward(self, x):
        skips = []
        for pair in self.down:
            x = pair(x)
            skips.append(x)
        skips.pop()
        for raised, pair in zip(self.raised, self.up):
            x = pair(torch.cat([raised(x), skips.pop()], dim=1))
        return self.out(x)


def build(is_tiny=False):
    return UNet3d(TINY_LEVELS if is_tiny else LEVELS)
