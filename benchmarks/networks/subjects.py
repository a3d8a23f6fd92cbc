"""What is measured: a network, trained or asked, in a batch, a layout and a mode.

Input: the catalogue and what the command line chooses. Output: subjects in the order
of importance, which is that of measuring: time may not suffice for all.
"""

import itertools
from dataclasses import asdict, dataclass

from .catalogue import NETWORKS

TASKS = ("training", "inference")
# "captured": the step as one CUDA graph.
MODES = ("compiled", "eager", "compiled-captured", "eager-captured")
# torch.compile's own CUDA graphs. They keep the kernels that they were recorded with:
# each side needs a backend of its own, and there is room for one policy.
GRAPHS = "reduce-overhead"
# Of torch.compile on PyTorch's side.
STOCK_BACKEND = "inductor"
LAYOUTS = ("channels-last", "default")


@dataclass(frozen=True)
class Subject:
    """
    layout    "channels-last", or "default": as PyTorch makes tensors
    backend   of torch.compile on our side
    has_graphs   whether torch.compile has the mode GRAPHS
    """

    network: str
    task: str
    batch: int
    is_compiled: bool
    layout: str
    device: str = "cuda"
    backend: str = STOCK_BACKEND
    is_tiny: bool = False
    has_graphs: bool = False

    @property
    def title(self):
        return NETWORKS[self.network].title

    def mode(self, is_captured):
        name = "compiled" if self.is_compiled else "eager"
        if self.has_graphs:
            name = GRAPHS
        return f"{name}-captured" if is_captured else name

    def document(self):
        return asdict(self)

    def __str__(self):
        return f"{self.title}, {self.task}, batch {self.batch}, {self.layout}"


def captures(subject, modes):
    """Whether a graph is captured, for each of the modes of a subject."""
    return [c for c in (False, True) if subject.mode(c) in modes]


# Whether a network is compiled, and has the mode GRAPHS.
KINDS = ((True, False), (True, True), (False, False))


def subjects(networks=(), tasks=TASKS, modes=MODES, layouts=LAYOUTS, batch=None, **rest):
    """All subjects that are chosen, most important first. networks: none: all.
    batch: in place of the networks' own. rest: further fields."""
    found = [
        Subject(network, task, size, is_compiled, layout, has_graphs=has_graphs, **rest)
        for network, task, (is_compiled, has_graphs), layout in itertools.product(
            networks or NETWORKS, tasks, KINDS, layouts
        )
        for size in batches(network, task, batch)
        if layout in layouts_of(network)
    ]
    return sorted((s for s in found if captures(s, modes)), key=importance)


def batches(network, task, batch=None):
    known = NETWORKS[network]
    own = known.inference_batches
    if task == "training":
        own = (known.training_batch,) if known.training_batch else ()
    return (batch,) if batch and own else own


def layouts_of(network):
    """A line of positions has no memory format of its own in PyTorch."""
    return LAYOUTS if NETWORKS[network].rank > 1 else ("default",)


def importance(subject):
    """Training first, networks with labels before others, channels last first; then
    small batches."""
    return (
        TASKS.index(subject.task),
        subject.task == "training" and NETWORKS[subject.network].classes is None,
        subject.layout != layouts_of(subject.network)[0],
        subject.batch if subject.task == "inference" else 0,
        # Training is compiled first, inference eager.
        subject.is_compiled == (subject.task == "inference"),
        subject.has_graphs,
        list(NETWORKS).index(subject.network),
    )
