"""policy="measure" and "tune", with a clock that the tests hold."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir._measurements import Measurement, Measurements  # noqa: E402
from conv_mlir.torch import (  # noqa: E402
    _choices,
    _copies,
    _devices,
    _fast,
    _measure,
    _override,
    _rules,
)
from conv_mlir.torch import _plans, _situation  # noqa: E402

# Each test has filters of its own, so that none finds the plans of another.
FILTERS = iter(range(5, 1000))


def layer():
    w = torch.randint(-2, 3, (next(FILTERS), 3, 2, 2)).float()
    return lambda: F.conv2d(torch.ones(1, 3, 3, 4), w)


def tensors(results):
    """Of one, or of several with None for those that are not asked for."""
    results = [results] if torch.is_tensor(results) else results
    return [result for result in results if result is not None]


class Clock:
    """In the place of a device's: runs take what the test says, in the order of the
    first sample, which has PyTorch's first. They run, and must agree."""

    def __init__(self, *times):
        self._times = times
        self._runs = None
        self.samples = 0

    def __call__(self, runs):
        self.samples += 1
        if self._runs is None:
            self._runs = list(runs)
            expected, *others = [tensors(run()) for run in runs]
            for found in others:
                assert len(found) == len(expected)
                assert all(map(torch.equal, found, expected))
        return [self._times[self._runs.index(run)] for run in runs]


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """Measurements in a folder; forget() is what a new process has."""

    class Memory:
        folder = tmp_path / "measurements"

        def forget(self):
            kept = Measurements(self.folder, 1 << 20)
            monkeypatch.setattr(_choices, "measurements", lambda: kept)
            return kept

    memory = Memory()
    memory.forget()
    return memory


class Enabled:
    """The override for tensors of the CPU, with a clock."""

    def __init__(self, clock, policy="measure", compile="sync"):
        self.settings = _override.Settings(policy, compile, clock)

    def __enter__(self):
        kind = _override.Override if _rules.obstacle() else _fast.FastOverride
        self.override = kind("cpu", self.settings)
        return self

    def __exit__(self, *_):
        self.override.remove()

    @property
    def row(self):
        self.override.count()
        (row,) = self.override.table.rows()
        return row


def alternatives(monkeypatch, *schedules):
    """What a policy times beside the compiler's choice."""

    def pick(settings, device, line, situation):
        memory = _choices.measurements()
        others = lambda _: list(schedules)  # noqa: E731
        return _choices.Fastest(settings, device, line, others, memory, situation())

    monkeypatch.setattr("conv_mlir.torch._routes.make_choice", pick)


@pytest.mark.parametrize("times, ours", [((4.0, 3.0), 3), ((3.0, 4.0), 0)])
def test_measure_keeps_the_faster(memory, monkeypatch, times, ours):
    alternatives(monkeypatch)
    call, clock = layer(), Clock(*times)
    expected = call()
    with Enabled(clock) as enabled:
        for _ in range(3):
            assert torch.equal(call(), expected)
        row = enabled.row
    assert clock.samples == 1 + _measure.ROUNDS
    assert (row.calls, row.ours, row.saved_us) == (3, ours, ours * 1.0)
    if not ours:
        assert row.reason == "measured: PyTorch's takes 3.0 us, ours 4.0"


def test_the_best_of_several_kernels_runs(memory, monkeypatch):
    alternatives(monkeypatch, "tile=16x16x8 warps=1x1", "tile=32x16x8 warps=2x1")
    call = layer()
    with Enabled(Clock(9.0, 8.0, 5.0, 7.0)) as enabled:
        call(), call()
        row = enabled.row
    assert row.ours == 2 and "tile=16x16x8 warps=1x1" in row.schedule
    assert (row.ours_us, row.theirs_us) == (5.0, 9.0)


def test_a_kernel_that_does_not_compile_is_left_out(memory, monkeypatch):
    alternatives(monkeypatch, "tile=17x16x8", "tile=16x16x8 warps=1x1")
    call = layer()
    with Enabled(Clock(9.0, 8.0, 5.0)) as enabled:
        call()
        row = enabled.row
    assert row.ours == 1 and "tile=16x16x8" in row.schedule


