"""Lets the tests find the library of the build that is tested
(CONV_MLIR_BUILD_DIR, set by scripts/test.sh), the benchmarks and the scripts."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("python", "benchmarks", "scripts")]

# Tuning records of the user would change what is compiled.
os.environ.pop("CONV_MLIR_TUNING", None)
os.environ["XDG_CONFIG_HOME"] = "/nowhere"
# So would plans of the user.
os.environ.pop("CONV_MLIR_CACHE_DIR", None)
os.environ.pop("CONV_MLIR_CACHE_BYTES", None)
os.environ["XDG_CACHE_HOME"] = "/proc/nowhere"

if "CONV_MLIR_BUILD_DIR" in os.environ:
    library = pathlib.Path(os.environ["CONV_MLIR_BUILD_DIR"]) / "lib/libconv-mlir.so"
    os.environ.setdefault("CONV_MLIR_LIBRARY", str(library))


def pytest_addoption(parser):
    parser.addoption(
        "--all-samples",
        action="store_true",
        help="every sample that PyTorch has of convolutions, not a few of each kind",
    )
