"""The tools that a wheel brings, as console scripts.

    conv-run, conv-launch, …      native/bin/conv-run, … with the same arguments
"""

import os
import pathlib
import sys

from ._library import Error
from ._ptxas import folders_in_packages


def find_tool(name):
    """The path of a tool: beside the library of a wheel, a bundle or the newest
    build of a checkout."""
    package = pathlib.Path(__file__).resolve().parent
    root = package.parents[1]
    for folder in (package / "native/bin", root / "bin"):
        if (folder / name).exists():
            return folder / name
    built = sorted(root.glob(f"build/*/bin/{name}"), key=lambda p: p.stat().st_mtime)
    if built:
        return built[-1]
    raise Error(
        f"no {name}: expected it in {package}/native/bin, {root}/bin or "
        f"{root}/build/*/bin"
    )


def environment():
    """The environment of a tool: ptxas of Python packages is found, too, after
    the folders of PATH."""
    folders = [os.environ.get("PATH", ""), *folders_in_packages()]
    return {**os.environ, "PATH": os.pathsep.join(filter(None, folders))}


def _become(name):
    try:
        path = find_tool(name)
        os.execve(path, [name, *sys.argv[1:]], environment())
    except Error as error:
        sys.exit(f"{name}: error: {error}")
    except OSError as error:
        sys.exit(f"{name}: error: {path} cannot be started: {error.strerror}")


def conv_run():
    _become("conv-run")


def conv_opt():
    _become("conv-opt")


def conv_emulate():
    _become("conv-emulate")


def conv_launch():
    _become("conv-launch")


def conv_reduce():
    _become("conv-reduce")
