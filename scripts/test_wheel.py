#!/usr/bin/env python3
"""Tries a wheel on a machine where nothing of conv-mlir is installed.

Input: a wheel, the newest in dist/ by default. It is installed into an empty folder by
this Python's pip, without a network and without dependencies; where there is no pip it
is unpacked as pip does. Everything runs in another empty folder, with nothing but
that installation and what this Python has: no variable CONV_MLIR_*, no PYTHONPATH.

    scripts/test_wheel.py [WHEEL] [--python=PYTHON]

Output: a line for each part (`ok`, `FAILED` with what was printed, or `skipped` with the
reason), and `N passed, N failed, N skipped`. Status 1 where one failed; 2 where there is
no wheel. Parts: the package comes from the wheel; doctor; demo; the tools conv-run,
conv-opt and conv-launch; a convolution with its gradients through conv_mlir.torch.enable(), beside
PyTorch's own in f64, on a GPU where there is one that our kernels take, else on the
emulator; one with its gradients through conv_mlir.jax beside JAX's own.
"""

import argparse
import configparser
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROBLEM = "forward n=2 c=16 h=6 w=5 k=24 r=3 s=2 pad=1 type=bf16"
# Seconds of a part: the first use of PyTorch on a GPU loads gigabytes.
TIMEOUT = 600

SOURCE = """
import pathlib, sys
import conv_mlir
from conv_mlir._library import find_library
for path in (conv_mlir.__file__, find_library()):
    assert pathlib.Path(sys.argv[1]) in pathlib.Path(path).resolve().parents, path
print(conv_mlir.version(), conv_mlir.targets())
"""

RUNTIME = """
import conv_mlir
plan = conv_mlir.Plan.load("layer.plan")
libraries = {line.split("/")[-1].strip() for line in open("/proc/self/maps")}
assert plan.operands and "libconv-runtime.so" in libraries, libraries
assert "libconv-mlir.so" not in libraries, libraries
"""

TORCH = """
import sys
try:
    import torch
except ImportError as error:
    sys.exit(f"skipped: no PyTorch ({error})")
import conv_mlir.torch
import torch.nn.functional as F

def uses_gpu():
    return torch.cuda.is_available() and torch.cuda.get_device_capability() >= (8, 0)

def results(x, w, b):
    y = F.conv2d(x, w, b, stride=(2, 1), padding=1)
    dy = torch.linspace(-1, 1, y.numel(), device=y.device).view(y.shape).to(y)
    return (y, *torch.autograd.grad(y, (x, w, b), dy))

device = "cuda" if uses_gpu() else "cpu"
torch.manual_seed(0)
shapes = (2, 16, 7, 6), (24, 16, 3, 2), (24,)
leaves = [torch.randn(s).to(device, torch.bfloat16).requires_grad_() for s in shapes]
expected = results(*(leaf.detach().double().requires_grad_() for leaf in leaves))
with conv_mlir.torch.enabled("always", "sync", device):
    found = results(*leaves)
report = conv_mlir.torch.report()
print(report)
for name, a, b in zip(("y", "dx", "dw", "db"), found, expected):
    error = ((a.double() - b).norm() / b.norm()).item()
    print(f"{name} on {device}: relative error {error:.1e}")
    assert error < 1e-2, name
assert report.rows and all(row.ours == row.calls for row in report), "not our kernels"
"""

JAX = """
import sys
try:
    import jax
except ImportError as error:
    sys.exit(f"skipped: no JAX ({error})")
import numpy
from conv_mlir.jax import conv_general_dilated

def results(convolve):
    def program(x, w):
        y, transposed = jax.vjp(lambda x, w: convolve(x, w, (2, 1), "SAME"), x, w)
        return (y, *transposed(y))
    x, w = (jax.random.randint(jax.random.key(0), s, -2, 3).astype("float32")
            for s in ((2, 4, 7, 6), (8, 4, 3, 2)))
    return jax.jit(program)(x, w)

for name, a, b in zip("y dx dw".split(), *map(results, (conv_general_dilated, jax.lax.conv_general_dilated))):
    assert numpy.allclose(a, b, rtol=2e-3, atol=1), name
print("on", jax.devices()[0].device_kind)
"""


class Failed(Exception):
    """What a part printed."""


class Skipped(Exception):
    """Why a part did not run."""


