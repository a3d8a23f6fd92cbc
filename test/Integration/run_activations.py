"""Activations and their derivatives on a device, number by number: every exponent
of f32, both signs, 64 fractions each, against f64.

    run_activations.py CONV_RUN DEVICE ENGINE FOLDER

ENGINE is mma_sync, wgmma or fma. Results are f32 and bf16. The bound is 8 units in
the last place of f32 and, of bf16, whose functions are approximate, one unit and
2^-119; beside a zero of a derivative, units of the larger of its two terms. An
activation is of a residual, behind a sum of zeros; a derivative is a factor of a
sum that is 1.
"""

import math
import pathlib
import struct
import subprocess
import sys

# Of each result's type: bits of its fractions, and the bound in units and as such.
BOUNDS = {"f32": (23, 8, 0.0), "bf16": (7, 1, 2.0**-119)}
FRACTIONS = 64
POSITIONS = 510  # Times 64 channels: 255 exponents, two signs, 64 fractions.
CUBIC, ROOT = 0.044715, math.sqrt(8 / math.pi)


def exp(x):
    return math.exp(x) if x < 700 else math.inf


def sigmoid(x):
    return 1 / (1 + exp(-x))


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def density(x):
    return exp(-x * x / 2) / math.sqrt(2 * math.pi)


def inner(x):
    """gelu-tanh is x sigmoid(inner(x))."""
    return ROOT * (x + CUBIC * x**3)


def slope(x):
    return ROOT * (1 + 3 * CUBIC * x * x)


def within(x):
    """Beyond, a derivative is 0 or 1 in f64, too."""
    return max(-1000.0, min(1000.0, x))


# Each as the terms that it is the sum of.
ACTIVATIONS = {
    "relu": lambda x: [max(x, 0.0)],
    "clip:-1:6": lambda x: [min(max(x, -1.0), 6.0)],
    "gelu": lambda x: [x * normal(x)],
    "gelu-tanh": lambda x: [x * sigmoid(inner(x))],
    "silu": lambda x: [x * sigmoid(x)],
    "sigmoid": lambda x: [sigmoid(x)],
    "tanh": lambda x: [math.tanh(x)],
}
DERIVATIVES = {
    "drelu": lambda x: [float(x > 0)],
    "dclip:-1:6": lambda x: [float(-1 < x < 6)],
    "dgelu": lambda x: [normal(x), x * density(x)],
    "dgelu-tanh": lambda x: [
        sigmoid(inner(x)),
        x * slope(x) * sigmoid(inner(x)) * sigmoid(-inner(x)),
    ],
    "dsilu": lambda x: [sigmoid(x), x * sigmoid(x) * sigmoid(-x)],
    "dsigmoid": lambda x: [sigmoid(x) * sigmoid(-x)],
    "dtanh": lambda x: [4 * sigmoid(2 * x) * sigmoid(-2 * x)],
}


def numbers(bits):
    """All exponents and both signs, with fractions of so many bits."""
    step = 1 << (bits - 6)
    fractions = [i * step + i * 40503 % step for i in range(FRACTIONS)]
    words = [
        sign << 31 | exponent << 23 | fraction << (23 - bits)
        for sign in (0, 1)
        for exponent in range(255)
        for fraction in fractions
    ]
    return struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *words))


def write_npy(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path, count):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{count}f", data[begin:])


def unit(magnitude, bits):
    """The distance of numbers of that magnitude."""
    exponent = math.frexp(magnitude)[1] - 1 if magnitude else -126
    return math.ldexp(1, max(exponent, -126) - bits)


def run(tool, device, problem, schedule, inputs, output):
    command = [tool, f"--problem={problem}", f"--device={device}", "--verify=full"]
    command += [f"--schedule={schedule}", "--no-tuning", f"--output={output}"]
    if device == "emulator":
        command.append("--target=sm_90a")
    result = subprocess.run(
        command + [f"--input={i}" for i in inputs], capture_output=True, text=True
    )
    if result.returncode != 0:
        print(f"{problem}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.returncode == 0


def passes(name, function, values, results, out):
    """Whether the largest error is within the bound of the result's type."""
    bits, units, least = BOUNDS[out]
    worst, where = -1.0, None
    for x, y in zip(values, results):
        terms = function(x)
        expected = sum(terms)
        error = max(abs(y - expected) - least, 0)
        error /= unit(max(map(abs, [expected, *terms])), bits)
        # A number that rounds to infinity.
        if math.isinf(y) and abs(expected) >= 2.0**128 * (1 - 2.0 ** (-bits - 2)):
            error = 0
        if not error <= worst:
            worst, where = error, f"at {x!r} is {y!r}, expected {expected!r}"
    print(f"{name}, {out}: at most {worst:.2f} units, {where}")
    return worst <= units


def check(problem, function, values, setup, inputs, out):
    """Whether conv-run's own verification passes, and that of every number."""
    tool, device, engine, folder = setup
    output = folder / "result.npy"
    name = problem.rpartition("=")[2].rpartition(",")[2]
    line = f"{problem} out-type={out}"
    if not run(tool, device, line, f"mma={engine}", inputs, output):
        return False
    return passes(name, function, values, read_npy(output, len(values)), out)


def check_activation(name, setup, out):
    engine, folder = setup[2:]
    kind = "f32" if engine == "fma" else "bf16"
    values = numbers(BOUNDS[out][0])
    write_npy(folder / "residual.npy", (1, POSITIONS, 64), values)
    problem = f"forward n=1 c=8 w={POSITIONS} k=64 s=1 type={kind} epilogue=residual,{name}"
    inputs = ["zeros", "zeros", folder / "residual.npy"]
    return check(problem, ACTIVATIONS[name], values, setup, inputs, out)


def check_derivative(name, setup, out):
    engine, folder = setup[2:]
    kind = "f32" if engine == "fma" else "tf32"
    values = numbers(23 if engine == "fma" else 10)
    write_npy(folder / "dy.npy", (1, POSITIONS, 8), [1, 0, 0, 0, 0, 0, 0, 0] * POSITIONS)
    write_npy(folder / "act.npy", (1, POSITIONS, 64), values)
    problem = f"dgrad n=1 c=64 w={POSITIONS} k=8 s=1 type={kind} epilogue={name}"
    inputs = [folder / "dy.npy", "ones", folder / "act.npy"]
    function = DERIVATIVES[name]
    return check(problem, lambda x: function(within(x)), values, setup, inputs, out)


def main():
    tool, device, engine, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    setup = tool, device, engine, folder
    passed = []
    for out in BOUNDS:
        passed += [check_activation(name, setup, out) for name in ACTIVATIONS]
        passed += [check_derivative(name, setup, out) for name in DERIVATIVES]
    print(f"{engine}: {sum(passed)} of {len(passed)} functions within their bounds")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
