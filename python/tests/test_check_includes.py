"""scripts/check_includes.py, on this tree and on trees with one fault each."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_includes.py"


def run(root, script=SCRIPT):
    done = subprocess.run(
        [sys.executable, script, f"--root={root}"], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path):
    """Writes files of a tree; the exceptions of ours do not hold in it."""
    text = SCRIPT.read_text()
    for table in ("CIRCLES", "HEADERS", "FOLDERS", "ARROWS"):
        assert f"\n{table} = {{" in text
    head, _, rest = text.partition("\nMOST_FILES")
    script = tmp_path / "check.py"
    none = "\n".join(f"{table} = {{}}" for table in ("CIRCLES", "HEADERS", "FOLDERS", "ARROWS"))
    script.write_text(f"{head}\n{none}\nMOST_FILES{rest}")

    def write(**files):
        (tmp_path / "lib").mkdir(exist_ok=True)
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_h", ".h").replace("_cpp", ".cpp")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return run(tmp_path, script)

    return write


def test_this_tree_has_no_fault():
    status, text = run(ROOT)
    assert status == 0, text


def test_arrows_that_go_down_are_none(tree):
    status, text = tree(
        lib__Transforms__Ring__A_cpp='#include "Support/B.h"\n#include "mlir/IR/Builders.h"\n',
        lib__Transforms__Support__B_h='#include "conv/Geometry/C.h"\n',
        include__conv__Geometry__C_h="",
    )
    assert (status, text) == (0, "3 units, 0 faults\n")


@pytest.mark.parametrize(
    "include", ['"Ring/B.h"', '"../Ring/B.h"'], ids=["by its wing", "by a relative path"]
)
def test_an_arrow_between_wings_that_runs_back_up(tree, include):
    status, text = tree(
        lib__Transforms__Support__A_cpp=f"#include {include}\n", lib__Transforms__Ring__B_h=""
    )
    assert status == 1
    assert (
        "lib/Transforms/Support/A.cpp includes Transforms/Ring/B.h: "
        "Transforms/Support is below Transforms/Ring\n" in text
    )


def test_an_arrow_between_libraries_that_runs_back_up(tree):
    status, text = tree(
        include__conv__Schedule__A_h="",
        lib__Geometry__B_cpp='#include "conv/Schedule/A.h"\n',
    )
    assert status == 1
    assert "lib/Geometry/B.cpp includes Schedule/A.h: Geometry is below Schedule\n" in text


def test_a_circle_of_units(tree):
    status, text = tree(
        include__conv__Schedule__Forms__A_h="",
        lib__Schedule__Forms__A_cpp='#include "conv/Schedule/Model/B.h"\n',
        include__conv__Schedule__Model__B_h='#include "conv/Schedule/Shape/C.h"\n',
        include__conv__Schedule__Shape__C_h='#include "conv/Schedule/Forms/A.h"\n',
    )
    assert status == 1
    assert (
        "3 units include each other: Schedule/Forms/A -> Schedule/Model/B -> "
        "Schedule/Shape/C -> Schedule/Forms/A\n" in text
    )


def test_a_folder_with_many_files(tree):
    files = {f"lib__Geometry__A{number}_h": "" for number in range(40)}
    assert tree(**files)[0] == 0
    status, text = tree(**files, lib__Geometry__B_h="")
    assert status == 1
    assert "lib/Geometry has 41 files, but at most 40 are read at a glance\n" in text


def test_a_header_of_many_files(tree):
    header = "int64_t f(int64_t a);\nint64_t g();\nLogicalResult\nh(int64_t a);\n"
    files = {
        f"lib__Transforms__Ring__{name.upper()}_cpp": f"int64_t conv::{name}() {{\n}}\n"
        for name in "fgh"
    }
    status, text = tree(lib__Transforms__Ring__X_h=header, **files)
    assert status == 1
    assert "lib/Transforms/Ring/X.h declares functions of 3 files (F, G, H)" in text
    # One of them has a header of its own.
    status, text = tree(lib__Transforms__Ring__X_h=header.replace("int64_t g();\n", ""))
    assert status == 0, text


def test_a_folder_that_the_table_does_not_know(tree):
    status, text = tree(lib__Attic__A_h="", lib__Geometry__B_cpp='#include "../Attic/A.h"\n')
    assert status == 2
    assert "lib/Attic/A.h lies in no room" in text


def test_an_exception_that_is_needed_no_longer(tmp_path):
    script = tmp_path / "check.py"
    script.write_text(
        SCRIPT.read_text().replace("\nMOST_FILES", '\nCIRCLES = {("A", "B"): "why"}\nMOST_FILES', 1)
    )
    (tmp_path / "lib").mkdir()
    status, text = run(tmp_path, script)
    assert status == 1
    assert "no circle of A, … any more" in text
