"""torch.compile(model, backend="conv_mlir"): Inductor with two passes of ours.

Fusion runs on what autograd has traced, forward and backward in one program, before
they are parted: paddings, then gradients, then what follows a convolution. Formats
runs on each of the two, where memory is known. What they leave alone is compiled as by
Inductor.
"""

import functools
import hashlib
import pathlib

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass

from . import _ops
from ._epilogue_fusion import fuse_epilogues
from ._gradient_fusion import fuse_gradients
from ._layout_copies import write_copies
from ._padding_fusion import fold_paddings
from ._traced import take_kernels


class Pass(CustomGraphPass):
    """Steps on a program. `before`: a pass of the user's in the same place."""

    STEPS = ()

    def __init__(self, before=None):
        self._before = before

    def __call__(self, graph):
        if self._before is not None:
            self._before(graph)
        for step in self.STEPS:
            step(graph)

    def uuid(self):
        """What Inductor's cache of compiled programs depends on; None: no cache."""
        before = ""
        if self._before is not None:
            before = self._before.uuid() if hasattr(self._before, "uuid") else None
        return before if before is None else (_sources(), _ops.policies(), before)


class Fusion(Pass):
    STEPS = (fold_paddings, fuse_gradients, fuse_epilogues, take_kernels)


class Formats(Pass):
    STEPS = (write_copies,)


HOOKS = {"joint_custom_pre_pass": Fusion, "post_grad_custom_post_pass": Formats}


@functools.lru_cache(maxsize=None)
def _sources():
    """A digest of this package: what it is compiled to changes with it."""
    digest = hashlib.sha256()
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compile_inductor(model, inputs, mode=None, options=None):
    """What torch.compile calls; mode and options are those of Inductor."""
    from torch._inductor import config
    from torch._inductor.compile_fx import compile_fx

    settings = dict(torch._TorchCompileInductorWrapper(mode, options, None).config)
    for hook, ours in HOOKS.items():
        before = settings.get(hook, getattr(config, hook))
        if not isinstance(before, ours):
            settings[hook] = ours(before)
    return compile_fx(model, inputs, config_patches=settings)
