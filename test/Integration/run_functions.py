"""exp, tanh and erf on a device, number by number, against the host's libm.

    run_functions.py CONV_RUN DEVICE MODULE FOLDER

The bounds are those of lib/Conversion/KernelToNVVM/FloatFunctions.h.
"""

import math
import pathlib
import struct
import subprocess
import sys

COUNT = 8192
UNIT = 2.0**-23


def round_f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def numbers():
    """Both signs, all magnitudes from 2^-30 to 2^7, and what is special."""
    half = COUNT // 2 - 4
    values = [round_f32(2.0 ** (-30 + 37.0 * i / half)) for i in range(half)]
    values += [-value for value in values]
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 88.72, -87.4, 89.0]
    return values + [round_f32(value) for value in special]


def write_npy(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{COUNT}f", data[begin:])


def exp(x):
    return math.exp(x) if x < 700 else math.inf


# Of each result: the function, and the largest error of its result y at x. The
# device's exp2 is good to two units, the emulator's to one. Results below 2^-126
# may be zero.
RESULTS = (
    ("exp", exp, lambda x, y: 5 * UNIT * y + 2.0**-126),
    ("tanh", math.tanh, lambda x, y: 4 * UNIT * abs(y)),
    ("erf", math.erf, lambda x, y: min(1.5e-7, 8 * UNIT * abs(y))),
    ("exp, afn", exp, lambda x, y: (5 + abs(x) / 2) * UNIT * y + 2.0**-126),
    ("erf, afn", math.erf, lambda x, y: 2.5e-7),
)


def error_of(result, expected):
    if math.isnan(expected) or math.isinf(expected) or abs(expected) >= 2.0**128:
        rounded = math.inf if expected >= 2.0**128 else expected
        same = result == rounded or (math.isnan(result) and math.isnan(expected))
        return 0 if same else math.inf
    return abs(result - expected) if math.isfinite(result) else math.inf


def main():
    tool, device, module, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    values = numbers()
    write_npy(folder / "x.npy", values)
    command = [tool, module, f"--device={device}", f"--input={folder}/x.npy"]
    command += [f"--output={folder}/{i}.npy" for i in range(len(RESULTS))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    failed = 0
    for i, (name, function, bound) in enumerate(RESULTS):
        worst = 0
        for x, y in zip(values, read_npy(folder / f"{i}.npy")):
            expected = function(x)
            error = error_of(y, expected)
            if error > 0:
                limit = bound(x, expected)
                worst = max(worst, error / limit)
                if error > limit and failed < 5:
                    print(f"{name}({x!r}) is {y!r}, expected {expected!r}")
                failed += error > limit
        print(f"{name}: the largest error is {worst:.2f} of what is allowed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
