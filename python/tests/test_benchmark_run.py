"""compare_cudnn.py from its options to its files, on a worker and a compiler that
need no GPU and fail as real ones do."""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import compare_cudnn
import pytest
from comparison.clocks import Clocks, parse
from comparison.supervisor import Worker, WorkerFailed

HERE = pathlib.Path(__file__).resolve().parent
WORKER = [sys.executable, str(HERE / "fake_worker.py")]
COMPILER = [sys.executable, str(HERE / "fake_compiler.py")]


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """Runs the program on rows with those numbers of output channels and plans;
    the exit status and the document."""

    def run(plans, *options, rows=None):
        suite = tmp_path / "suite.json"
        channels = rows or dict.fromkeys(key.split()[0] for key in plans)
        problems = [
            {"family": "net", "problem": f"n=64 c=64 h=56 w=56 k={k} r=3 s=3 pad=1"}
            for k in channels
        ]
        suite.write_text(json.dumps({"rows": problems}))
        monkeypatch.setenv("FAKE_PLANS", json.dumps(plans))
        arguments = compare_cudnn.parse_arguments(
            [f"--suite={suite}", f"--output={tmp_path}/out", "--name=run", *options]
        )
        status = compare_cudnn.compare(arguments, WORKER, COMPILER)
        path = tmp_path / "out/run.json"
        return status, json.loads(path.read_text()) if path.exists() else None

    return run


def outcome(document):
    """The median or the error of every row's plans, or of the row."""
    return [
        row.get("error")
        or [plan.get("error", plan.get("median_us")) for plan in row["plans"]]
        for row in document["rows"]
    ]


def test_all_operations(compare, tmp_path, capsys):
    status, document = compare({"64": {"us": 50}, "32": {"us": 125}})
    assert status == 0
    assert outcome(document) == [[50], [125]] * 3
    assert [row["cudnn"]["median_us"] for row in document["rows"]] == [
        *[100, 100],
        *[200] * 4,
    ]
    row = document["rows"][0]
    assert row["rotation"] == {"sets": 3, "input_bytes": 1000}
    assert row["plans"][0]["relative_error"] == 1e-3
    assert row["plans"][0]["launches"] == 42
    assert [r["when"] for r in document["references"]] == ["before", "after"]
    assert document["references"][0]["tflops"] == pytest.approx(785.4, rel=1e-3)

    out = capsys.readouterr().out
    assert "1/6 net: forward n=64 c=64" in out
    assert "50.0 µs, cuDNN 100.0 µs: 2.000" in out
    assert out.rstrip().endswith("6 of 6 rows compared, 0 with a failure")
    text = (tmp_path / "out/run.md").read_text()
    assert "| 50.0 | 296 | 100.0 | 2.000 | 0.33 | chosen |" in text
    assert "2 of 2 rows compared: geometric mean 1.265, lowest 0.800" in text
    assert "cuBLAS 8192³ bf16, before: 785 TFLOP/s" in text


def test_plots(compare, tmp_path):
    compare({"64": {"us": 50}, "32": {"us": 125}}, "--ops=forward")
    svg = "{http://www.w3.org/2000/svg}"
    ratios = ElementTree.parse(tmp_path / "out/run-ratio.svg").getroot()
    dots = {d[0].text: d for d in ratios.iter(f"{svg}circle") if ":" in d[0].text}
    x = {text.split(": ")[-1]: float(dot.get("cx")) for text, dot in dots.items()}
    (line,) = (e for e in ratios.iter(f"{svg}line") if e.get("stroke-width") == "1.5")
    assert x["0.800"] < float(line.get("x1")) < x["2.000"]
    roofline = ElementTree.parse(tmp_path / "out/run-roofline.svg").getroot()
    dots = list(roofline.iter(f"{svg}circle"))
    titles = [dot[0].text for dot in dots]
    assert sum("cuDNN" in title for title in titles) == 2
    (fast,) = (d for d in dots if "k=64" in d[0].text and "ours" in d[0].text)
    (slow,) = (d for d in dots if "k=64" in d[0].text and "cuDNN" in d[0].text)
    assert float(fast.get("cy")) < float(slow.get("cy"))
    assert fast.get("cx") == slow.get("cx")


def test_refused_rows_are_listed(compare, tmp_path):
    plans = {"64": {"status": 2}, "32": {"us": 50}}
    status, document = compare(plans, "--ops=dgrad")
    assert status == 0
    assert outcome(document) == [["dgrad is not supported"], [50]]
    assert "| dgrad is not supported |" in (tmp_path / "out/run.md").read_text()


