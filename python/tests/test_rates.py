"""docs/Model.md has the numbers of Rates.def, and no number of the model stands elsewhere."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/rates.py"
LIST = "include/conv/Schedule/Model/Rates.def"
PAGE = "docs/Model.md"
MODEL = "lib/Schedule/Model/HopperModel.cpp"


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path):
    """What the check reads."""
    for folder in ("lib/Schedule", "include/conv/Schedule"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / PAGE, tmp_path / PAGE)
    return tmp_path


def change(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def test_this_tree_has_no_fault():
    assert run("--check") == (0, "no fault\n")


def test_another_value_is_noticed_and_written(tree):
    change(tree / LIST, "kCopyBytesPerCycle, 78,", "kCopyBytesPerCycle, 79,")
    status, text = run("--check", f"--root={tree}")
    assert status == 1
    assert text == f"{PAGE}: its tables are not those of {LIST}; run scripts/rates.py --write\n"
    assert run("--write", f"--root={tree}")[0] == 0
    assert "| `kCopyBytesPerCycle` | 79 | B/cycle |" in (tree / PAGE).read_text()
    assert run("--check", f"--root={tree}")[0] == 0


@pytest.mark.parametrize(
    "before, after, said",
    [
        ("namespace {", "static constexpr double kOther = 3;\nnamespace {", "kOther"),
        ("kCyclesPerSharedRow / clusterM", "kCyclesPerSharedRow * 1.07 / clusterM", "1.07"),
        ("kCyclesPerSharedRow / clusterM", "kCyclesPerSharedRow * 9e3 / clusterM", "9e3"),
        ("kCyclesPerSharedRow / clusterM", "kCyclesPerSharedRow * 45 / clusterM", "45"),
    ],
)
def test_a_number_elsewhere_is_noticed(tree, before, after, said):
    change(tree / MODEL, before, after)
    status, text = run("--check", f"--root={tree}")
    assert status == 1
    assert text == f"{MODEL}: {said} is a number of the model, which belongs into {LIST}\n"


def test_a_number_that_nothing_uses_is_noticed(tree):
    change(tree / LIST, "CONV_RATE(kHeldSlots,", 'CONV_RATE(kUnused, 1, "B", "none")\nCONV_RATE(kHeldSlots,')
    assert run("--write", f"--root={tree}")[0] == 0
    assert run("--check", f"--root={tree}") == (1, f"{LIST}: nothing uses kUnused\n")


def test_a_number_that_stands_twice_is_noticed(tree):
    change(tree / LIST, "CONV_RATE(kHeldSlots,", 'CONV_RATE(kSlotCycles, 1, "B", "x")\nCONV_RATE(kHeldSlots,')
    assert run("--write", f"--root={tree}")[0] == 0
    status, text = run("--check", f"--root={tree}")
    assert (status, text) == (1, f"{LIST}: kSlotCycles stands there 2 times\n")
