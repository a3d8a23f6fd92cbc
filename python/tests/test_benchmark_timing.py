"""compare_cudnn.py: the arithmetic of the measurement."""

import math

import conv_mlir
import hypothesis
import hypothesis.strategies as st
import pytest
from comparison import report, timing
from comparison.measuring import allowed_error


@hypothesis.given(
    st.integers(1, 10**9), st.integers(1, 10**8), st.floats(0, 1e5), st.floats(1, 1e4)
)
def test_inputs_exceed_the_cache_and_batches_last(input_bytes, l2, estimate, batch):
    sets = timing.count_sets(input_bytes, l2)
    assert sets >= 2 and sets * input_bytes >= 2 * l2
    assert sets == 2 or (sets - 1) * input_bytes < 2 * l2
    launches = timing.count_launches(estimate, sets, batch)
    assert launches % sets == 0 and launches > 0
    assert launches * max(estimate, 0.1) >= batch * (1 - 1e-9)
    assert (launches - sets) * max(estimate, 0.1) <= batch


def test_order_is_reversed_every_other_round():
    assert timing.interleave("abc", 3) == list("abccbaabc")


def test_summary():
    summary = timing.summarise([5.0, 1.0, 2.0, 4.0, 3.0, 100.0])
    assert summary["median_us"] == 3.5
    assert (summary["min_us"], summary["samples"]) == (1.0, 6)
    assert (summary["p10_us"], summary["p90_us"]) == (1.0, 5.0)


class DriftingDevice:
    """Every batch is a little slower than the one before."""

    def __init__(self):
        self.clock = 1.0
        self.log = []

    def batch(self, launch, count, sets):
        self.log.append((launch, count, sets))
        return launch * count

    def time(self, batches):
        times = []
        for us in batches:
            times.append(us * self.clock)
            self.clock *= 1.01
        return times


def test_drift_meets_both_sides_alike():
    device = DriftingDevice()
    settings = timing.Settings(40, batch_us=1000, settle_us=0, warmup_us=5000)
    launches = {"cuDNN": 30.0, "ours": 20.0}
    result = timing.measure(device, launches, launches, 3, settings)
    assert device.log == [(30.0, 36, 3), (20.0, 51, 3)]
    assert result["ours"]["launches"] == 51 and result["ours"]["samples"] == 40
    ratio = result["cuDNN"]["median_us"] / result["ours"]["median_us"]
    assert ratio == pytest.approx(1.5, rel=0.006)


class PowerLimitedDevice:
    """A contestant runs at its own speed from the third batch of a turn on."""

    def __init__(self):
        self.last, self.run = None, 0

    def batch(self, launch, count, sets):
        return launch, count

    def time(self, batches):
        times = []
        for launch, count in batches:
            self.run = self.run + 1 if launch == self.last else 1
            self.last = launch
            times.append(count * (launch if self.run > 2 else 25.0))
        return times


def test_a_batch_counts_when_the_clock_has_settled():
    launches = {"cuDNN": 30.0, "ours": 20.0}

    def ratio(settle_us):
        settings = timing.Settings(3, batch_us=1000, settle_us=settle_us, warmup_us=0)
        result = timing.measure(PowerLimitedDevice(), launches, launches, 2, settings)
        return result["cuDNN"]["median_us"] / result["ours"]["median_us"]

    assert ratio(0) == pytest.approx(1.0)
    assert ratio(2000) == pytest.approx(1.5)


def test_geometric_mean():
    assert timing.geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)
    assert math.isnan(timing.geometric_mean([]))


def test_chosen_settings():
    assert timing.Settings.chosen() == timing.Settings()
    assert timing.Settings.chosen(quick=True) == timing.Settings.quick()
    settings = timing.Settings.chosen(samples=3, batch_ms=200, settle_ms=0)
    assert (settings.samples, settings.batch_us) == (3, 200_000)
    assert settings.settle_us == 0


def test_the_report_says_how_launches_were_timed():
    settings = timing.Settings(3, batch_us=40_000, settle_us=15_000).document()
    line = report.settings_line(settings, "flushed")
    assert "3 batches of 40 ms, each after 15 ms of the same launches" in line
    assert "timed by itself, after the cache was flushed" in line
    assert "flushed" not in report.settings_line(settings, "graph")


@pytest.mark.parametrize("sizes, allowed", [("n=1 w=10", 2e-6), ("n=10 w=100", 2e-5)])
def test_the_allowed_error_grows_with_the_sums_of_f32(sizes, allowed):
    problem = conv_mlir.Problem(f"wgrad {sizes} c=8 h=100 k=8 r=1 s=1 type=f32")
    assert allowed_error(problem) == pytest.approx(allowed)