@pytest.mark.parametrize("policy", ["measure", "tune"])
def test_a_second_process_measures_nothing(memory, policy):
    call, first, second = layer(), Clock(*[9.0] * 14), Clock()
    with Enabled(first, policy):
        call()
    assert first.samples
    memory.forget()
    with Enabled(second, policy) as enabled:
        call()
        row = enabled.row
    assert not second.samples
    assert (row.ours, row.ours_us, row.theirs_us) == (1, 9.0, 9.0)


def test_pytorchs_kernel_is_remembered_without_a_plan(memory, monkeypatch):
    call = layer()
    with Enabled(Clock(1.0, 9.0, 9.0)):
        call()
    memory.forget()

    def find(self, **request):
        raise AssertionError("a plan was looked for")

    monkeypatch.setattr(conv_mlir.Cache, "find", find)
    with Enabled(Clock()) as enabled:
        call()
        row = enabled.row
    assert row.reason == "measured: PyTorch's takes 1.0 us, ours 9.0"


def test_what_counts_is_measured_again(memory, monkeypatch):
    """Flags of PyTorch, the policy, the strides of the tensors."""
    call = layer()

    def is_measured(policy="measure", call=call):
        clock = Clock(*[9.0] * 14)
        memory.forget()
        with Enabled(clock, policy):
            call()
        return clock.samples > 0

    assert is_measured()
    assert not is_measured()
    assert is_measured("tune")
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    assert is_measured()
    assert not is_measured()
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)
    assert is_measured()
    monkeypatch.setattr(_situation, "_versions", lambda: ("another",))
    assert is_measured()
    monkeypatch.setattr(_devices.Emulator, "describe", lambda self: ["another"])
    assert is_measured()
    w = torch.ones(next(FILTERS), 3, 2, 2)
    for shape in (1, 3, 3, 4), (1, 3, 4, 3):
        x = torch.ones(shape)
        assert is_measured(call=lambda x=x: F.conv2d(x, w))
        x = x.transpose(2, 3)
        assert is_measured(call=lambda x=x: F.conv2d(x, w))


def test_gradients_are_measured_and_right(memory, monkeypatch):
    alternatives(monkeypatch)
    x = torch.randint(-2, 3, (2, 3, 5, 4)).float().requires_grad_()
    w = torch.randint(-2, 3, (next(FILTERS), 3, 3, 2)).float().requires_grad_()

    def step():
        x.grad = w.grad = None
        F.conv2d(x, w, padding=1).square().sum().backward()
        return [x.grad.clone(), w.grad.clone()]

    expected = step()
    clocks = []

    def sample(runs):
        clocks.append(len(runs))
        results = [run() for run in runs]
        kinds = {type(result) for result in results}
        assert kinds <= {torch.Tensor, tuple, list}
        return [9.0] * len(runs)

    with Enabled(sample) as enabled:
        for _ in range(2):
            assert all(map(torch.equal, step(), expected))
        enabled.override.count()
        rows = enabled.override.table.rows()
    assert len(clocks) == 3 * (1 + _measure.ROUNDS)
    assert [(row.calls, row.ours) for row in rows] == [(2, 2)] * 3


def test_a_clock_that_fails_leaves_pytorchs_kernel(memory):
    def sample(runs):
        raise RuntimeError("CUDA out of memory.\nTried to allocate")

    call = layer()
    expected = call()
    with Enabled(sample) as enabled:
        assert torch.equal(call(), expected)
        row = enabled.row
    assert row.reason == "not timed: CUDA out of memory." and not len(memory.forget())


def test_nothing_is_timed_while_a_stream_captures(memory, monkeypatch):
    call, clock = layer(), Clock(*[9.0] * 3)
    with monkeypatch.context() as patch, Enabled(clock) as enabled:
        patch.setattr(_devices.Emulator, "is_capturing", lambda self: True)
        call(), call()
        assert enabled.row.reason == "a stream captures, and the plan is not ready"
        assert not clock.samples
        patch.undo()
        call()
        assert clock.samples and enabled.row.ours == 1


