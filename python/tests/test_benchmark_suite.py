"""compare_cudnn.py: suite files as problem lines."""

import json

import conv_mlir
import pytest
from comparison.suite import Case, SuiteError, load_suite, read_schedules
from conftest import ROOT

SUITE = ROOT / "benchmarks/suite.json"


def test_every_row_of_the_suite_is_a_problem():
    cases = load_suite(SUITE)
    assert len(cases) == 3 * len(json.loads(SUITE.read_text())["rows"])
    for case, row in zip(cases, json.loads(SUITE.read_text())["rows"]):
        problem = conv_mlir.Problem(case.problem)
        assert problem.op == case.op == "forward"
        assert problem.flops == row["flops"]
        assert problem.least_bytes == row["min_bytes"]["forward"]


def test_operations_types_and_patterns(tmp_path):
    path = tmp_path / "suite.json"
    rows = [
        {"family": "a", "problem": "c=8 k=8 w=9 s=3 type=bf16"},
        {"family": "b", "problem": "c=8 k=4 w=9 s=3"},
    ]
    path.write_text(json.dumps({"rows": rows}))
    assert load_suite(path, ["dgrad"]) == [
        Case("a", "dgrad c=8 k=8 w=9 s=3 type=bf16"),
        Case("b", "dgrad c=8 k=4 w=9 s=3"),
    ]
    both = load_suite(path, ["wgrad"], ["f16", "bf16"], "^b .*type=f16")
    assert both == [Case("b", "wgrad c=8 k=4 w=9 s=3 type=f16")]
    assert [case.type for case in load_suite(path, ["dgrad"], ["f16"])] == ["f16"] * 2
    assert load_suite(path, ["dgrad"], (), "^b")[0].type == "bf16"


@pytest.mark.parametrize(
    "content, message",
    [
        ("{", "expected an object with rows"),
        ("{}", "KeyError: 'rows'"),
        ('{"rows": [{"family": "a"}]}', "KeyError: 'problem'"),
        ('{"rows": []}', "no row of .* matches ''"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "suite.json"
    path.write_text(content)
    with pytest.raises(SuiteError, match=message):
        load_suite(path)


def test_bad_requests(tmp_path):
    with pytest.raises(SuiteError, match="cannot be read: No such file"):
        load_suite(tmp_path / "absent.json")
    with pytest.raises(SuiteError, match="expected operations among forward"):
        load_suite(SUITE, ["backward"])
    with pytest.raises(SuiteError, match="is no regular expression"):
        load_suite(SUITE, pattern="(")


def test_schedules(tmp_path):
    path = tmp_path / "schedules"
    path.write_text("# comment\ntile=1 # why\n\ndefault\ntile=1\nstages=2\n")
    assert read_schedules(path) == ["tile=1", "", "stages=2"]
    path.write_text("# nothing\n")
    with pytest.raises(SuiteError, match="has no schedule"):
        read_schedules(path)
