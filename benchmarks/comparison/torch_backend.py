"""PyTorch's cuDNN and our plans, on the same buffers of one GPU.

Inputs are uniform in [-1, 1), in pools of as many copies as exceed the L2 cache
twice over; copy i is one tensor for both sides. cuDNN runs in the layout of the
problem with torch.backends.cudnn.benchmark, in tf32 where that is the type, its
results rotating through as many tensors as ours. Batches are CUDA graphs, which
leave no gaps for the host to fill; the mode "events" enqueues them launch by launch
behind a kernel that waits, for the rare algorithm that cannot be captured.
"""

import collections

import conv_mlir
import torch
from conv_mlir import tensors

from .measuring import Refused
from .torch_row import Pool, TorchRow

WAIT_CYCLES = 80_000  # Per launch that the host enqueues meanwhile: 40 µs.


class Batch:
    """`count` launches through the sets in turn."""

    def __init__(self, launch, count, sets, captured):
        self.launch, self.count, self.sets = launch, count, sets
        self.graph = None
        if captured:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
                self._enqueue()

    def run(self):
        if self.graph is None:
            self._enqueue()
        else:
            self.graph.replay()

    def _enqueue(self):
        # As many results live at a time as there are sets.
        results = collections.deque(maxlen=self.sets)
        for index in range(self.count):
            results.append(self.launch(index % self.sets))


class TorchBackend:
    def __init__(self, mode="graph"):
        if not torch.cuda.is_available():
            raise Refused("PyTorch finds no CUDA device")
        torch.backends.cudnn.benchmark = True
        torch.cuda.init()
        torch.manual_seed(1)
        self.captured = mode == "graph"
        self.device = conv_mlir.Device(torch.cuda.current_device())
        self.l2_bytes = self.device.l2_bytes

    def describe(self):
        us, _ = self.device.bound("bf16", 10**12, 0)
        return {
            "device": self.device.name,
            "target": self.device.best_target,
            "multiprocessors": self.device.multiprocessors,
            "clock_hz": self.device.clock_hz,
            "memory_bytes_per_second": self.device.memory_bytes_per_second,
            "l2_bytes": self.l2_bytes,
            "peak_16bit_tflops": 1e6 / us if us else None,
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "conv_mlir": conv_mlir.version(),
        }

    def bound(self, problem):
        return self.device.bound(problem.type, problem.flops, problem.least_bytes)

    def open(self, problem):
        return TorchRow(self, problem)

    def gemm(self, type, extent):
        """A product of square matrices in two sets, and about its time."""
        dtype = tensors.dtype_of(type)
        torch.backends.cuda.matmul.allow_tf32 = type == "tf32"
        pools = [Pool(2, (extent, extent), dtype) for _ in range(3)]
        for pool in pools[:2]:
            pool.randomise()

        def launch(index):
            a, b, out = (pool[index] for pool in pools)
            return torch.mm(a, b, out=out)

        return launch, self.estimate_us(launch, 2)

    def estimate_us(self, launch, sets):
        """Of a few launches, after one through every set, up to four."""
        for index in range(min(sets, 4)):
            launch(index)
        batch = Batch(launch, 4, sets, captured=False)
        return self.time([batch])[0] / 4

    def batch(self, launch, count, sets):
        return Batch(launch, count, sets, self.captured)

    def time(self, batches):
        """Microseconds of every batch, in order."""
        events = []
        for batch in batches:
            pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            if batch.graph is None:
                torch.cuda._sleep(WAIT_CYCLES * batch.count)
            pair[0].record()
            batch.run()
            pair[1].record()
            events.append(pair)
        torch.cuda.synchronize()
        return [1000 * begin.elapsed_time(end) for begin, end in events]

    def clean(self):
        """Gives the memory of the last row back."""
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
