"""Plan.launch on the fake driver of the unit tests, whose memory is the host's and
whose only kernel of a convolution multiplies two numbers of bf16."""

import os
import pathlib
import subprocess
import sys

import conv_mlir
import pytest

PYTHON = pathlib.Path(conv_mlir.__file__).resolve().parents[1]
LIBRARIES = pathlib.Path(os.environ.get("CONV_MLIR_BUILD_DIR", "."), "lib").resolve()
LINE = "forward c=1 h=1 w=1 k=1 r=1 s=1 out-type=f32"

PRELUDE = """
import ctypes, sys, threading
import conv_mlir
driver = ctypes.CDLL("libcuda.so.1")
plan = conv_mlir.Plan.load(sys.argv[1])

class Numbers:
    '''x and w of bf16, and y of f32, each at a multiple of 16.'''

    def __init__(self, x, w):
        self._memory = ctypes.create_string_buffer(64)
        first = -(-ctypes.addressof(self._memory) // 16) * 16
        self.pointers = [first, first + 16, first + 32]
        for pointer, number in zip(self.pointers, (x, w)):
            bits = ctypes.c_uint32.from_buffer(ctypes.c_float(number)).value >> 16
            ctypes.c_uint16.from_address(pointer).value = bits

    @property
    def y(self):
        assert driver.cuStreamSynchronize(None) == 0
        return ctypes.c_float.from_address(self.pointers[2]).value

def error_of(pointers, **options):
    try:
        plan.launch(pointers, **options)
    except conv_mlir.Error as error:
        return f"{error.status}: {error}"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs Python with the fake driver; what it prints."""
    folder = tmp_path_factory.mktemp("launch")
    fake = LIBRARIES / "libFakeCudaDriver.so"
    assert fake.exists(), f"no {fake}: ninja FakeCudaDriver"
    (folder / "libcuda.so.1").symlink_to(fake)
    conv_mlir.compile(LINE, "sm_80", ptxas="").save(folder / "one.plan")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(PYTHON)}

    def run(code, library="libconv-runtime.so"):
        done = subprocess.run(
            [sys.executable, "-c", PRELUDE + code, str(folder / "one.plan")],
            env={**environment, "CONV_MLIR_LIBRARY": str(LIBRARIES / library)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.mark.parametrize("library", ["libconv-runtime.so", "libconv-mlir.so"])
def test_launches_compute(run, library):
    code = """
numbers = [Numbers(3, -2), Numbers(1.5, 4)]
for each in numbers + numbers:
    plan.launch(each.pointers)
    plan.launch(tuple(each.pointers), 0, 0, workspace_bytes=0, device=0)
print(*(each.y for each in numbers), plan.is_prepared())
"""
    assert run(code, library) == ["-6.0 6.0 True"]


def test_pointers_that_are_no_memory_are_sentences(run):
    code = """
x, w, y = Numbers(3, -2).pointers
for pointers in ([x, w], [x, w, y, y], [], [x, None, y], [x, 0, y], [x, w, y + 4], [x, w, -1]):
    print(error_of(pointers))
for pointers in ([x, "w", y], [x, 1.5, y]):
    try:
        plan.launch(pointers)
    except TypeError:
        print("TypeError")
print(error_of([x, w, y], device=7))
"""
    lines = run(code)
    assert lines[:3] == [f"2: expected 3 operands, got {count}" for count in (2, 4, 0)]
    for line in lines[3:7]:
        assert "expected a device address that is a multiple of 16, got 0x" in line
    assert lines[3].startswith("2: ") and "w" in lines[3] and lines[3] == lines[4]
    assert lines[7:9] == ["TypeError", "TypeError"]
    assert lines[9] == "3: CUDA device 7 does not exist, the driver has 1"


def test_threads_launch_at_the_same_time(run):
    code = """
def work(number, found):
    numbers = Numbers(number, 2)
    for _ in range(200):
        plan.launch(numbers.pointers)
    found.append(numbers.y)

found = []
threads = [threading.Thread(target=work, args=(n, found)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(found) == [2.0 * n for n in range(8)])
"""
    assert run(code) == ["True"]
