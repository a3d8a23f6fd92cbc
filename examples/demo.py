#!/usr/bin/env python3
"""A photograph through two convolutions, to look at.

The photograph that scikit-learn ships goes through examples/conv_block.mlir with
weights written by hand: the first layer keeps the colours, blurs them and takes
gradients of the brightness in four directions; the second lays the blurred
colours down as a wash and draws the gradients over it in ink. Then one layer of
ResNet-50 is measured.

Input: conv-run on PATH or --conv-run. Output: photo.png and drawing.png in
--output, and the .npy files that went in and came out. Exit status: conv-run's.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_image

BLOCK = pathlib.Path(__file__).resolve().parent / "conv_block.mlir"
LAYER = "forward n=1 c=64 h=56 w=56 k=64 r=3 s=3 pad=1 type=bf16"

BRIGHTNESS = np.array([0.30, 0.59, 0.11])
GAUSS = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 4
DIAGONAL = np.array([[-2, -1, 0], [-1, 0, 1], [0, 1, 2]]) / 4
GRADIENTS = [SOBEL, SOBEL.T, DIAGONAL, np.fliplr(DIAGONAL)]

# Channels between the layers.
COLOURS, BLURRED, EDGES = slice(0, 3), slice(3, 6), slice(6, 14)


def first_layer():
    """w1 [K=16, R, S, C=3] and b1; relu follows, so a gradient takes a pair of
    channels, one per sign."""
    w, b = np.zeros((16, 3, 3, 3)), np.zeros(16)
    for c in range(3):
        w[COLOURS.start + c, 1, 1, c] = 1
        w[BLURRED.start + c, :, :, c] = GAUSS
    for i, gradient in enumerate(GRADIENTS):
        for j, sign in enumerate((1, -1)):
            w[EDGES.start + 2 * i + j] = sign * gradient[:, :, None] * BRIGHTNESS
    return w, b


def second_layer():
    """w2 [K=3, R, S, C=16] and b2."""
    w, b = np.zeros((3, 3, 3, 16)), np.full(3, 0.18)
    for k in range(3):
        w[k, 1, 1, COLOURS.start + k] = 0.25
        w[k, :, :, BLURRED.start + k] = 0.65 * GAUSS
        w[k, :, :, EDGES] = -0.6 * GAUSS[:, :, None]
    return w, b


def save(path, array):
    np.save(path, np.ascontiguousarray(array, dtype=np.float32))
    return str(path)


def write_png(path, image):
    """`image` [H, W, 3], 0 black to 1 white."""
    assert np.isfinite(image).all(), f"{path}: the result holds NaN or infinity"
    Image.fromarray((np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)).save(path)
    print(f"wrote {path}", flush=True)


def run(command):
    """conv-run with its own output; ends the demo where it fails."""
    print("\n$ " + " ".join(f'"{c}"' if " " in c else c for c in command), flush=True)
    status = subprocess.run(command).returncode
    if status != 0:
        print(f"error: {command[0]} ended with status {status}", file=sys.stderr)
        sys.exit(abs(status))


def draw(conv_run, folder):
    photo = load_sample_image("china.jpg") / 255.0
    write_png(folder / "photo.png", photo)
    inputs = [save(folder / "photo.npy", photo[None])]
    for number, (weights, bias) in enumerate((first_layer(), second_layer()), 1):
        inputs.append(save(folder / f"w{number}.npy", weights))
        inputs.append(save(folder / f"b{number}.npy", bias))
    result = folder / "drawing.npy"
    command = [conv_run, str(BLOCK), *(f"--input={path}" for path in inputs)]
    run(command + [f"--output={result}", "--verify"])
    write_png(folder / "drawing.png", np.load(result)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--conv-run", default="conv-run", metavar="PATH")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("demo"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    draw(arguments.conv_run, arguments.output)
    run([arguments.conv_run, f"--problem={LAYER}", "--verify", "--benchmark"])


if __name__ == "__main__":
    main()
