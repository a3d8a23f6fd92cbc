"""models.py without PyTorch: arguments, the order of rows, failures, table and chart."""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import models
import pytest
from comparison.timing import Settings
from networks import table
from networks.chart import bar_chart
from networks.options import chosen_subjects, parse_arguments
from networks.session import Session
from networks.subjects import Subject, subjects
from networks.verdict import verdict

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKER = [sys.executable, str(ROOT / "python/tests/fake_model_worker.py")]


def parsed(*arguments):
    return parse_arguments(arguments, "models.py")


# Arguments.


@pytest.mark.parametrize(
    "argument, message",
    [
        ("--models=resnet51", "expected resnet50, convnext_tiny,.* got 'resnet51'"),
        ("--modes=eager,fast", "expected compiled, eager,.* got 'fast'"),
        ("--policies=never", "expected auto, measure, tune, always, got 'never'"),
        ("--limit=0", "expected a number above 0, got '0'"),
        ("--samples=few", "expected a number above 0, got 'few'"),
    ],
)
def test_bad_arguments(argument, message, capsys):
    with pytest.raises(SystemExit) as exit:
        parsed(argument)
    assert exit.value.code == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert re.search(message, line)


def test_policies_that_a_device_has():
    assert parsed().policies == ["auto", "measure"]
    assert parsed("--device=cpu").policies == ["auto"]


# The order of rows.


def test_important_rows_come_first():
    names = [(s.network, s.task, s.is_compiled) for s in chosen_subjects(parsed())]
    training = [
        (network, "training", True)
        for network in ("resnet50", "convnext_tiny", "resnext50_32x4d", "efficientnet_b0")
    ]
    assert names[:4] == training
    assert [name[2] for name in names[4:8]] == [False] * 4
    tasks = [name[1] for name in names]
    assert tasks == sorted(tasks, reverse=True)  # Training before inference.
    assert len(set(chosen_subjects(parsed()))) == len(names)


def test_batches_of_networks():
    sizes = [(s.task, s.batch) for s in subjects(["resnet50"])]
    expected = [("training", 256), ("inference", 1), ("inference", 128)]
    assert sorted(sizes) == sorted(4 * expected)
    assert {s.batch for s in subjects(["resnet50"], batch=3)} == {3}
    assert {s.task for s in subjects(["vae_decoder"], batch=3)} == {"inference"}


def test_layouts_of_networks():
    assert {s.layout for s in subjects(["speech"])} == {"default"}
    assert {s.layout for s in subjects(["unet3d"])} == {"channels-last", "default"}


def test_modes_choose_subjects():
    chosen = chosen_subjects(parsed("--modes=eager,eager-captured"))
    assert not any(subject.is_compiled for subject in chosen)
    losses = chosen_subjects(parsed("--losses", "--modes=eager-captured,compiled"))
    assert {(s.task, s.is_compiled) for s in losses} == {("training", True)}


def test_graphs_of_torch_compile():
    chosen = chosen_subjects(
        parsed("--modes=reduce-overhead", "--policies=auto", "--backend=conv_mlir")
    )
    assert chosen and all(s.is_compiled and s.has_graphs for s in chosen)
    assert {s.mode(False) for s in chosen} == {"reduce-overhead"}
    assert not any(subject.has_graphs for subject in chosen_subjects(parsed()))