def test_what_is_remembered_runs_while_a_stream_captures(memory, monkeypatch):
    call = layer()
    with Enabled(Clock(*[9.0] * 3)):
        call()
    memory.forget()
    monkeypatch.setattr(_devices.Emulator, "is_capturing", lambda self: True)
    with Enabled(Clock()) as enabled:
        call()
        assert enabled.row.ours == 1


def test_rules_are_made_when_everything_is_measured(memory, monkeypatch):
    """The other kernels are compiled after the list of schedules; each time PyTorch's
    kernel runs meanwhile, and Python is not asked."""
    jobs = []

    class Held:
        def submit(self, request, done):
            jobs.append((request, done))

    monkeypatch.setattr(_plans, "compilers", lambda: Held())
    call, clock = layer(), Clock(*[9.0] * 3)
    expected = call()
    with Enabled(clock, compile="async") as enabled:
        kinds = []
        for _ in range(4):
            assert torch.equal(call(), expected) and torch.equal(call(), expected)
            kinds.append([("candidates" in request) for request, _ in jobs])
            for request, done in jobs:
                done(work(**request), None)
            jobs.clear()
        row = enabled.row
    assert kinds[0] == [True, False]
    assert clock.samples and (row.calls, row.reason) == (8, "being compiled")
    assert row.ours in (4, 6)  # There is one engine, or another one to compile.


def work(candidates=None, **request):
    """What a compiler process does."""
    if candidates is None:
        return conv_mlir.compile(**request).to_bytes()
    schedules = conv_mlir.candidate_schedules(count=candidates, **request)
    return "\n".join(schedules).encode()


def test_without_compiling_nothing_is_remembered(memory):
    call = layer()
    with Enabled(Clock(), compile="never") as enabled:
        call()
        assert enabled.row.reason == "no plan, and compile is 'never'"
    assert not len(memory.forget())


# Which kernels.


def test_the_other_engine_is_the_models_best_of_it():
    schedules = [
        "algorithm=implicit_gemm tile=64x64x64 mma=wgmma",
        "algorithm=implicit_gemm tile=32x32x64 mma=wgmma",
        "algorithm=implicit_gemm tile=64x64x32 mma=mma_sync",
        "algorithm=loops tile=8x4x1 mma=fma",
    ]
    assert _choices.other_engine(schedules) == schedules[2:3]
    assert _choices.other_engine(schedules[:2]) == []
    assert _choices.other_engine([]) == []


def test_the_model_ranks_both_engines():
    line = "wgrad n=64 c=32 h=112 w=112 k=32 r=7 s=7 pad=3 type=bf16"
    ranked = conv_mlir.candidate_schedules(line, "sm_90a", _choices.CANDIDATES)
    (other,) = _choices.other_engine(ranked)
    assert "mma=wgmma" in ranked[0] and "mma=mma_sync" in other


def test_candidates_come_from_the_compilers():
    listing = _plans.Listing("forward n=1 c=3 h=5 w=4 k=4 r=3 s=3", "sm_90a", 12)
    listing.start()
    listing.wait()
    assert listing.schedules == conv_mlir.candidate_schedules(
        "forward n=1 c=3 h=5 w=4 k=4 r=3 s=3", "sm_90a", 12
    )


# Comparing.


def compare(times, samples=None):
    """compare() of runs that take `times`, PyTorch's first; samples gets each turn."""
    runs = [lambda i=i: i for i in range(len(times))]

    def sample(turn):
        if samples is not None:
            samples.append([run() for run in turn])
        return [times[run()] for run in turn]

    return _measure.compare(runs[0], runs[1:], sample)


def test_compare_takes_turns_forwards_and_backwards():
    samples = []
    assert compare([3, 2, 1], samples) == (1, 1, 3)
    assert samples == [[0, 1, 2], *[[0, 1, 2], [2, 1, 0]] * 3, [0, 1, 2]]


def test_compare_takes_medians():
    times = iter([50, 50, 9, 1, 2, 8, 100, 3, 3, 7, 1, 9, 6, 4, 6, 4])
    runs = [lambda: "theirs", lambda: "ours"]

    def sample(turn):
        found = {"theirs": next(times), "ours": next(times)}
        return [found[run()] for run in turn]

    assert _measure.compare(runs[0], runs[1:], sample) == (0, 4, 6)


