"""A network on a device with random inputs, and its steps as a user writes them.

Training: SGD with momentum, bf16 by autocast on f32 weights. Inference: weights and
inputs in bf16. Random numbers are the same for every object of a subject.
"""

import gc
import time

import torch
import torch.nn.functional as F

from .catalogue import NETWORKS
from .subjects import GRAPHS, STOCK_BACKEND

FORMATS = {2: torch.channels_last, 3: torch.channels_last_3d}
# Steps on the stream that captures, before it does.
STEPS_BEFORE_CAPTURE = 3


class Steps:
    """step() is one; the side says whose convolutions run, which changes nothing here
    but the backend of torch.compile."""

    def __init__(self, subject):
        self.subject = subject
        self._network = NETWORKS[subject.network]
        torch.manual_seed(0)
        self._model = self._make_model()
        self._start = {k: v.clone() for k, v in self._model.state_dict().items()}
        self._inputs, self._labels = self._batch = self._make_inputs()
        self._callables = {}
        self._optimizer = None
        self.is_training = subject.task == "training"
        self.restart()

    def _make_model(self):
        model = self._network.build(self.subject.is_tiny)
        if self.subject.task == "inference":
            model = model.eval().bfloat16()
        return model.to(self.subject.device, memory_format=self._format())

    def _format(self):
        if self.subject.layout == "default":
            return torch.contiguous_format
        return FORMATS[self._network.rank]

    def _make_inputs(self):
        extents = self._network.input_extents(self.subject.is_tiny)
        batch, device = self.subject.batch, self.subject.device
        inputs = torch.randn(batch, *extents, device=device)
        if self.subject.task == "inference":
            inputs = inputs.bfloat16()
        classes = self._network.classes
        labels = torch.randint(classes, (batch,), device=device) if classes else None
        return inputs.contiguous(memory_format=self._format()), labels

    def restart(self, seed=0):
        """Training anew: the weights that it began with, in the memory where they
        are. With a seed the images of the batch are in another order: sums over the
        batch are the same but for their rounding."""
        self._model.load_state_dict(self._start)
        self._inputs, self._labels = self._reordered(seed) if seed else self._batch
        if self.is_training:
            self._optimizer = torch.optim.SGD(
                self._model.parameters(), 0.01, momentum=0.9
            )

    def _reordered(self, seed):
        inputs, labels = self._batch
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(inputs), generator=generator).to(inputs.device)
        inputs = inputs[order].contiguous(memory_format=self._format())
        return inputs, labels if labels is None else labels[order]

    def switch_dropout_off(self):
        """Random masks belong to places in the batch, not to images. Before the
        first step: what is compiled stays."""
        for module in self._model.modules():
            if "Drop" in type(module).__name__ or "Stochastic" in type(module).__name__:
                module.eval()

    def step(self, is_ours):
        """A step of training, whose loss is the result, or the network's answer."""
        model = self._callable(is_ours)
        return self._train(model) if self.is_training else self._ask(model)

    def weights(self):
        return [parameter.detach().clone() for parameter in self._model.parameters()]

    def _callable(self, is_ours):
        if not self.subject.is_compiled:
            return self._model
        backend = self.subject.backend if is_ours else STOCK_BACKEND
        if backend not in self._callables:
            self._callables[backend] = torch.compile(
                self._model, backend=backend, mode=self._compile_mode()
            )
        return self._callables[backend]

    def _compile_mode(self):
        return GRAPHS if self.subject.has_graphs else None

    def _train(self, model):
        self._optimizer.zero_grad()
        with torch.autocast(self.subject.device, torch.bfloat16):
            loss = self._loss(model(self._inputs))
        loss.backward()
        self._optimizer.step()
        return loss.detach()

    def _loss(self, result):
        if self._labels is None:
            return result.float().square().mean()
        return F.cross_entropy(result, self._labels)

    @torch.no_grad()
    def _ask(self, model):
        return model(self._inputs)

    def capture(self, is_ours, pool):
        """A step as a CUDA graph. `pool` is the memory of all graphs: one runs at a
        time, and reads nothing that it has not written, weights and inputs aside."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(STEPS_BEFORE_CAPTURE):
                self.step(is_ours)
        synchronize(self.subject.device)
        give_back_memory()
        graph = torch.cuda.CUDAGraph()
        # Other threads, those that compile, may use the device meanwhile.
        with torch.cuda.graph(graph, pool, capture_error_mode="thread_local"):
            self.step(is_ours)
        return graph


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def give_back_memory():
    gc.collect()
    torch.cuda.empty_cache()


def time_us(run, count, device):
    """Microseconds of `count` runs, one behind the other as a user has them."""
    synchronize(device)
    start = time.perf_counter()
    for _ in range(count):
        run()
    synchronize(device)
    return (time.perf_counter() - start) * 1e6
