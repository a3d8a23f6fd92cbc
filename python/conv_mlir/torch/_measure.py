"""Times of our kernels and of PyTorch's on a GPU: which is the fastest.

Times are the device's alone. What the host takes to enqueue a run is hidden behind
a kernel that waits, and inputs come from memory, not from the cache.
"""

import statistics

import torch

# Samples of each run; of those that are left, where there are many.
ROUNDS = 7
SCREENING_ROUNDS = 3
FINALISTS = 4
# How much longer a finalist may take in the screening.
NEAR = 1.08
# Times that differ by less are equal: the model's rank decides.
EQUAL = 1.015
# Cycles that the device waits while runs are enqueued, and at most so many.
WAIT = 2_000_000
LONGEST_WAIT = 200_000_000


def compare(theirs, ours, sample):
    """The place of the fastest of `ours`, its median microseconds, and those of
    theirs(). `ours` is in the order of the model's ranking; sample(runs) gives the
    microseconds of each run, once."""
    sample([theirs, *ours])  # Whatever the first run of each does.
    places = list(range(len(ours)))
    if len(ours) > FINALISTS:
        times = _medians(ours, sample, SCREENING_ROUNDS)
        places = [place for place in places if times[place] <= NEAR * min(times)]
        places = sorted(sorted(places, key=times.__getitem__)[:FINALISTS])
    runs = [theirs, *(ours[place] for place in places)]
    theirs_us, *times = _medians(runs, sample, ROUNDS)
    winner = next(i for i, time in enumerate(times) if time <= EQUAL * min(times))
    return places[winner], times[winner], theirs_us


def _medians(runs, sample, rounds):
    """In turns, every other one backwards: what drifts meets all alike."""
    samples = []
    for turn in range(rounds):
        step = -1 if turn % 2 else 1
        samples.append(sample(runs[::step])[::step])
    return [statistics.median(times) for times in zip(*samples)]


def sample_gpu(runs, index, l2_bytes):
    """Microseconds of each run on the current stream of a device."""
    with torch.cuda.device(index):
        # Reading it pushes everything else out of the cache, and leaves nothing
        # there that has to be written first.
        other = torch.empty(l2_bytes // 2, dtype=torch.float32, device="cuda")
        cycles = WAIT
        while True:
            torch.cuda._sleep(cycles)
            events = [_enqueue(run, other) for run in runs]
            has_waited = not events[0][0].query()
            events[-1][1].synchronize()
            if has_waited or cycles >= LONGEST_WAIT:
                return [start.elapsed_time(end) * 1000 for start, end in events]
            cycles *= 4


def _enqueue(run, other):
    """A run between two events."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    other.sum()
    start.record()
    run()
    end.record()
    return start, end
