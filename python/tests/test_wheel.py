"""scripts/test_wheel.py on wheels of this build: a whole one, and ones that lack
something."""

import os
import pathlib
import subprocess
import sys
import venv
import zipfile

import pytest
from conv_mlir._library import find_library
from conv_mlir._tools import find_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("conv-run", "conv-opt", "conv-launch")
POINTS = """[console_scripts]
conv-run = conv_mlir._tools:conv_run
conv-opt = conv_mlir._tools:conv_opt
conv-launch = conv_mlir._tools:conv_launch
"""
METADATA = "Metadata-Version: 2.1\nName: conv-mlir\nVersion: 0.1.0\n"
TAG = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
NAME = "conv_mlir-0.1.0-py3-none-linux_x86_64.whl"


def run(*arguments):
    script = ROOT / "scripts/test_wheel.py"
    return subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        env={k: v for k, v in os.environ.items() if k != "CONV_MLIR_LIBRARY"},
        capture_output=True,
        text=True,
        timeout=500,
    )


def make_wheel(path, native):
    """A wheel of the package and these files of conv_mlir/native, by their places."""
    package = ROOT / "python/conv_mlir"
    names = {str(p.relative_to(package)): p for p in package.rglob("*.py")}
    names.update({f"native/{place}": source for place, source in native.items()})
    with zipfile.ZipFile(path, "w") as archive:
        for name, source in names.items():
            archive.write(source, f"conv_mlir/{name}")
        information = "conv_mlir-0.1.0.dist-info"
        archive.writestr(f"{information}/entry_points.txt", POINTS)
        archive.writestr(f"{information}/METADATA", METADATA)
        archive.writestr(f"{information}/WHEEL", TAG)
        archive.writestr(f"{information}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python that has nothing, not even pip."""
    folder = tmp_path_factory.mktemp("python")
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / "bin/python"


def native():
    files = {f"bin/{name}": find_tool(name) for name in TOOLS}
    libraries = {"lib/libconv-mlir.so": find_library()}
    libraries["lib/libconv-runtime.so"] = find_library().with_name("libconv-runtime.so")
    return {**libraries, **files}


def test_a_whole_wheel(python, tmp_path):
    done = run(make_wheel(tmp_path / NAME, native()), f"--python={python}")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "6 passed, 0 failed, 2 skipped"
    assert "skipped: PyTorch: no PyTorch (No module named 'torch')" in lines
    assert "skipped: JAX: no JAX (No module named 'jax')" in lines
    assert "ok: demo: drawing.png" in lines


def test_a_wheel_without_a_tool(python, tmp_path):
    files = native()
    del files["bin/conv-opt"]
    done = run(make_wheel(tmp_path / NAME, files), f"--python={python}")
    assert done.returncode == 1
    assert "FAILED: conv-opt: status 1\nconv-opt: error: no conv-opt" in done.stdout
    assert done.stdout.endswith("5 passed, 1 failed, 2 skipped\n")


def test_a_wheel_without_the_library(python, tmp_path):
    done = run(make_wheel(tmp_path / NAME, {}), f"--python={python}")
    assert done.returncode == 1
    assert "FAILED: doctor: status 2\n" in done.stdout
    assert done.stdout.endswith("0 passed, 6 failed, 2 skipped\n")


def test_what_is_no_wheel(tmp_path):
    done = run(tmp_path / NAME)
    assert done.returncode == 2 and "error: no wheel '" in done.stderr
    (tmp_path / NAME).write_text("no archive")
    done = run(tmp_path / NAME)
    assert done.returncode == 1 and f"FAILED: {NAME} is not installed" in done.stdout
