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
    (tmp_path / "lib" / _library.NAME).symlink_to(_library.find_library().resolve())
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


def bundle(tmp_path, *names):
    """A bundle with these libraries of the build; the folder of its Python."""
    folder = relocate(tmp_path)
    for name in names:
        (tmp_path / "lib" / name).symlink_to(_library.find_library().resolve().with_name(name))
    return folder


LOADED = """
loaded = {line.split("/")[-1].strip() for line in open("/proc/self/maps") if "/" in line}
print(sorted(name for name in loaded if name.startswith("libconv-")))
"""


def make_plan(tmp_path):
    path = tmp_path / "layer.plan"
    conv_mlir.compile("forward c=8 h=4 w=4 k=8 r=1 s=1", "sm_80", emulator_only=True).save(path)
    return path


def test_plans_are_read_without_the_compiler(tmp_path):
    folder = bundle(tmp_path, _library.NAME, _library.RUNTIME_NAME)
    code = f"""
import conv_mlir
plan = conv_mlir.Plan.load({str(make_plan(tmp_path))!r})
assert plan.to_bytes() == conv_mlir.Plan.from_bytes(plan.to_bytes()).to_bytes()
assert [o.name for o in plan.operands] == ["x", "w", "y"] and len(plan.launches) == 1
assert conv_mlir.Problem(plan.problem).channels_last
print(conv_mlir.version())
"""
    done = run(code + LOADED, folder)
    expected = f"{conv_mlir.version()}\n['{_library.RUNTIME_NAME}']\n"
    assert done.stdout == expected, done.stderr


def test_plans_of_both_libraries_run(tmp_path):
    """One that was read by the small library, then emulated; one that was compiled
    by the other, before and after that was loaded."""
    folder = bundle(tmp_path, _library.NAME, _library.RUNTIME_NAME)
    code = f"""
import conv_mlir
read = conv_mlir.Plan.load({str(make_plan(tmp_path))!r})
compiled = conv_mlir.compile(read.problem, "sm_80", emulator_only=True)
again = conv_mlir.Plan.load({str(make_plan(tmp_path))!r})
results = []
for plan in (read, compiled, again):
    x, w, y = (bytearray(b"\\x80\\x3f" * (o.bytes // 2)) for o in plan.operands)
    plan.emulate(x, w, y)
    results.append(bytes(y))
assert results[0] == results[1] == results[2]
print(results[0][:2].hex())
"""
    done = run(code + LOADED, folder)
    expected = f"0041\n['{_library.NAME}', '{_library.RUNTIME_NAME}']\n"
    assert done.stdout == expected, done.stderr


def test_without_the_compiler(tmp_path):
    folder = bundle(tmp_path, _library.RUNTIME_NAME)
    code = f"""
import conv_mlir
plan = conv_mlir.Plan.load({str(make_plan(tmp_path))!r})
for attempt in (
    lambda: conv_mlir.compile(plan.problem, "sm_80"),
    lambda: plan.emulate(*(bytearray(o.bytes) for o in plan.operands)),
    conv_mlir.targets,
):
    try:
        attempt()
    except conv_mlir.Error as error:
        print(error)
"""
    done = run(code, folder)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    why = "runs plans, and has neither a compiler nor the emulator"
    for line in lines:
        assert f"{_library.RUNTIME_NAME} {why}: expected {_library.NAME}" in line


def test_the_named_library_is_the_only_one(tmp_path):
    folder = bundle(tmp_path, _library.NAME, _library.RUNTIME_NAME)
    code = "import conv_mlir; conv_mlir.version()"
    named = {"CONV_MLIR_LIBRARY": str(tmp_path / "lib" / _library.NAME)}
    assert run(code + LOADED, folder, **named).stdout == f"['{_library.NAME}']\n"