class Installation:
    """A wheel in an empty folder, and another folder where programs run."""

    def __init__(self, wheel, place, python):
        self.packages, self.work = place / "packages", place / "work"
        self.packages.mkdir()
        self.work.mkdir()
        self._python = python
        self._install(wheel)

    def _install(self, wheel):
        if subprocess.run([self._python, "-c", "import pip"], capture_output=True).returncode:
            unpack(wheel, self.packages, self._python)
            return
        pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
        self.python(*pip, str(self.packages), str(wheel))

    def environment(self):
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CONV_MLIR_")
        }
        path = [str(self.packages / "bin"), kept.get("PATH", "")]
        return {
            **kept,
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(self.packages),
            "CONV_MLIR_CACHE_DIR": str(self.work / "cache"),
        }

    def python(self, *arguments):
        return self.run(self._python, *arguments)

    def run(self, *command):
        """What it prints; Failed where its status is another than 0, Skipped where
        it says so."""
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT,
        )
        last = done.stdout.strip().split("\n")[-1]
        if done.returncode and last.startswith("skipped: "):
            raise Skipped(last[len("skipped: ") :])
        if done.returncode:
            raise Failed(f"status {done.returncode}\n{done.stdout}")
        return done.stdout


def unpack(wheel, packages, python):
    """What pip does with a wheel: its files with their modes, and its scripts."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = pathlib.Path(archive.extract(member, packages))
            mode = member.external_attr >> 16
            if mode and path.is_file():
                path.chmod(mode & 0o777)
    scripts = packages / "bin"
    scripts.mkdir(exist_ok=True)
    for points in packages.glob("*.dist-info/entry_points.txt"):
        parser = configparser.ConfigParser()
        parser.read(points)
        for name, target in parser["console_scripts"].items():
            write_script(scripts / name, target, python)


def write_script(path, target, python):
    module, function = target.split(":")
    path.write_text(
        f"#!{python}\nimport sys\nfrom {module} import {function}\n"
        f"sys.exit({function}())\n"
    )
    path.chmod(0o755)


# The parts: each is a function of the installation, whose result is a remark.


def check_source(installation):
    return installation.python("-c", SOURCE, str(installation.packages))


def check_doctor(installation):
    output = installation.python("-m", "conv_mlir", "doctor")
    if any(line.startswith("missing") for line in output.splitlines()):
        raise Failed(output)
    return "\n" + output


def check_demo(installation):
    output = installation.python("-m", "conv_mlir", "demo")
    drawing = installation.work / "drawing.png"
    if not drawing.exists() or drawing.read_bytes()[:4] != b"\x89PNG":
        raise Failed(f"no drawing.png\n{output}")
    return "drawing.png"


def check_conv_run(installation):
    output = installation.run("conv-run", f"--problem={PROBLEM}", "--verify")
    if "passed" not in output:
        raise Failed(output)
    return next(line for line in output.splitlines() if line.startswith("verify"))


def check_conv_opt(installation):
    return installation.run("conv-opt", "--version")


def check_conv_launch(installation):
    """A plan that is stored, and read by what has no compiler."""
    installation.run("conv-run", f"--problem={PROBLEM}", "--emit=plan", "-o", "layer.plan")
    output = installation.run("conv-launch", "layer.plan", "--describe")
    installation.python("-c", RUNTIME)
    return output.splitlines()[0]


def check_torch(installation):
    return "\n" + installation.python("-c", TORCH)


def check_jax(installation):
    return installation.python("-c", JAX)


PARTS = {
    "the package comes from the wheel": check_source,
    "doctor": check_doctor,
    "demo": check_demo,
    "conv-run": check_conv_run,
    "conv-opt": check_conv_opt,
    "conv-launch": check_conv_launch,
    "PyTorch": check_torch,
    "JAX": check_jax,
}


def try_part(name, check, installation):
    """How it ended; prints the line."""
    how, remark = "ok", ""
    try:
        remark = check(installation).rstrip()
    except Skipped as reason:
        how, remark = "skipped", str(reason)
    except (Failed, OSError, subprocess.TimeoutExpired) as error:
        how, remark = "FAILED", str(error)
    print(f"{how}: {name}: {remark}", flush=True)
    return how


def test(wheel, python):
    """The exit status."""
    with tempfile.TemporaryDirectory() as place:
        try:
            installation = Installation(wheel, pathlib.Path(place).resolve(), python)
        except (Failed, OSError, zipfile.BadZipFile) as error:
            print(f"FAILED: {wheel.name} is not installed: {error}")
            return 1
        ends = [try_part(name, check, installation) for name, check in PARTS.items()]
    counts = [ends.count(how) for how in ("ok", "FAILED", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*counts))
    return 1 if counts[1] else 0


def newest_wheel():
    wheels = sorted(ROOT.glob("dist/*.whl"), key=lambda path: path.stat().st_mtime)
    return wheels[-1] if wheels else ROOT / "dist/*.whl"


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", nargs="?", type=pathlib.Path, default=newest_wheel())
    parser.add_argument("--python", default=sys.executable, help="that runs the wheel")
    options = parser.parse_args(arguments)
    if not options.wheel.is_file():
        print(
            f"error: no wheel '{options.wheel}'; scripts/package.sh makes one",
            file=sys.stderr,
        )
        return 2
    return test(options.wheel.resolve(), options.python)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
