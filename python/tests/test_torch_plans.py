"""Which problems run where, and when they are compiled."""

import os
import signal
import threading
import time

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir import _compilers  # noqa: E402
from conv_mlir.torch import _devices, _fast, _plans, _policy, _rules  # noqa: E402
from conv_mlir.torch._problem import Convolution, layer_of  # noqa: E402
from conv_mlir.torch._recent import Recent  # noqa: E402
from conv_mlir.torch._report import Report, Row, Table  # noqa: E402
from torch_cases import Held, enabled_rows  # noqa: E402

# Each test has filters of its own, so that none finds the plans of another.
FILTERS = iter(range(5, 1000))


def layer(filters=None, width=5):
    k = filters or next(FILTERS)
    return lambda width=width: F.conv2d(torch.ones(1, 2, 4, width), torch.ones(k, 2, 3, 2))


# Compilation.


@pytest.fixture
def held(monkeypatch):
    held = Held()
    monkeypatch.setattr(_plans, "compilers", lambda: held)
    return held


def test_async_runs_pytorchs_until_the_plan_is_there(held):
    call = layer()
    with enabled_rows("always", "async") as rows:
        first = call()
        call()
        assert len(held.jobs) == 1
        held.answer()
        third = call()
    assert (rows[0].calls, rows[0].ours, rows[0].reason) == (3, 1, "being compiled")
    assert torch.equal(first, third) and "tile=" in rows[0].schedule


class Asked:
    """Counts the calls that Python decides about."""

    def __init__(self, monkeypatch):
        self.count = 0
        decide = _fast.FastOverride._decide

        def counted(override, *arguments):
            self.count += 1
            decide(override, *arguments)

        monkeypatch.setattr(_fast.FastOverride, "_decide", counted)


needs_rules = pytest.mark.skipif(
    _rules.obstacle() is not None, reason="this PyTorch has no override in C"
)


@needs_rules
def test_python_is_asked_when_a_plan_is_there_not_before(held, monkeypatch):
    asked = Asked(monkeypatch)
    call = layer()
    with enabled_rows("always", "async") as rows:
        for _ in range(5):
            call()
        assert asked.count == 1
        counts = {row.problem: row.calls for row in conv_mlir.torch.report()}
        assert list(counts.values()) == [5]
        held.answer()
        for _ in range(4):
            call()
        assert asked.count == 2
    assert (rows[0].calls, rows[0].ours, rows[0].reason) == (9, 4, "being compiled")


@needs_rules
def test_calls_on_their_way_while_a_rule_is_replaced_are_pytorchs(held, monkeypatch):
    """They count with the rule that comes, and ran the one that was."""
    count = _fast.Rule.count
    late = lambda rule: None if rule.passes else count(rule)  # noqa: E731
    monkeypatch.setattr(_fast.Rule, "count", late)
    call = layer()
    with enabled_rows("always", "async") as rows:
        for _ in range(5):
            call()
        held.answer()
        for _ in range(4):
            call()
    assert (rows[0].calls, rows[0].ours, rows[0].reason) == (9, 4, "being compiled")


@needs_rules
def test_each_gradient_that_is_compiled_is_one_more_question(held, monkeypatch):
    asked = Asked(monkeypatch)
    x = torch.ones(1, 2, 4, 5, requires_grad=True)
    w = torch.ones(next(FILTERS), 2, 3, 2, requires_grad=True)

    def step():
        y = F.conv2d(x, w)
        return torch.autograd.grad(y, [x, w], torch.ones_like(y))

    expected = step()
    with enabled_rows("always", "async") as rows:
        for jobs in (3, 2, 1, 0):
            for _ in range(3):
                assert all(map(torch.equal, step(), expected))
            assert len(held.jobs) == jobs
            if jobs:
                held.answer(held.jobs[:1])
    # The forward asks twice; the backward once, and when each of its plans is there.
    assert asked.count == 2 + 3
    assert sorted((row.calls, row.ours) for row in rows) == [(12, 3), (12, 3), (12, 9)]


@needs_rules
def test_a_plan_that_cannot_be_compiled_is_no_question_any_more(held, monkeypatch):
    asked = Asked(monkeypatch)
    call = layer()
    with enabled_rows("always", "async") as rows:
        call(), call()
        ((request, done),) = held.jobs
        done(None, conv_mlir.Error("no such thing"))
        call(), call()
    assert asked.count == 2
    assert (rows[0].calls, rows[0].reason) == (4, "not compiled: no such thing")


@needs_rules
def test_plans_that_come_after_disable_change_nothing(held):
    call = layer()
    expected = call()
    with enabled_rows("always", "async"):
        call()
    held.answer()
    assert torch.equal(call(), expected)
    with enabled_rows("always", "never") as rows:
        call()
    assert rows[0].ours == 1


