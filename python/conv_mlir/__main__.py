"""python -m conv_mlir: compiles a problem line, shows what works here.

    python -m conv_mlir PROBLEM -o PATH    compiles one problem line into a plan file
    python -m conv_mlir demo               a picture through two layers
    python -m conv_mlir doctor             what is found here, and what is missing
    python -m conv_mlir cache              plans that are kept on disk
    python -m conv_mlir onnx MODEL.onnx    an ONNX model as a module for conv-run

Each command has --help.
"""

import importlib
import sys

from . import Error

# A command's module has main(ARGUMENTS), which returns an exit status.
COMMANDS = {
    "cache": "_cache_command",
    "demo": "_demo",
    "doctor": "_doctor",
    "onnx": "_onnx_command",
}
DEFAULT = "_compile"


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments == ["--help"] or arguments == ["-h"]:
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    name = COMMANDS.get(arguments[0])
    module = importlib.import_module(f".{name or DEFAULT}", __package__)
    try:
        return module.main(arguments[1:] if name else arguments)
    except Error as error:
        print(f"conv_mlir: error: {error}", file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
