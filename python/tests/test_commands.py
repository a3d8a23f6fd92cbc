"""python -m conv_mlir and the console scripts."""

import os
import pathlib
import subprocess
import sys
import zlib

import conv_mlir
import pytest
from conv_mlir import __main__ as command
from conv_mlir import _demo, _doctor, _ptxas, _tools

PYTHON = pathlib.Path(__file__).resolve().parents[1]


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "conv_mlir", *arguments],
        cwd=PYTHON,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_a_problem_line_becomes_a_plan(tmp_path):
    path = tmp_path / "layer.plan"
    problem = "forward c=16 h=4 w=4 k=16 r=1 s=1"
    assert command.main([problem, "-o", str(path), "--target=sm_80"]) == 0
    assert conv_mlir.Plan.load(path).target == "sm_80"


def test_a_line_of_miopendriver_becomes_a_plan(tmp_path):
    path = tmp_path / "layer.plan"
    problem = "MIOpenDriver convfp16 -n 1 -c 16 -H 4 -W 5 -k 8 -y 1 -x 1 -F 1 -t 1"
    assert command.main([problem, "-o", str(path), "--target=sm_80"]) == 0
    expected = "forward n=1 c=16 h=4 w=5 k=8 r=1 s=1 stride=1 pad=0 dilation=1 groups=1 type=f16 layout=nchw"
    assert conv_mlir.Plan.load(path).problem == expected


def test_a_bad_problem_is_one_line_and_status_2(tmp_path):
    done = run("forward c=16", "-o", str(tmp_path / "x.plan"))
    assert done.returncode == 2
    assert done.stderr.startswith("conv_mlir: error: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_help_names_every_command():
    done = run("--help")
    assert done.returncode == 0
    for name in command.COMMANDS:
        assert f"python -m conv_mlir {name}" in done.stdout
    assert run().returncode == 2


def test_doctor_tells_what_is_there():
    done = run("doctor")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line[8:18].strip() for line in lines] == [n for n, _ in _doctor.CHECKS]
    assert conv_mlir.version() in done.stdout


def test_doctor_says_what_to_do_without_a_library():
    done = run("doctor", CONV_MLIR_LIBRARY="/nowhere/libconv-mlir.so")
    assert done.returncode == 2
    assert "missing library" in done.stdout
    assert "CONV_MLIR_LIBRARY" in done.stdout
    assert "compiler" not in done.stdout


def test_doctor_says_where_plans_are(tmp_path, monkeypatch):
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", str(tmp_path))
    state, text = _doctor.check_cache()
    assert state == "ok" and text.startswith(f"{tmp_path}: 0 plans, 0 bytes of")
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", __file__)
    state, text = _doctor.check_cache()
    assert state == "-" and "cannot make the folder" in text
    assert "set CONV_MLIR_CACHE_DIR" in text


def test_ptxas_of_a_python_package(tmp_path, monkeypatch):
    folder = tmp_path / "triton/backends/nvidia/bin"
    folder.mkdir(parents=True)
    (tmp_path / "triton/__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert str(folder) in list(_ptxas.folders_in_packages())
    path = _tools.environment()["PATH"].split(os.pathsep)
    assert path[-1] == str(folder)
    assert path[: len(os.environ["PATH"].split(":"))] == os.environ["PATH"].split(":")


def test_scripts_become_the_tool():
    code = (
        "import sys; sys.argv[1:] = ['of', 'echo'];"
        "from conv_mlir import _tools; import pathlib;"
        "_tools.find_tool = lambda name: pathlib.Path('/bin/echo');"
        "_tools.conv_run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PYTHON, capture_output=True, text=True
    )
    assert done.stdout == "of echo\n"


def test_the_demo_draws(tmp_path):
    status = command.main(["demo", "--device=emulator", f"--output={tmp_path}"])
    assert status == 0
    data = (tmp_path / "drawing.png").read_bytes()
    at = data.index(b"IDAT")
    size = int.from_bytes(data[at - 4 : at], "big")
    rows = zlib.decompress(data[at + 4 : at + 4 + size])
    assert len(rows) == _demo.HEIGHT * (3 * _demo.WIDTH + 1)
    assert max(rows) > 150 and min(rows) < 50  # Neither black nor white.
    assert data != (tmp_path / "picture.png").read_bytes()


def test_the_demo_refuses_a_folder_that_is_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(conv_mlir.Error, match="--output="):
        _demo.main([f"--output={path}"])
