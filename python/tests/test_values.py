"""Plan.emulate takes the memory of every type as it is: an infinity stays one,
as it does in a file (docs/ConvRun.md, inputs)."""

import os
import pathlib
import subprocess

import conv_mlir
import numpy
import pytest

INF, NAN = numpy.inf, numpy.nan
# By type: one element's NumPy type, and the memory of infinity, minus infinity,
# NaN and 1; of e4m3, which has no infinity, of its largest numbers, 448.
MEMORY = {
    "f16": ("f2", [INF, -INF, NAN, 1], [INF, -INF, NAN, 1]),
    "bf16": ("u2", [0x7F80, 0xFF80, 0x7FC0, 0x3F80], [INF, -INF, NAN, 1]),
    "tf32": ("f4", [INF, -INF, NAN, 1], [INF, -INF, NAN, 1]),
    "f32": ("f4", [INF, -INF, NAN, 1], [INF, -INF, NAN, 1]),
    "f64": ("f8", [INF, -INF, NAN, 1], [INF, -INF, NAN, 1]),
    "e4m3": ("u1", [0x7E, 0xFE, 0x7F, 0x38], [448, -448, NAN, 1]),
    "e5m2": ("u1", [0x7C, 0xFC, 0x7F, 0x3C], [INF, -INF, NAN, 1]),
}
TYPES = pytest.mark.parametrize("name", MEMORY)


def line(name, out_type):
    return f"forward n=1 c=1 w=4 k=1 s=1 type={name} out-type={out_type}"


def arguments(name):
    """x has all values, and w is 1."""
    element, bits, _ = MEMORY[name]
    x = numpy.array(bits, element).reshape(1, 4, 1)
    return x, x[:, 3:].copy()


def emulate(name, out_type, element):
    plan = conv_mlir.compile(line(name, out_type), "sm_90", emulator_only=True)
    y = numpy.zeros((1, 4, 1), element)
    plan.emulate(*arguments(name), y)
    return y


def wide(name):
    return ("f64", "f8") if name == "f64" else ("f32", "f4")


@TYPES
def test_values_stay_what_they_are(name):
    y = emulate(name, *wide(name))
    numpy.testing.assert_array_equal(y.ravel(), MEMORY[name][2])


@TYPES
def test_files_and_memory_agree(name, tmp_path):
    tool = pathlib.Path(os.environ.get("CONV_MLIR_BUILD_DIR", "")) / "bin/conv-run"
    if not tool.exists():
        pytest.skip("needs conv-run in CONV_MLIR_BUILD_DIR")
    for path, values in zip(("x.npy", "w.npy"), arguments(name)):
        numpy.save(tmp_path / path, values)
    out_type, element = wide(name)
    subprocess.run(
        [
            tool.resolve(),
            f"--problem={line(name, out_type)}",
            "--target=sm_90",
            "--device=emulator",
            "--input=x.npy",
            "--input=w.npy",
            "--output=y.npy",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    numpy.testing.assert_array_equal(
        numpy.load(tmp_path / "y.npy"), emulate(name, out_type, element)
    )


@pytest.mark.parametrize("name", ("f16", "bf16"))
def test_results_of_16_bits_keep_infinities(name):
    element, bits, _ = MEMORY[name]
    y = emulate(name, name, element)
    numpy.testing.assert_array_equal(
        y.ravel()[[0, 1, 3]], numpy.array(bits, element)[[0, 1, 3]]
    )


@pytest.mark.parametrize("name, largest", (("e4m3", 0x7E), ("e5m2", 0x7B)))
def test_results_of_8_bits_saturate(name, largest):
    """docs/Problem.md: an infinity becomes the largest number of the type."""
    y = emulate(name, name, "u1").ravel()
    assert list(y[[0, 1, 3]]) == [largest, 0x80 | largest, MEMORY[name][1][3]]
    infinity = 0x7C if name == "e5m2" else 0x7E
    assert y[2] & 0x7F > infinity
