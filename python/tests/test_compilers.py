"""Compilation in worker processes: answers, refusals, deaths."""

import threading

import conv_mlir
import pytest
from conv_mlir import _compilers
from conv_mlir._compilers import Compilers, Worker, WorkerDied

LINE = "forward n=1 c=8 h=4 w=5 k=8 r=1 s=1 type=f16"
DIES = (
    "import os, sys; sys.stdin.readline(); "
    "sys.stderr.write('LLVM ERROR: out of nothing\\n'); sys.stderr.flush(); os.abort()"
)
HANGS = "import time; time.sleep(1000)"


def request(line=LINE):
    return dict(problem=line, target="sm_80", emulator_only=True)


@pytest.fixture
def worker():
    worker = Worker()
    yield worker
    worker.stop()


def answers(pool, requests):
    """What the pool answers, (data, error) for each request."""
    found = [None] * len(requests)
    left = threading.Semaphore(0)

    def done(place):
        def take(data, error):
            found[place] = (data, error)
            left.release()

        return take

    for place, one in enumerate(requests):
        pool.submit(one, done(place))
    for _ in requests:
        assert left.acquire(timeout=60)
    return found


def test_a_worker_compiles(worker):
    plan = conv_mlir.Plan.from_bytes(worker.compile(request()))
    assert plan.target == "sm_80" and plan.operands[0].shape == (1, 4, 5, 8)


def test_a_refusal_leaves_the_worker_alive(worker):
    with pytest.raises(conv_mlir.Error, match="n=x: expected a whole") as error:
        worker.compile(request("forward n=x c=1 h=1 w=1 k=1 r=1 s=1"))
    assert error.value.status == 2 and not isinstance(error.value, WorkerDied)
    assert worker.compile(request())


def test_a_death_is_a_sentence():
    message = "ended with signal SIGABRT: LLVM ERROR: out of nothing"
    with pytest.raises(WorkerDied, match=message):
        Worker(DIES).compile(request())


def test_what_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(_compilers, "LIMIT_SECONDS", 0.2)
    with pytest.raises(WorkerDied, match="ended with signal SIGKILL: no message"):
        Worker(HANGS).compile(request())


def test_modules_of_the_user_are_not_taken(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    assert worker.compile(request())
    worker.stop()


def test_a_death_costs_one_problem():
    programs = iter([DIES, None])

    def make():
        program = next(programs)
        return Worker(program) if program else Worker()

    pool = Compilers(1, make)
    (first, second) = answers(pool, [request(), request()])
    assert first[0] is None and isinstance(first[1], WorkerDied)
    assert second[0] and second[1] is None
    pool.stop()


def test_a_worker_that_cannot_start_answers():
    def make():
        raise OSError("no more processes")

    ((data, error),) = answers(Compilers(1, make), [request()])
    assert data is None and "no more processes" in str(error)


def test_every_problem_is_answered():
    started = []

    def make():
        started.append(Worker())
        return started[-1]

    pool = Compilers(2, make)
    lines = [LINE.replace("k=8", f"k={8 * i}") for i in range(1, 6)]
    found = answers(pool, [request(line) for line in lines])
    plans = [conv_mlir.Plan.from_bytes(data) for data, _ in found]
    assert [plan.results[0].shape[-1] for plan in plans] == [8, 16, 24, 32, 40]
    assert len(started) == 2
    pool.stop()