def test_graphs_are_cudas(capsys):
    arguments = ("--policies=auto", "--backend=conv_mlir", "--device=cpu")
    with pytest.raises(SystemExit) as exit:
        parsed("--modes=reduce-overhead", *arguments)
    assert exit.value.code == 2 and "expected --device=cuda" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--policies=auto"], ["--policies=auto,tune", "--backend=conv_mlir"]]
)
def test_graphs_keep_their_kernels(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        parsed("--modes=reduce-overhead", *arguments)
    assert exit.value.code == 2
    assert "expected one of --policies and --backend=conv_mlir" in capsys.readouterr().err


# A run.


def session(limit=None, policies=("auto", "measure"), modes=("compiled", "eager")):
    return Session(
        WORKER, list(policies), modes, Settings(), limit, 5, say=lambda text: None
    )


def some(*networks):
    return subjects(networks, ["training"], ["compiled"], ["channels-last"])


def test_rows_and_failures():
    run, written = session(), []
    networks = ("resnet50", "convnext_tiny", "efficientnet_b0", "resnext50_32x4d")
    run.measure(some(*networks), written.append)
    assert [len(rows) for rows in written] == [2] * 4
    found = {row["subject"]["network"]: row for row in run.rows}
    assert found["resnet50"]["ratio"] == 1.25
    assert found["convnext_tiny"]["error"] == "the worker died of SIGKILL"
    assert found["efficientnet_b0"]["error"] == "out of memory: of 79 GiB"
    assert found["resnext50_32x4d"]["error"] == "the worker was silent for 5 s"
    assert run.device["device"] == "NVIDIA Fake"
    assert models.status(run.document()) == 1


def test_what_the_limit_leaves_out():
    run = session(limit=1.5)
    run.measure([*some("resnext50_32x4d"), *some("resnet50")], lambda rows: None)
    reasons = [row["error"] for row in run.rows if row["policy"] == "auto"]
    assert reasons == [
        "cut short: the limit of 1.5 s was reached",
        "missing: the limit of 1.5 s was reached",
    ]


def test_losses_of_a_run():
    run = session(policies=["auto"])
    run.compare_losses(some("resnet50", "convnext_tiny"), lambda found: None)
    assert [found.get("agrees") for found in run.losses] == [False, None]
    assert "SIGKILL" in table.losses_line(run.losses[1])
    assert models.status(run.document()) == 1


# Losses.


def test_verdicts():
    stock = [[3.0, 2.0], [3.0, 2.25]]
    same = verdict(stock, [([3.0, 2.5], []), ([3.0, 2.5], [])])
    assert same["same_bits"] and same["agrees"] and same["difference"] == 0.5
    other = verdict(stock, [([3.0, 2.75], []), ([3.0, 2.5], [])])
    assert not other["same_bits"] and not other["agrees"]
    assert not verdict(stock, [([3.0, float("nan")], [])] * 2)["agrees"]


# Output.


def row(ratio, network="resnet50", policy="auto", **subject):
    about = Subject(network, "training", 256, True, "channels-last", **subject)
    return {
        "subject": about.document(),
        "mode": "compiled",
        "policy": policy,
        "ratio": ratio,
        "pytorch": {"median_us": 50_000.0 * ratio},
        "ours": {"median_us": 50_000.0},
        "calls": 53,
        "our_calls": 53,
    }


def failed():
    about = row(1, "convnext_tiny", "measure")
    return {key: about[key] for key in ("subject", "mode", "policy")} | {"error": "no"}


def test_table():
    assert table.line(row(1.1)).startswith("| 1.100 | ResNet-50 | training, 256 |")
    assert "| 55.00 | 50.00 | 53 of 53 |" in table.line(row(1.1))
    assert table.line(failed()).startswith("| none | ConvNeXt-T |")
    lines = [*table.head().splitlines(), table.line(row(1.1)), table.line(failed())]
    assert len({line.count("|") for line in lines}) == 1


def profiled(ratio, policy="auto"):
    of_side = {"kernels_us": 40_000.0, "convolutions_us": 9_000.0, "launches": 321.0}
    in_a_graph = {**of_side, "convolutions_us": None}
    profiles = {"pytorch": of_side, "ours": in_a_graph, "problems": []}
    return {**row(ratio, policy=policy), "profiles": profiles}


def test_profiles():
    rows = [profiled(1.1), profiled(1.1, "measure"), row(1.2), failed()]
    lines = table.profile_lines(rows)
    assert [line.split(" | ")[4] for line in lines[2:]] == ["PyTorch", "auto", "measure"]
    assert "| 55.00 | 40.00 | 9.00 | 321 |" in lines[2]
    assert "| 50.00 | 40.00 |  | 321 |" in lines[3]
    assert len({line.count("|") for line in lines}) == 1
    assert table.profile_lines([row(1.2), failed()]) == []


def test_the_emulator_has_no_profile(capsys):
    with pytest.raises(SystemExit) as exit:
        parsed("--profile", "--device=cpu")
    assert exit.value.code == 2 and "--profile: expected" in capsys.readouterr().err


def test_summary():
    text = table.summary([row(1.0), row(1.21), failed()])
    assert "auto: geometric mean 1.100, lowest 1.000, highest 1.210, 2 rows" in text
    assert "1 of 3 rows have no result" in text


def bars(svg):
    boxes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
    return {
        box[0].text: float(box.get("width"))
        for box in boxes
        if len(box) and ":" in box[0].text
    }


def test_chart():
    rows = [row(1.0), row(1.5, policy="measure"), row(0.5, "convnext_tiny"), failed()]
    svg = bar_chart({"device": {"device": "NVIDIA Fake"}, "rows": rows})
    widths = list(bars(svg).values())
    assert len(widths) == 3
    assert widths[1] == pytest.approx(1.5 * widths[0], rel=0.01)
    assert widths[2] == pytest.approx(0.5 * widths[0], rel=0.01)
    assert "NVIDIA Fake" in svg and "ConvNeXt-T" in svg


def test_no_chart_of_nothing():
    assert bar_chart({"device": {}, "rows": [failed()]}) is None


def test_reading_a_run(tmp_path, capsys):
    path, chart = tmp_path / "run.json", tmp_path / "charts/run.svg"
    rows = [row(1.1), row(1.2, policy="measure"), failed()]
    path.write_text(json.dumps({"device": {"device": "NVIDIA Fake"}, "rows": rows}))
    status = models.main([f"--read={path}", "--policies=auto", f"--chart={chart}"])
    output = capsys.readouterr().out
    assert status == 0 and "1.100" in output and "1.200" not in output
    assert list(bars(chart.read_text()).values()) != []
    assert [file.name for file in chart.parent.iterdir()] == ["run.svg"]


def test_the_charts_of_the_documents_are_of_their_results():
    text = (ROOT / "docs/PyTorch.md").read_text()
    results = re.findall(r"\(\.\./(benchmarks/results/[^)]*-models\.json)\)", text)
    measured = {}
    for path in results:
        measured.update(bars(bar_chart(json.loads((ROOT / path).read_text()))))
    for name in re.findall(r"\(images/([^)]*\.svg)\)", text):
        shown = bars((ROOT / "docs/images" / name).read_text())
        assert shown and shown.keys() <= measured.keys()


@pytest.mark.parametrize("text", ["", "[1]", "{}"])
def test_files_that_are_no_run(text, tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(text)
    assert models.main([f"--read={path}"]) == 2
    assert "error: --read: " in capsys.readouterr().err
