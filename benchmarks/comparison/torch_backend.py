"""PyTorch's cuDNN and our plans, on the same buffers of one GPU.

Inputs are uniform in [-1, 1), in pools of as many copies as exceed the L2 cache
twice over; copy i is one tensor for both sides. cuDNN runs in the layout of the
problem with torch.backends.cudnn.benchmark, in tf32 where that is the type, its
results rotating through as many tensors as ours. Batches are CUDA graphs, which
leave no gaps for the host to fill; the mode "events" enqueues them launch by launch
behind a kernel that waits, for the rare algorithm that cannot be captured. In the
mode "flushed" each launch is timed by itself after a write of FLUSH_BYTES, as
Triton's do_bench does: short kernels then find an empty cache and a device that is
far from its limit of power.
"""

import collections
import statistics

import conv_mlir
import torch
from conv_mlir import tensors

from .measuring import Refused
from .torch_row import Pool, TorchRow

WAIT_CYCLES = 80_000  # Per launch that the host enqueues meanwhile: 40 µs.
FLUSH_BYTES = 256 << 20


class Batch:
    """`count` launches through the sets in turn."""

    def __init__(self, launch, count, sets, captured):
        self.launch, self.count, self.sets = launch, count, sets
        self.graph = None
        if captured:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
                self._enqueue()

    def enqueue(self):
        """The events around it, in pairs."""
        if self.graph is None:
            torch.cuda._sleep(WAIT_CYCLES * self.count)
            return [timed(self._enqueue)]
        return [timed(self.graph.replay)]

    def us(self, pairs):
        return sum(elapsed_us(pair) for pair in pairs)

    def _enqueue(self):
        # As many results live at a time as there are sets.
        results = collections.deque(maxlen=self.sets)
        for index in range(self.count):
            results.append(self.launch(index % self.sets))


class FlushedBatch:
    """`count` launches through the sets in turn, each into an empty cache."""

    def __init__(self, launch, count, sets, memory):
        self.launch, self.count, self.sets, self.memory = launch, count, sets, memory

    def enqueue(self):
        pairs = []
        for index in range(self.count):
            self.memory.zero_()
            pairs.append(timed(lambda: self.launch(index % self.sets)))
        return pairs

    def us(self, pairs):
        """As if every launch had taken the median."""
        return self.count * statistics.median(elapsed_us(pair) for pair in pairs)


def timed(enqueue):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    enqueue()
    end.record()
    return begin, end


def elapsed_us(pair):
    return 1000 * pair[0].elapsed_time(pair[1])


class TorchBackend:
    def __init__(self, mode="graph"):
        if not torch.cuda.is_available():
            raise Refused("PyTorch finds no CUDA device")
        torch.backends.cudnn.benchmark = True
        torch.cuda.init()
        torch.manual_seed(1)
        self.mode = mode
        self.flushed = None
        if mode == "flushed":
            self.flushed = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
        self.device = conv_mlir.Device(torch.cuda.current_device())
        self.l2_bytes = self.device.l2_bytes

    def describe(self):
        us, _ = self.device.bound("bf16", 10**12, 0)
        return {
            "device": self.device.name,
            "timing": self.mode,
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
        """What a launch adds to a batch, from a few after one through every set, up
        to four."""

        def enqueue():
            for index in range(4):
                if self.flushed is not None:
                    self.flushed.zero_()
                launch(index % sets)

        for index in range(min(sets, 4)):
            launch(index)
        torch.cuda._sleep(4 * WAIT_CYCLES)
        pair = timed(enqueue)
        torch.cuda.synchronize()
        return elapsed_us(pair) / 4

    def batch(self, launch, count, sets):
        if self.flushed is not None:
            return FlushedBatch(launch, count, sets, self.flushed)
        return Batch(launch, count, sets, self.mode == "graph")

    def time(self, batches):
        """Microseconds of every batch, in order."""
        pairs = [batch.enqueue() for batch in batches]
        torch.cuda.synchronize()
        return [batch.us(some) for batch, some in zip(batches, pairs)]

    def clean(self):
        """Gives the memory of the last row back."""
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
