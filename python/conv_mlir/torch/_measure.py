"""Times of our kernel and of PyTorch's on a GPU, as a user's program has them:
with the host's part where that is the longer one."""

import statistics

import torch

# Runs of each between two events, and how often that is repeated, in turns.
RUNS = 5
ROUNDS = 5


def compare(ours, theirs, time=None):
    """Median microseconds of a run, (ours, theirs)."""
    time = time or _time_us
    for run in (ours, theirs):
        time(run)
    pairs = [(time(ours), time(theirs)) for _ in range(ROUNDS)]
    return tuple(map(statistics.median, zip(*pairs)))


def _time_us(run):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(RUNS):
        run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / RUNS
