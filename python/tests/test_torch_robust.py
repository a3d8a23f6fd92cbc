"""What may go wrong around enable(): PyTorch's results stay right."""

import ctypes
import json
import pathlib
import subprocess
import sys
import threading

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir import _compilers  # noqa: E402
from conv_mlir.torch import _fast, _plans, _rules  # noqa: E402
from torch_cases import enabled_rows  # noqa: E402

PYTHON = pathlib.Path(conv_mlir.__file__).resolve().parents[1]
# Tests have filters of their own, so that none finds the plans of another.
FILTERS = iter(range(5, 1000))


def layer():
    k = next(FILTERS)
    w = torch.randint(-2, 3, (k, 3, 3, 1)).float()
    return lambda width=4: F.conv2d(torch.ones(1, 3, 4, width), w)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test alone, with compilers that use it."""
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", str(tmp_path / "cache"))
    pool = _compilers.Compilers(1)
    monkeypatch.setattr(_plans, "compilers", lambda: pool)
    _plans.disk.cache_clear()
    yield tmp_path / "cache"
    pool.stop()
    _plans.disk.cache_clear()


def files_of(folder):
    return sorted(folder.glob("plans/*.conv-entry"))


def run_once(call):
    """The rows of one call whose plan nobody has in memory."""
    expected = call()
    _plans.plans.__init__()
    with enabled_rows() as rows:
        assert torch.equal(call(), expected)
    return rows[0]


# Compilers that die.


def test_a_compiler_that_is_killed(monkeypatch):
    """The call has PyTorch's result, and the next problem another compiler."""
    killed = "import os, signal, sys; sys.stdin.readline(); os.kill(os.getpid(), 9)"
    programs = iter([killed])

    def make():
        program = next(programs, None)
        return _compilers.Worker(program) if program else _compilers.Worker()

    pool = _compilers.Compilers(1, make)
    monkeypatch.setattr(_plans, "compilers", lambda: pool)
    first, second = layer(), layer()
    expected = first(), second()
    with enabled_rows() as rows:
        for _ in range(3):
            assert torch.equal(first(), expected[0])
            assert torch.equal(second(), expected[1])
    pool.stop()
    died, served = sorted(rows, key=lambda row: row.ours)
    assert (died.calls, died.ours) == (3, 0)
    assert died.reason.startswith("not compiled: the compiler ended with signal SIGKILL")
    assert (served.calls, served.ours) == (3, 3)


def test_no_compiler_can_be_started(monkeypatch):
    def make():
        raise OSError("no more processes")

    pool = _compilers.Compilers(1, make)
    monkeypatch.setattr(_plans, "compilers", lambda: pool)
    call = layer()
    expected = call()
    with enabled_rows() as rows:
        assert torch.equal(call(), expected)
    assert rows[0].reason == "not compiled: no more processes"


# The disk.


def test_a_cache_is_used_by_the_next_process(folder, monkeypatch):
    call = layer()
    assert run_once(call).ours == 1
    monkeypatch.setattr(_plans, "compilers", lambda: pytest.fail("something compiles"))
    assert run_once(call).ours == 1


def test_a_cache_without_room(folder, monkeypatch):
    monkeypatch.setenv("CONV_MLIR_CACHE_BYTES", "0")
    call = layer()
    for _ in range(2):
        assert run_once(call).ours == 1
    assert files_of(folder) == []


@pytest.mark.parametrize("damage", [b"", b"\0" * 5000, None])
def test_a_corrupt_cache(folder, damage, monkeypatch):
    call = layer()
    run_once(call)
    (file,) = files_of(folder)
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    file.write_bytes(flipped if damage is None else damage)
    with pytest.warns(UserWarning):
        assert run_once(call).ours == 1
    monkeypatch.setattr(_plans, "compilers", lambda: pytest.fail("something compiles"))
    assert run_once(call).ours == 1


def test_a_cache_that_cannot_be_made_is_a_sentence_of_enable(folder, monkeypatch):
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", "/proc/nowhere")
    with pytest.raises(conv_mlir.Error, match="cannot make the folder '/proc/nowhere"):
        conv_mlir.torch.enable("always", "sync", "cpu")
    assert not torch._C._dispatch_has_kernel_for_dispatch_key("aten::convolution", "CPU")


# Below: processes of their own, which another one forks off: it has PyTorch already.

PROGRAM = r"""
import ctypes, json, os, resource, sys
import torch, torch.nn.functional as F
import conv_mlir.torch

torch.set_num_threads(1)

def layer():
    torch.manual_seed(3)
    return F.conv2d(*(torch.randint(-2, 3, s).float() for s in [(1, 3, 4, 5), (4, 3, 3, 2)]))

def run(folder, mode="sync", limit=None, drop=None):
    os.environ["CONV_MLIR_CACHE_DIR"] = folder
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if drop is not None:
        ctypes.CDLL(None).prctl(24, drop, 0, 0, 0)  # PR_CAPBSET_DROP
    expected = layer()
    with conv_mlir.torch.enabled("always", mode, "cpu"):
        for _ in range(2):
            assert torch.equal(layer(), expected)
        return [[row.calls, row.ours, row.reason] for row in conv_mlir.torch.report()]

def fork(options):
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.write(writer, json.dumps(run(**options)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    return reader

for line in sys.stdin:
    request = json.loads(line)
    readers = [fork(request["options"]) for _ in range(request["count"])]
    print(json.dumps([os.read(r, 1 << 16).decode() for r in readers]), flush=True)
"""
CAP_DAC_OVERRIDE = 1
SERVED = [[2, 2, None]]