@needs_rules
def test_threads_that_call_while_a_plan_comes_are_all_counted(held):
    call = layer()
    expected = call()
    calls, threads = 200, 4
    wrong = []

    def work():
        for _ in range(calls):
            if not torch.equal(call(), expected):
                wrong.append("a result")

    with enabled_rows("always", "async") as rows:
        call()
        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        held.answer()
        for worker in workers:
            worker.join()
        before = sum(row.ours for row in conv_mlir.torch.report())
        call()
    assert not wrong
    assert rows[0].calls == threads * calls + 2
    assert rows[0].ours == before + 1  # Nobody stays on PyTorch's kernel.


def test_never_compiles_nothing(held):
    call = layer()
    with enabled_rows("always", "never") as rows:
        call()
    assert not held.jobs and rows[0].reason == "no plan, and compile is 'never'"


def test_plans_stay_for_the_next_enable():
    call = layer()
    for mode in ("sync", "never"):
        with enabled_rows("always", mode) as rows:
            call()
        assert rows[0].ours == 1


def test_a_compiler_that_dies_leaves_pytorchs_kernel(monkeypatch):
    program = "import sys; sys.stdin.readline(); sys.exit('LLVM ERROR: no such thing')"
    pool = _compilers.Compilers(1, lambda: _compilers.Worker(program))
    monkeypatch.setattr(_plans, "compilers", lambda: pool)
    with enabled_rows("always", "sync") as rows:
        y = layer()()
    assert (y == 12).all()
    assert rows[0].reason == (
        "not compiled: the compiler ended with status 1: LLVM ERROR: no such thing"
    )


def test_shapes_of_a_layer_are_bounded(held, monkeypatch):
    monkeypatch.setattr(_plans, "SHAPES_OF_A_LAYER", 3)
    call = layer()
    with enabled_rows("always", "async") as rows:
        for width in [*range(4, 10), *range(4, 10)]:
            call(width)
    assert len(held.jobs) == 3
    reasons = sorted({row.reason for row in rows})
    assert reasons == [
        "being compiled",
        "more than 3 shapes of this layer: no further ones are compiled",
    ]


def test_layers_are_lines_without_batch_and_image():
    line = "forward n=2 c=3 h=5 w=4 k=8 r=3 s=2 stride=1 pad=1 dilation=1 type=f16"
    assert layer_of(line) == (
        "forward c=3 k=8 r=3 s=2 stride=1 pad=1 dilation=1 type=f16"
    )


def test_recent_keeps_what_was_used_last():
    recent = Recent(2)
    for key in "aba":
        recent.add(key, lambda: key.upper())
    recent.add("c", lambda: "C")
    assert [recent.get(key) for key in "abc"] == ["A", None, "C"]


def test_processes_that_are_forked_off_compile_themselves(held):
    """What was being compiled when a process forks, nobody finishes in the child."""
    call = layer()
    conv_mlir.torch.enable("always", "async", "cpu")
    try:
        call()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            torch.set_num_threads(1)  # OpenMP's threads are not there, either.
            held.jobs.clear()
            call()
            os._exit(len(held.jobs))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
        assert len(held.jobs) == 1
    finally:
        conv_mlir.torch.disable()


def test_a_lock_that_another_thread_has_is_not_waited_for_after_a_fork():
    with _plans.plans._jobs._lock, _plans.plans._layers._lock:
        child = os.fork()  # What is done after a fork is done in it.
        if child == 0:
            os._exit(0)
    for _ in range(300):
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child waits for a lock")
    assert status == 0


# Capture.


def test_nothing_is_compiled_while_a_stream_captures(held, monkeypatch):
    monkeypatch.setattr(_devices.Emulator, "is_capturing", lambda self: True)
    call = layer()
    with enabled_rows("always", "sync") as rows:
        call()
    assert not held.jobs
    assert rows[0].reason == "a stream captures, and the plan is not ready"


def test_nothing_is_loaded_while_a_stream_captures(monkeypatch):
    call = layer()
    with enabled_rows("always", "sync"):
        call()
    monkeypatch.setattr(_devices.Emulator, "is_capturing", lambda self: True)
    monkeypatch.setattr(_devices.Emulator, "is_loaded", lambda self, plan: False)
    with enabled_rows("always", "sync") as rows:
        call()
    assert rows[0].reason == "a stream captures, and the plan is not ready"
    monkeypatch.setattr(_devices.Emulator, "is_loaded", lambda self, plan: True)
    with enabled_rows("always", "sync") as rows:
        call()
    assert rows[0].ours == 1


def test_what_does_not_load_is_pytorchs(monkeypatch):
    def load(self, plan):
        raise conv_mlir.Error("out of memory", 3)

    monkeypatch.setattr(_devices.Emulator, "load", load)
    with enabled_rows("always", "sync") as rows:
        y = layer()()
    assert (y == 12).all() and rows[0].reason == "not loaded: out of memory"


# Policies.


class FakeGpu:
    is_emulator = False
    capability = (9, 0)

    def __init__(self, us=100):
        self._us = us

    def bound_us(self, line):
        return self._us


def convolution(**values):
    defaults = dict(
        n=1, c=64, k=64, groups=1, image=(9, 8), filter=(3, 3), stride=(1, 1),
        pad_low=(1, 1), pad_high=(1, 1), dilation=(1, 1), type="bf16",
        channels_last=True,
    )  # fmt: skip
    return Convolution(**{**defaults, **values})


