"""A picture through two layers, on the GPU or on the emulator.

The first layer keeps the picture, blurs it, and takes gradients of its brightness in
four directions; the second lays the blurred picture down as a wash and draws
the gradients over it in ink. Both are one plan, which is compiled, run and compared
with the definition. Writes picture.png and drawing.png.
"""

import argparse
import array
import math
import pathlib
import struct
import subprocess
import tempfile
import zlib

from . import Error
from ._tools import environment, find_tool

HEIGHT, WIDTH, CHANNELS = 120, 160, 16

GAUSS = [[1 / 16, 2 / 16, 1 / 16], [2 / 16, 4 / 16, 2 / 16], [1 / 16, 2 / 16, 1 / 16]]
SOBEL = [[-0.25, 0, 0.25], [-0.5, 0, 0.5], [-0.25, 0, 0.25]]
DIAGONAL = [[-0.5, -0.25, 0], [-0.25, 0, 0.25], [0, 0.25, 0.5]]
BRIGHTNESS = [0.30, 0.59, 0.11]

MODULE = """
#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>
#parallel = ["parallel", "parallel", "parallel", "parallel"]
func.func @picture(%x: tensor<1xHxWx3xbf16>, %w1: tensor<16x3x3x3xbf16>,
                   %w2: tensor<3x3x3x16xbf16>, %b2: tensor<3xf32>) -> tensor<1xHxWx3xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1xHxWx16xf32>
  %c1 = conv.forward ins(%x, %w1 : tensor<1xHxWx3xbf16>, tensor<16x3x3x3xbf16>)
                     outs(%e1 : tensor<1xHxWx16xf32>) pad [1, 1] -> tensor<1xHxWx16xf32>
  %h0 = tensor.empty() : tensor<1xHxWx16xbf16>
  %h = linalg.generic {indexing_maps = [#element, #element], iterator_types = #parallel}
      ins(%c1 : tensor<1xHxWx16xf32>) outs(%h0 : tensor<1xHxWx16xbf16>) {
  ^bb0(%sum: f32, %out: bf16):
    %positive = arith.maximumf %sum, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<1xHxWx16xbf16>
  %e2 = tensor.empty() : tensor<1xHxWx3xf32>
  %c2 = conv.forward ins(%h, %w2 : tensor<1xHxWx16xbf16>, tensor<3x3x3x16xbf16>)
                     outs(%e2 : tensor<1xHxWx3xf32>) pad [1, 1] -> tensor<1xHxWx3xf32>
  %y0 = tensor.empty() : tensor<1xHxWx3xf32>
  %y = linalg.generic {indexing_maps = [#element, #channel, #element], iterator_types = #parallel}
      ins(%c2, %b2 : tensor<1xHxWx3xf32>, tensor<3xf32>) outs(%y0 : tensor<1xHxWx3xf32>) {
  ^bb0(%sum: f32, %bias: f32, %out: f32):
    %biased = arith.addf %sum, %bias : f32
    linalg.yield %biased : f32
  } -> tensor<1xHxWx3xf32>
  return %y : tensor<1xHxWx3xf32>
}
"""


def draw_scene():
    """[H, W, 3], 0 black to 1 white: a sun over two hills."""
    pixels = array.array("f")
    for h in range(HEIGHT):
        for w in range(WIDTH):
            y, x = h / HEIGHT, w / WIDTH
            colour = (0.45 + 0.4 * y, 0.65 + 0.2 * y, 0.95)
            if math.hypot(x - 0.72, (y - 0.28) * HEIGHT / WIDTH) < 0.1:
                colour = (1.0, 0.85, 0.3)
            if y > 0.62 + 0.14 * math.sin(6 * x):
                colour = (0.3, 0.55 + 0.1 * math.sin(40 * x), 0.25)
            if y > 0.8 - 0.12 * math.sin(5 * x + 1):
                colour = (0.2, 0.4, 0.2)
            pixels.extend(colour)
    return pixels


