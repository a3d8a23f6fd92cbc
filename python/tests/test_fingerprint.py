"""scripts/fingerprint.py on a list of its own."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/fingerprint.py"
ROWS = [
    "sm_80\tforward c=16 h=6 w=5 k=16 r=3 s=1\t-",
    "sm_90a\tdgrad c=16 h=6 w=5 k=64 r=1 s=1\tmma=mma_sync",
    "sm_90a\tforward c=16 h=6 w=5 k=64 r=1 s=1\ttile=7x7x7",
]


def run(*arguments):
    done = subprocess.run(
        [sys.executable, SCRIPT, "--jobs=1", *arguments], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def list_of_rows(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("\n".join(ROWS) + "\n")
    status, text = run(f"--list={path}")
    assert status == 0, text
    return path


def test_a_list_is_filled_and_then_unchanged(list_of_rows):
    lines = list_of_rows.read_text().splitlines()
    assert lines[0].startswith("# ") and "LLVM" in lines[0]
    assert [line.rsplit("\t", 2)[0] for line in lines[1:]] == ROWS
    first, second, third = [line.split("\t") for line in lines[1:]]
    assert "copy=cp_async" in first[3] and "mma=mma_sync" in second[3]
    assert first[4] != second[4] and len(first[4]) == 12
    assert third[3] == "refused" and "tile" in third[4]
    assert run("--check", f"--list={list_of_rows}") == (0, "0 of 3 rows differ\n")


def test_a_changed_row_is_named(list_of_rows):
    text = list_of_rows.read_text()
    code = text.splitlines()[1].split("\t")[4]
    list_of_rows.write_text(text.replace(code, "0" * 12))
    status, printed = run("--check", f"--list={list_of_rows}")
    assert status == 1
    assert ROWS[0] in printed and f"code {'0' * 12} -> {code}" in printed
    assert "1 of 3 rows differ" in printed


def test_a_form_without_a_line_is_named():
    code = """
import fingerprint
_, rows = fingerprint.read(fingerprint.LIST)
print(fingerprint.missing_forms(rows))
print(fingerprint.missing_forms([row for row in rows if "kn2row=true" not in row[3]]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["[]", "['kn2row']"], done.stderr