def test_of_equal_kernels_the_models_first_wins():
    assert compare([9, 101, 100, 102])[0] == 0
    assert compare([9, 103, 100, 101])[0] == 1


def test_many_kernels_are_screened():
    samples = []
    times = [9, 200, 107, 104, 100, 103, 105, 300, 106, 102]
    place, *_ = compare(times, samples)
    assert times[1 + place] == 100
    last = samples[-1]
    assert [times[i] for i in last] == [9, 104, 100, 103, 102]


# On disk.

KEY = {"problem": "forward n=1", "device": ["a GPU", 132]}
FOUND = Measurement("tile=64x64x64", 5.0, 9.0)


def test_measurements_are_kept(tmp_path):
    Measurements(tmp_path / "m", 1 << 20).add(KEY, FOUND)
    kept = Measurements(tmp_path / "m", 1 << 20)
    assert kept.find(KEY) == FOUND and len(kept) == 1
    assert kept.find({**KEY, "device": ["a GPU", 114]}) is None
    assert kept.clear() == 1
    assert kept.find(KEY) is None


@pytest.mark.parametrize("damage", ["cut", "flip", "other", "empty", "text"])
def test_damaged_measurements_are_replaced(tmp_path, damage):
    kept = Measurements(tmp_path, 1 << 20)
    kept.add(KEY, FOUND)
    (file,) = tmp_path.glob("*.json")
    data = bytearray(file.read_bytes())
    if damage == "cut":
        data = data[:-9]
    if damage == "flip":
        data[-9] ^= 1
    if damage == "other":
        kept.add({"another": "key"}, FOUND)
        (other,) = set(tmp_path.glob("*.json")) - {file}
        data = other.read_bytes()
    file.write_bytes({"empty": b"", "text": b"not\n\xff"}.get(damage, bytes(data)))
    with pytest.warns(UserWarning, match="is damaged"):
        assert Measurements(tmp_path, 1 << 20).find(KEY) is None
    Measurements(tmp_path, 1 << 20).add(KEY, FOUND)
    assert Measurements(tmp_path, 1 << 20).find(KEY) == FOUND


def test_a_disk_that_refuses_is_one_warning(tmp_path):
    (tmp_path / "m").write_text("a file, not a folder")
    kept = Measurements(tmp_path / "m", 1 << 20)
    with pytest.warns(UserWarning, match="measurements are not kept on disk") as caught:
        kept.add(KEY, FOUND)
        kept.add({"another": "key"}, FOUND)
    assert len(caught) == 1
    assert kept.find(KEY) == FOUND  # In memory.


def test_measurements_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("conv_mlir._measurements.WRITES", 1)
    kept = Measurements(tmp_path, 1000)
    for number in range(20):
        kept.add({"number": number}, FOUND)
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert 0 < sum(sizes) <= 1000
    nothing = Measurements(tmp_path / "none", 0)
    nothing.add(KEY, FOUND)
    assert not (tmp_path / "none").exists()


def test_no_copy_is_compiled_where_pytorchs_kernel_is_known_to_be_faster(
    memory, monkeypatch
):
    """An operand in another memory format is copied by a plan of its own."""
    alternatives(monkeypatch)
    last = torch.channels_last
    w = torch.ones(next(FILTERS), 8, 2, 2).contiguous(memory_format=last)
    x = torch.ones(1, 8, 2, 4)
    with Enabled(Clock(3.0, 4.0)):
        F.conv2d(x, w)
    memory.forget()
    submitted = []
    monkeypatch.setattr(_copies, "submit", lambda jobs, *_: submitted.extend(jobs))
    with Enabled(Clock(3.0, 4.0)) as enabled:
        F.conv2d(x, w)
        assert enabled.row.ours == 0 and not submitted
    with Enabled(Clock(4.0, 3.0), "always"):
        F.conv2d(x, w.repeat(2, 1, 1, 1))
    assert submitted
