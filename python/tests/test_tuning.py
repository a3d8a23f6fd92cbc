"""Tuning records through the package."""

import math
import os
import pathlib
import re
import subprocess
import sys

import conv_mlir
import pytest
from conv_mlir._tuning import find_tuning_file

LINE = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=bf16"
SCHEDULE = "tile=64x16x16 warps=4x1 stages=3"


def schedule(**options):
    plan = conv_mlir.compile(LINE, "sm_80", emulator_only=True, **options)
    return plan.schedule


@pytest.fixture
def record(tmp_path):
    def add(text, name="records.json"):
        path = tmp_path / name
        conv_mlir.add_tuning_record(path, LINE, "sm_80", text, "Some GPU", 7.5)
        return path

    return add


def test_records_come_before_the_model(record):
    path = record(SCHEDULE)
    assert "tile=64x16x16" in schedule(tuning_file=path)
    assert "tile=64x16x16" not in schedule(tuning_file=path, tuned=False)


def test_records_of_other_devices_do_not_count(record):
    path = record(SCHEDULE)
    assert "tile=64x16x16" in schedule(tuning_file=path, device="Some GPU")
    assert "tile=64x16x16" not in schedule(tuning_file=path, device="Other GPU")
    assert "tile=64x16x16" in schedule(tuning_file=path, device="")


def test_candidates():
    found = conv_mlir.candidate_schedules(LINE, "sm_80", 4)
    assert len(found) == 4
    assert schedule().endswith(f": {found[0]}")


def test_stale_records_are_warnings(record):
    path = record("stages=5")
    path.write_text(path.read_text().replace("stages=5", "stages=99"))
    with pytest.warns(UserWarning, match="is stale and ignored: stages must be"):
        assert "stages=99" not in schedule(tuning_file=path)


@pytest.mark.parametrize(
    "target, text, us, message",
    [
        ("sm_70", SCHEDULE, 7.5, "unknown target 'sm_70', expected one of sm_80"),
        ("sm_80", "stages=99", 7.5, "schedule 'stages=99' cannot run: stages must be"),
        ("sm_80", "tiles=64x64x32", 7.5, "unknown key 'tiles', did you mean 'tile'? The keys are algorithm, tile"),
        ("sm_80", SCHEDULE, math.nan, "median_us: expected a positive number, got nan"),
    ],
)
def test_wrong_records_are_refused(tmp_path, target, text, us, message):
    path = tmp_path / "folder" / "records.json"
    with pytest.raises(conv_mlir.Error, match=re.escape(message)):
        conv_mlir.add_tuning_record(path, LINE, target, text, "Some GPU", us)
    assert not path.parent.exists()


def test_a_record_is_for_all_devices_where_it_names_none(record, tmp_path):
    path = tmp_path / "all.json"
    conv_mlir.add_tuning_record(path, LINE, "sm_80", SCHEDULE, "", 7.5)
    assert "tile=64x16x16" in schedule(tuning_file=path, device="Some GPU")


def test_absent_files_are_errors():
    with pytest.raises(conv_mlir.Error, match="absent.json"):
        schedule(tuning_file="absent.json")


def test_where_the_users_file_is(record, monkeypatch, tmp_path):
    assert find_tuning_file() is None
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_tuning_file() is None
    home = record(SCHEDULE, ".config/conv-mlir/tuning.json")
    assert find_tuning_file() == str(home)
    assert "tile=64x16x16" in schedule()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "x"))
    assert find_tuning_file() is None
    monkeypatch.setenv("CONV_MLIR_TUNING", "named.json")
    assert find_tuning_file() == "named.json"


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_candidates(count):
    with pytest.raises(conv_mlir.Error, match=f"expected at least 1, got {count}"):
        conv_mlir.candidate_schedules(LINE, "sm_80", count)


def test_a_process_of_its_own(record, tmp_path):
    def compile(*options):
        output = tmp_path / "x.plan"
        done = subprocess.run(
            [sys.executable, "-m", "conv_mlir", LINE, "--target=sm_80"]
            + [f"--output={output}", *options],
            env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])},
        )
        assert done.returncode == 0
        return conv_mlir.Plan.load(output).schedule

    named = f"--tuning-file={record(SCHEDULE)}"
    assert "tile=64x16x16" in compile(named)
    assert "tile=64x16x16" not in compile("--no-tuning", "--refuse-flaws")