@pytest.fixture(scope="module")
def processes():
    """run(folder, count, …): what each of `count` processes says of its rows."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=PYTHON,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(folder, count=1, **options):
        request = dict(count=count, options=dict(folder=str(folder), **options))
        parent.stdin.write(json.dumps(request) + "\n")
        parent.stdin.flush()
        return [json.loads(text or "null") for text in json.loads(parent.stdout.readline())]

    yield run
    parent.stdin.close()
    assert parent.wait(timeout=60) == 0


def test_eight_processes_share_a_cache(processes, tmp_path):
    assert processes(tmp_path, count=8) == [SERVED] * 8
    assert len(files_of(tmp_path)) == 1
    assert all(entry.key for entry in conv_mlir.Cache(tmp_path).entries())  # All whole.
    assert processes(tmp_path, count=8, mode="never") == [SERVED] * 8


def test_a_full_disk(processes, tmp_path):
    """Files may have 2000 bytes: plans are compiled, and none is kept."""
    assert processes(tmp_path, limit=2000) == [SERVED]
    assert files_of(tmp_path) == []


def drop_privileges():
    """For root every folder is writable, unless it gives that up."""
    ctypes.CDLL(None).prctl(24, CAP_DAC_OVERRIDE, 0, 0, 0)


def is_writable(folder):
    """For a process that has dropped its privileges."""
    program = f"open({str(folder / 'new')!r}, 'w')"
    done = subprocess.run(
        [sys.executable, "-c", program], preexec_fn=drop_privileges, capture_output=True
    )
    return done.returncode == 0


def test_a_cache_that_is_read_only(processes, tmp_path):
    """What is there is read; what is not is compiled, and not kept."""
    plans = tmp_path / "plans"
    plans.mkdir()
    for folder in (plans, tmp_path):
        folder.chmod(0o555)
    try:
        if is_writable(tmp_path):
            pytest.skip("no folder is read-only for this user")
        options = dict(drop=CAP_DAC_OVERRIDE)
        assert processes(tmp_path, **options) == [SERVED]
        assert files_of(tmp_path) == []
        plans.chmod(0o755)
        processes(tmp_path)
        plans.chmod(0o555)
        assert processes(tmp_path, mode="never", **options) == [SERVED]
    finally:
        for folder in (tmp_path, plans):
            folder.chmod(0o755)


# Calls.


def test_threads_that_call_first_at_once(monkeypatch):
    submitted = []
    pool = _compilers.compilers()

    class Counted:
        def submit(self, request, done):
            submitted.append(request)
            pool.submit(request, done)

    monkeypatch.setattr(_plans, "compilers", lambda: Counted())
    call = layer()
    expected = call()
    start = threading.Barrier(4)
    results = []

    def work():
        start.wait()
        results.extend(call() for _ in range(5))

    with enabled_rows() as rows:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 20 and all(torch.equal(r, expected) for r in results)
    assert len(submitted) == 1
    assert (rows[0].calls, rows[0].ours) == (20, 20)


@pytest.mark.skipif(_rules.obstacle() is not None, reason="no override in C")
def test_an_address_that_is_not_aligned_is_counted():
    x = torch.randint(-2, 3, (1, 3, 4, 4)).float()
    shifted = torch.zeros(x.numel() + 1)[1:].view(x.shape).copy_(x)
    w = torch.randint(-2, 3, (next(FILTERS), 3, 3, 1)).float()
    expected = F.conv2d(x, w)
    with enabled_rows() as rows:
        for tensor in (x, shifted, x, shifted):
            assert torch.equal(F.conv2d(tensor, w), expected)
    assert (rows[0].calls, rows[0].ours) == (4, 2)
    assert "no multiple of 16" in rows[0].reason


@pytest.mark.skipif(_rules.obstacle() is not None, reason="no override in C")
def test_a_shape_that_changes_in_every_step_is_bounded(monkeypatch):
    """Neither plans nor rules grow with the steps."""
    monkeypatch.setattr(_plans, "SHAPES_OF_A_LAYER", 1)
    monkeypatch.setattr(_fast, "PASSING", 8)
    overrides = []
    take_over = _fast.FastOverride._take_over

    def remembered(override):
        overrides.append(override)
        take_over(override)

    monkeypatch.setattr(_fast.FastOverride, "_take_over", remembered)
    call = layer()
    with enabled_rows() as rows:
        for width in range(1, 41):
            call(width)
            assert len(overrides[0]._rules) <= 8 + 1
    assert sum(row.calls for row in rows) == 40
    assert sum(row.ours for row in rows) == 1