def first_weights():
    """w1 [K=16, R, S, C=3]; a gradient takes two channels, one for each sign."""
    weights = array.array("f", bytes(4 * CHANNELS * 27))

    def at(k, r, s, c):
        return ((k * 3 + r) * 3 + s) * 3 + c

    mirrored = [row[::-1] for row in DIAGONAL]
    transposed = [list(row) for row in zip(*SOBEL)]
    for r in range(3):
        for s in range(3):
            for c in range(3):
                weights[at(c, r, s, c)] = float((r, s) == (1, 1))
                weights[at(3 + c, r, s, c)] = GAUSS[r][s]
                for i, taps in enumerate((SOBEL, transposed, DIAGONAL, mirrored)):
                    value = taps[r][s] * BRIGHTNESS[c]
                    weights[at(6 + 2 * i, r, s, c)] = value
                    weights[at(7 + 2 * i, r, s, c)] = -value
    return weights


def second_weights():
    """w2 [K=3, R, S, C=16]."""
    weights = array.array("f", bytes(4 * CHANNELS * 27))
    for k in range(3):
        for r in range(3):
            for s in range(3):
                first = ((k * 3 + r) * 3 + s) * CHANNELS
                weights[first + k] = 0.25 * ((r, s) == (1, 1))
                weights[first + 3 + k] = 0.65 * GAUSS[r][s]
                for edge in range(6, 14):
                    weights[first + edge] = -0.6 * GAUSS[r][s]
    return weights


def write_npy(path, values, shape):
    """Format 1.0 of NumPy's files, f32."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(64 * ((len(header) + 74) // 64) - 11) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    path.write_bytes(head + header.encode() + values.tobytes())


def read_npy(path):
    data = path.read_bytes()
    values = array.array("f")
    values.frombytes(data[10 + struct.unpack_from("<H", data, 8)[0] :])
    return values


def write_png(path, pixels):
    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    levels = bytes(int(min(max(v, 0.0), 1.0) * 255 + 0.5) for v in pixels)
    rows = b"".join(
        b"\0" + levels[3 * WIDTH * h : 3 * WIDTH * (h + 1)] for h in range(HEIGHT)
    )
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )
    print(f"wrote {path}", flush=True)


def run(folder, device):
    """The drawing, by conv-run on files in `folder`."""
    module = MODULE.replace("HxW", f"{HEIGHT}x{WIDTH}")
    (folder / "picture.mlir").write_text(module)
    scene = draw_scene()
    inputs = {
        "x": (scene, (1, HEIGHT, WIDTH, 3)),
        "w1": (first_weights(), (CHANNELS, 3, 3, 3)),
        "w2": (second_weights(), (3, 3, 3, CHANNELS)),
        "b2": (array.array("f", [0.18] * 3), (3,)),
    }
    command = [str(find_tool("conv-run")), "picture.mlir", f"--device={device}"]
    for name, (values, shape) in inputs.items():
        write_npy(folder / f"{name}.npy", values, shape)
        command.append(f"--input={name}.npy")
    command += ["--output=y.npy", "--verify"]
    print("$ conv-run " + " ".join(command[1:]), flush=True)
    status = subprocess.run(command, cwd=folder, env=environment()).returncode
    if status != 0:
        raise Error(f"conv-run ended with status {status}", max(status, 1))
    return scene, read_npy(folder / "y.npy")


def main(arguments):
    parser = argparse.ArgumentParser(
        "python -m conv_mlir demo", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--device", default="auto", help="auto, emulator or cuda[:N]")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER"
    )
    options = parser.parse_args(arguments)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"--output={options.output}: {error.strerror}") from None
    with tempfile.TemporaryDirectory() as folder:
        scene, drawing = run(pathlib.Path(folder), options.device)
    write_png(options.output / "picture.png", scene)
    write_png(options.output / "drawing.png", drawing)
    return 0