def test_wrong_and_unstable_results_fail(compare, capsys):
    plans = {
        "64": {"us": 50, "error": 0.5},
        "32": {"us": 50, "error": float("nan")},
        "16": {"us": 50, "unstable": True},
        "8": {"us": 50, "refuse": True},
    }
    status, document = compare(plans, "--ops=forward")
    assert status == 1
    wrong, nan, unstable, refused = (errors[0] for errors in outcome(document))
    assert wrong == (
        "wrong result: relative error 0.5 against cuDNN, at most 0.008 is allowed"
    )
    assert nan.startswith("wrong result: relative error nan")
    assert unstable == "two launches on the same inputs differ"
    assert refused == "CUDA: cannot load a cubin"
    assert document["rows"][1]["plans"][0]["relative_error"] is None
    assert "0 of 4 rows compared, 4 with a failure" in capsys.readouterr().out


def test_workers_and_compilers_may_die(compare):
    plans = {
        "64": {"us": 1, "die": True},
        "32": {"us": 1, "hang": True},
        "16": {"us": 1, "fault": True},
        "8": {"signal": 9},
        "4": {"us": 50},
    }
    status, document = compare(plans, "--ops=forward", "--row-timeout=4")
    assert status == 1
    assert outcome(document) == [
        "the worker died of SIGKILL",
        "the worker was silent for 4 s",
        "CUDA error: an illegal memory access",
        ["the compiler died of SIGKILL"],
        [50],
    ]


def test_the_best_of_several_schedules_counts(compare, tmp_path):
    schedules = tmp_path / "schedules"
    schedules.write_text("default\nstages=2\nstages=3\nstages=9\n")
    plans = {
        "64": {"us": 50},
        "64 stages=2": {"us": 10, "error": 1},
        "64 stages=3": {"us": 40},
        "64 stages=9": {"status": 2},
    }
    status, document = compare(plans, "--ops=forward", f"--schedules={schedules}")
    assert status == 1  # One of them computes a wrong result.
    assert sorted(map(str, outcome(document)[0]))[:2] == ["40.0", "50.0"]
    assert "| 40.0 | 370 | 100.0 | 2.500 |" in (tmp_path / "out/run.md").read_text()


def test_budget_and_what_cannot_be_compared(compare):
    _, document = compare({"64": {"us": 50}}, "--ops=forward", "--budget=0")
    assert outcome(document) == ["not measured: 0 s are spent"]
    status, document = compare(
        {"64 groups=2": {"us": 50}, "64": {"us": 50}}, rows=["64 groups=2"]
    )
    assert status == 0
    assert outcome(document) == ["groups are not compared"] * 3


def test_no_worker_is_one_sentence(compare, monkeypatch, capsys):
    code = "import json; print(json.dumps({'fatal': 'no CUDA device'}))"
    monkeypatch.setitem(globals(), "WORKER", [sys.executable, "-c", code])
    assert compare({"64": {"us": 50}}) == (1, None)
    assert capsys.readouterr().err == "error: no CUDA device\n"


def test_a_worker_that_ended_is_replaced():
    code = "import json, sys; print(json.dumps({'device': 'x'})); sys.exit(7)"
    worker = Worker([sys.executable, "-c", code])
    assert worker.hello() == {"device": "x"}
    worker.process.wait()
    with pytest.raises(WorkerFailed, match="the worker died with status 7"):
        worker.request({"a": 1})
    assert worker.hello() == {"device": "x"}
    worker.close()


def test_types_and_quick(compare):
    plans = {"64": {"us": 50}}
    _, document = compare(plans, "--ops=forward", "--types=f16,bf16", "--quick")
    assert [row["type"] for row in document["rows"]] == ["f16", "bf16"]
    assert [r["type"] for r in document["references"]] == ["bf16", "f16"] * 2
    assert document["settings"]["samples"] == 15


def test_clocks():
    assert parse("1980, 3201, 350.10, 45\n") == [1980, 3201, 350.1, 45]
    assert parse("[N/A], 1, 2, 3") is None
    code = "for mhz in (1900, 1700, 1800): print(f'{mhz}, 3201, 600, 50')"
    clocks = Clocks(command=[sys.executable, "-c", code])
    clocks.thread.join()
    clocks.close()
    times = [when for when, _ in clocks.samples]
    found = clocks.during(times[0], times[-1])
    assert (found["sm_mhz"], found["sm_mhz_min"], found["samples"]) == (1800, 1700, 3)
    assert clocks.during(0, 1) is None
    absent = Clocks(command=["/nowhere/nvidia-smi"])
    assert absent.problem == "/nowhere/nvidia-smi: No such file or directory"
    absent.close()