DEPTHWISE = dict(groups=64)
PLAIN = dict(channels_last=False)
STRIDED = dict(stride=(2, 1))
POINT = dict(filter=(1, 1), pad_low=(0, 0), pad_high=(0, 0))


@pytest.mark.parametrize(
    "op, values, reason",
    [
        ("forward", {}, None),
        ("forward", dict(c=3), None),
        ("forward", dict(c=20), "20 channels and 64 filters"),
        ("wgrad", dict(k=36), "64 channels and 36 filters"),
        ("forward", dict(type="f32"), "faster in f32"),
        ("dgrad", dict(type="f64"), "faster in f64"),
        ("forward", dict(type="tf32"), None),
        ("forward", dict(type="tf32", **STRIDED), "tf32 with a stride"),
        ("forward", dict(type="tf32", **STRIDED, **PLAIN), None),
        ("wgrad", dict(type="tf32", **STRIDED), None),
        ("forward", DEPTHWISE, None),
        ("forward", dict(**DEPTHWISE, **STRIDED), "depthwise layers with a stride"),
        ("dgrad", dict(**DEPTHWISE, **STRIDED), None),
        ("wgrad", dict(**DEPTHWISE, type="tf32"), "tf32, depthwise, channels last"),
        ("wgrad", dict(**DEPTHWISE, **PLAIN, type="tf32"), None),
        ("wgrad", dict(c=32, k=32, groups=32), "depthwise filters of 32 channels"),
        ("wgrad", dict(c=32, k=32, groups=32, **PLAIN), None),
        ("forward", dict(c=32, k=32, groups=32), None),
        ("forward", dict(k=24, **POINT, **PLAIN), "24 channels of a 1x1 result"),
        ("forward", dict(k=24, **POINT), None),
        ("dgrad", dict(c=24, **POINT, **PLAIN), "24 channels of a 1x1 result"),
        ("dgrad", dict(k=24, **POINT, **PLAIN), None),
        ("wgrad", dict(c=24, **POINT, **PLAIN), None),
        ("forward", dict(c=24, **STRIDED), "24 channels with a stride"),
        ("wgrad", dict(c=24, **STRIDED), "24 channels with a stride"),
        ("dgrad", dict(c=24, **STRIDED), None),
        ("forward", dict(c=3, **STRIDED), None),
        ("forward", dict(c=24), None),
    ],
)
def test_auto_takes_what_was_measured(op, values, reason):
    problem = convolution(**values)
    verdict = _policy.judge("auto", FakeGpu(), problem, problem.line(op))
    assert not verdict.only_in_graphs
    if reason is None:
        assert verdict.refusal is None
    else:
        assert verdict.refusal.startswith("auto: ") and reason in verdict.refusal


def test_auto_on_other_devices():
    gpu = FakeGpu()
    gpu.capability = (8, 6)
    problem = convolution()
    verdict = _policy.judge("auto", gpu, problem, problem.line("forward"))
    assert verdict.refusal.endswith("this device has 8.6")
    always = _policy.judge("always", gpu, problem, problem.line("forward"))
    assert always == _policy.Verdict()


def test_auto_leaves_short_kernels_to_graphs(monkeypatch):
    problem = convolution()
    verdict = _policy.judge("auto", FakeGpu(us=5), problem, problem.line("forward"))
    assert verdict == _policy.Verdict(None, True)
    cheap = _policy.judge(
        "auto", FakeGpu(us=5), problem, problem.line("forward"), is_cheap=True
    )
    assert cheap == _policy.Verdict(None, False)

    from conv_mlir.torch import _routes

    monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    monkeypatch.setattr(_routes, "judge", lambda *arguments: verdict)
    call = layer()
    with enabled_rows("auto", "sync") as rows:
        call()
        monkeypatch.setattr(_devices.Emulator, "is_capturing", lambda self: True)
        call()
    assert (rows[0].calls, rows[0].ours) == (2, 1)
    assert rows[0].reason == "too short, ours runs in CUDA graphs only"


# The report.


def test_report_is_a_table():
    first, second = Row("forward n=1"), Row("wgrad n=1")
    first.schedule = "tile=64x64x32"
    first.time(2.0, 5.0)
    for reason in (None, None, "being compiled"):
        first.count(reason)
    second.count("auto: cuDNN may be faster in f32")
    assert str(Report([second, first])).splitlines() == [
        "calls  ours   saved  problem  | how",
        "    3     2  0.0 ms  forward n=1  | tile=64x64x32; PyTorch: being compiled",
        "    1     0          wgrad n=1  | PyTorch: auto: cuDNN may be faster in f32",
        "2 of 4 calls ran our kernels",
    ]
    assert str(Report([])) == "no convolution was called"


def test_rows_are_bounded(monkeypatch):
    from conv_mlir.torch import _report

    monkeypatch.setattr(_report, "ROWS", 2)
    table = Table()
    for problem in "abcda":
        table.row(problem).count(None)
    counts = {row.problem: row.calls for row in table.rows()}
    assert counts == {"a": 2, "b": 1, "other problems": 2}
