"""Where the library is looked for, and what is said when it is not there."""

import os
import pathlib
import subprocess
import sys

import conv_mlir
from conv_mlir import _library, _ptxas

PACKAGE = pathlib.Path(conv_mlir.__file__).resolve().parent


def run(code, cwd, **environment):
    """Runs Python with the package of a folder and without what is set here."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CONV_MLIR_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
    )


def relocate(tmp_path):
    """A bundle: python/conv_mlir and an empty lib."""
    (tmp_path / "lib").mkdir()
    copy = tmp_path / "python/conv_mlir"
    copy.mkdir(parents=True)
    for source in PACKAGE.glob("*.py"):
        (copy / source.name).write_text(source.read_text())
    return tmp_path / "python"


def test_bundles_have_it_beside_the_package(tmp_path):
    folder = relocate(tmp_path)
    (tmp_path / "lib" / _library.NAME).symlink_to(_library.find_library())
    done = run("import conv_mlir; print(conv_mlir.version())", folder)
    assert done.stdout.strip() == conv_mlir.version(), done.stderr


def test_checkouts_have_it_in_the_newest_build(tmp_path):
    folder = relocate(tmp_path)
    for name, age in (("dev", 100), ("release", 200)):
        library = tmp_path / "build" / name / "lib" / _library.NAME
        library.parent.mkdir(parents=True)
        library.touch()
        os.utime(library, (age, age))
    code = "from conv_mlir import _library; print(_library.find_library())"
    done = run(code, folder)
    assert done.stdout.strip().endswith(f"build/release/lib/{_library.NAME}")


def test_absent_and_broken_libraries(tmp_path):
    folder = relocate(tmp_path)
    done = run("import conv_mlir; conv_mlir.version()", folder)
    assert "no libconv-mlir.so: expected it in $CONV_MLIR_LIBRARY" in done.stderr
    broken = tmp_path / "broken.so"
    broken.write_text("not a library")
    done = run(
        "import conv_mlir; conv_mlir.version()",
        folder,
        CONV_MLIR_LIBRARY=str(broken),
    )
    assert f"{broken} cannot be loaded" in done.stderr
    done = run(
        "import conv_mlir; conv_mlir.version()", folder, CONV_MLIR_LIBRARY="libc.so.6"
    )
    assert "libc.so.6 is too old: it has no convmlir_last_error" in done.stderr


def test_importing_loads_nothing(tmp_path):
    folder = relocate(tmp_path)
    done = run("import conv_mlir; print(conv_mlir.__all__[0])", folder)
    assert done.returncode == 0, done.stderr


def test_ptxas_comes_from_the_environment(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/ptxas"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert _ptxas.find_ptxas() == str(fake)
