"""What pyproject.toml cannot say: the version of the project, and that one wheel
serves every Python 3 on x86-64 Linux. The library is loaded by ctypes, so it
has no Python ABI."""

import os
import pathlib
import re

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent


def read_version():
    """CONV_MLIR_VERSION (scripts/package.sh sets it), else that of a checkout."""
    if "CONV_MLIR_VERSION" in os.environ:
        return os.environ["CONV_MLIR_VERSION"]
    text = (HERE.parent / "CMakeLists.txt").read_text()
    return re.search(r"project\(conv-mlir VERSION ([0-9.]+)", text)[1]


class NativeDistribution(Distribution):
    def has_ext_modules(self):
        return True  # Files are installed where those of the platform go.


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("CONV_MLIR_PLATFORM", "linux_x86_64")


setup(
    version=read_version(),
    distclass=NativeDistribution,
    cmdclass={"bdist_wheel": Wheel},
)
