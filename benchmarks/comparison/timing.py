"""The arithmetic of the measurement; nothing here touches a device.

A sample is one batch: as many launches in a row as take some milliseconds, and
a multiple of the input sets, so that every launch finds its inputs in memory
rather than in the cache. Large layers draw all the power that a device may have:
it then lowers its clock, over tens of milliseconds, and by less for a kernel that
needs less power. Contestants that take short turns so share one clock, as the
layers of a network do; turns as long as the clock takes to change would give each
the clock that the other one led to. With `settle_us` a turn begins with batches
that do not count, and each is timed at the clock that its own load leads to.

The turns of all contestants alternate, in reversed order every other round: what
drifts (temperature) meets all of them alike. A time is the median over the
samples, divided by the launches.
"""

import math
import statistics
from dataclasses import asdict, dataclass, replace


@dataclass(frozen=True)
class Settings:
    samples: int = 60  # Turns of every contestant.
    batch_us: float = 2_000  # Least duration of a batch.
    settle_us: float = 0  # Of what a turn launches before the batch that counts.
    warmup_us: float = 60_000  # Of all contestants together, before the samples.

    @staticmethod
    def quick():
        return Settings(samples=15, warmup_us=20_000)

    @staticmethod
    def chosen(quick=False, samples=None, batch_ms=None, settle_ms=None):
        """The defaults, or the quick ones, but for what is given."""
        settings = Settings.quick() if quick else Settings()
        if samples:
            settings = replace(settings, samples=samples)
        if batch_ms:
            settings = replace(settings, batch_us=1000 * batch_ms)
        if settle_ms is not None:
            settings = replace(settings, settle_us=1000 * settle_ms)
        return settings

    def document(self):
        return asdict(self)


def count_sets(input_bytes, l2_bytes):
    """Copies of the inputs that exceed the cache twice over; at least two."""
    return max(2, math.ceil(2 * l2_bytes / max(input_bytes, 1)))


def count_settling(estimate_us, launches, settle_us):
    """Batches of a turn that do not count."""
    return math.ceil(settle_us / (launches * max(estimate_us, 0.1)))


def count_launches(estimate_us, sets, batch_us):
    """Launches of a batch: a multiple of the sets that takes long enough."""
    return sets * max(1, math.ceil(batch_us / (sets * max(estimate_us, 0.1))))


def interleave(names, rounds):
    """The order of all batches: A B, B A, A B, …"""
    names = list(names)
    return [
        name
        for index in range(rounds)
        for name in (reversed(names) if index % 2 else names)
    ]


def summarise(times):
    """Of the samples of one contestant, in microseconds per launch."""
    ordered = sorted(times)
    last = len(ordered) - 1
    return {
        "median_us": statistics.median(ordered),
        "min_us": ordered[0],
        "p10_us": ordered[round(0.1 * last)],
        "p90_us": ordered[round(0.9 * last)],
        "samples": len(ordered),
    }


def measure(backend, launches, estimates, sets, settings):
    """Times contestants against each other.

    launches, estimates: by name, what backend.batch() takes, and microseconds.
    The result has, by name, the summary of the samples.
    """
    counts = {
        name: count_launches(estimates[name], sets, settings.batch_us)
        for name in launches
    }
    batches = {
        name: backend.batch(launch, counts[name], sets)
        for name, launch in launches.items()
    }
    one_round = sum(counts[name] * estimates[name] for name in launches)
    warmup = math.ceil(settings.warmup_us / max(one_round, 1))
    backend.time([batches[name] for name in interleave(batches, warmup)])
    settling = {
        name: count_settling(estimates[name], counts[name], settings.settle_us)
        for name in launches
    }
    samples = {name: [] for name in batches}
    for name in interleave(batches, settings.samples):
        turn = backend.time([batches[name]] * (settling[name] + 1))
        samples[name].append(turn[-1] / counts[name])
    return {
        name: {**summarise(times), "launches": counts[name]}
        for name, times in samples.items()
    }


def geometric_mean(values):
    values = list(values)
    if not values:
        return math.nan
    return math.exp(sum(math.log(value) for value in values) / len(values))
