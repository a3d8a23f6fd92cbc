"""The networks that are measured, most important first. PyTorch is not needed to
read the list.

A network has two sizes: its own, and a tiny one for tests on the emulator.
"""

import importlib
from dataclasses import dataclass
from typing import Callable, Optional, Tuple


@dataclass(frozen=True)
class Network:
    """
    build             what makes the module; the argument says whether it is tiny
    extents           of one input: channels, then positions
    training_batch    or None where it is not trained here
    classes           of labels, or None: the loss is then the mean square of the
                      result
    """

    title: str
    build: Callable
    extents: Tuple[int, ...]
    tiny_extents: Tuple[int, ...]
    training_batch: Optional[int]
    inference_batches: Tuple[int, ...]
    classes: Optional[int] = None

    @property
    def rank(self):
        return len(self.extents) - 1

    def input_extents(self, is_tiny):
        return self.tiny_extents if is_tiny else self.extents


CLASSES = 1000


def _images(title, name, batch):
    """A network of torchvision, for images and labels."""

    def build(is_tiny):
        return getattr(importlib.import_module("torchvision.models"), name)()

    return Network(title, build, (3, 224, 224), (3, 32, 32), batch, (1, 128), CLASSES)


def _own(module, *arguments):
    """A network of this folder."""

    def build(is_tiny):
        return importlib.import_module(f".{module}", __package__).build(is_tiny)

    return Network(arguments[0], build, *arguments[1:])


NETWORKS = {
    "resnet50": _images("ResNet-50", "resnet50", 256),
    "convnext_tiny": _images("ConvNeXt-T", "convnext_tiny", 128),
    "resnext50_32x4d": _images("ResNeXt-50 32x4d", "resnext50_32x4d", 128),
    "efficientnet_b0": _images("EfficientNet-B0", "efficientnet_b0", 128),
    "vae_decoder": _own(
        "vae_decoder", "VAE decoder, 512x512", (4, 64, 64), (4, 4, 6), None, (1,)
    ),
    "unet3d": _own("unet3d", "3-D U-Net", (4, 128, 128, 128), (4, 8, 4, 4), 2, (1,)),
    "video_vae": _own(
        "video_vae", "causal video VAE block", (128, 17, 96, 96), (8, 3, 5, 4), None, (1,)
    ),
    "speech": _own("speech", "1-D speech encoder", (1, 160_000), (1, 700), 16, (1, 16)),
}
