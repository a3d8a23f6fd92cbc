"""tune_suite.py from its options to the tuning file, on the worker and the compiler
of the other benchmark tests."""

import json
import pathlib
import sys

import conv_mlir
import pytest
import tune_suite
from comparison.tuning import choose_finalists, choose_winner

HERE = pathlib.Path(__file__).resolve().parent
WORKER = [sys.executable, str(HERE / "fake_worker.py")]
COMPILER = [sys.executable, str(HERE / "fake_compiler.py")]
LAYER = "n=64 c=64 h=56 w=56 k={} r=3 s=3 pad=1"


def candidates(channels, count=12, op="forward"):
    return conv_mlir.candidate_schedules(f"{op} {LAYER.format(channels)}", "sm_90", count)


@pytest.fixture
def tune(tmp_path, monkeypatch):
    """Tunes layers of those numbers of output channels; `plans` as in
    fake_compiler.py. The exit status and the records."""

    def run(channels, plans, *options):
        rows = [{"family": "net", "problem": LAYER.format(k)} for k in channels]
        suite = tmp_path / "suite.json"
        suite.write_text(json.dumps({"rows": rows}))
        monkeypatch.setenv("FAKE_PLANS", json.dumps(plans))
        file = tmp_path / "out/records.json"
        arguments = [f"--suite={suite}", f"--output={file}", "--ops=forward", *options]
        status = tune_suite.tune(
            tune_suite.parse_arguments(arguments), WORKER, COMPILER
        )
        if not file.exists():
            return status, []
        return status, json.loads(file.read_text())["records"]

    return run


def plans_of(channels, times, count=12):
    """Plans of the first candidates with those times; of the others, slow ones."""
    names = candidates(channels, count)
    times = [*times, *[500] * (len(names) - len(times))]
    return {f"{channels} {n}": {"us": t} for n, t in zip(names, times)}


def test_the_fastest_is_recorded(tune, capsys):
    status, records = tune([64], plans_of(64, [60, 55, 50]))
    assert status == 0
    (record,) = records
    assert record["schedule"] == candidates(64)[2]
    assert record["median_us"] == 50
    assert record["device"] == "NVIDIA Fake"
    assert record["target"] == "sm_90"
    assert record["problem"].startswith("forward n=64 c=64 h=56 w=56 k=64 r=3 s=3")
    out = capsys.readouterr().out
    assert "1/1 net: " in out
    assert f"50.0 µs, untuned 60.0, cuDNN 100.0: {candidates(64)[2]}" in out
    assert out.rstrip().endswith("1 problems, 0 with a failure")


def test_within_the_noise_the_model_decides(tune):
    _, (record,) = tune([64], plans_of(64, [60, 50.5, 50]))
    assert record["schedule"] == candidates(64)[1]


def test_wrong_and_refused_candidates_are_skipped_aloud(tune, capsys):
    plans = plans_of(64, [60, 10, 20, 50])
    names = candidates(64)
    plans[f"64 {names[1]}"]["error"] = 0.5
    plans[f"64 {names[2]}"] = {"status": 2}
    status, (record,) = tune([64], plans)
    assert status == 1  # One of them computes a wrong result.
    assert record["schedule"] == names[3]
    out = capsys.readouterr().out
    assert f"skipped: {names[1]}: wrong result" in out
    assert f"skipped: {names[2]}: dgrad is not supported" in out


def test_a_dead_worker_costs_one_row(tune):
    plans = {**plans_of(64, [60]), **plans_of(32, [40])}
    plans[f"64 {candidates(64)[1]}"]["die"] = True
    status, records = tune([64, 32], plans)
    assert status == 1
    assert [record["median_us"] for record in records] == [40]


def test_records_of_other_problems_stay(tune):
    plans = {**plans_of(64, [60]), **plans_of(32, [40])}
    tune([64], plans)
    _, records = tune([32], plans)
    assert [record["median_us"] for record in records] == [60, 40]


def test_count_and_budget(tune):
    _, (record,) = tune([64], plans_of(64, [60, 50], count=1), "--count=1")
    assert record["median_us"] == 60
    assert tune([32], plans_of(32, [60]), "--budget=0")[1] == [record]


def test_bad_usage(tune, tmp_path, capsys):
    for arguments, words in (
        ([], "expected --output=FILE"),
        (["--output=x", "--count=0"], "--count"),
    ):
        with pytest.raises(SystemExit) as error:
            tune_suite.parse_arguments(arguments)
        assert error.value.code == 2
        assert words in capsys.readouterr().err
    assert tune([64], {}, "--rows=nothing") == (2, [])
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert tune([64], plans_of(64, [60]), f"--output={bad}")[0] == 1
    assert "expected a tuning file, but it is not JSON" in capsys.readouterr().err


def test_finalists():
    schedules = list("abcdefg")
    times = dict(zip(schedules, (30, 10, 10.1, 10.2, 10.3, 10.4, 20)))
    assert choose_finalists(schedules, times) == list("abcde")
    assert choose_finalists(schedules, {"b": 10, "g": 11}) == ["b"]
    assert choose_finalists(schedules, {}) == []
    assert choose_winner(schedules, {"a": 12, "c": 10.1, "b": 10.05, "d": 10}) == "b"
