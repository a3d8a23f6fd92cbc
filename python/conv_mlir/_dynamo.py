"""torch.compile(model, backend="conv_mlir"), by name.

The wheel declares backend() as an entry point: PyTorch finds the name without an
import. Where the package is not installed, importing conv_mlir.torch registers it.
"""

import importlib.metadata

NAME = "conv_mlir"
GROUP = "torch_dynamo_backends"


def backend(model, inputs, **options):
    """Compiles a traced program; `options` are mode and options of torch.compile."""
    from .torch._inductor import compile_inductor

    return compile_inductor(model, inputs, **options)


def register():
    """Makes the name known where the package is not installed."""
    if is_installed():
        return
    from torch._dynamo.backends import registry

    if NAME not in registry._BACKENDS:
        registry.register_backend(backend, name=NAME)


def is_installed():
    """Whether PyTorch finds the name by the entry point of the wheel."""
    try:
        points = importlib.metadata.entry_points(group=GROUP)
    except TypeError:  # Python 3.9.
        points = importlib.metadata.entry_points().get(GROUP, ())
    return any(point.name == NAME for point in points)
