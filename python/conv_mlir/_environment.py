"""Every environment variable that the package reads."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Environment:
    library: str  # CONV_MLIR_LIBRARY: the path of libconv-mlir.so.
    cuda_home: str  # CUDA_HOME: a CUDA toolkit.
    search_path: str  # PATH: where ptxas is looked for.
    tuning_file: str  # CONV_MLIR_TUNING: the user's tuning file.
    config_home: str  # XDG_CONFIG_HOME: where it is by default,
    home: str  # HOME: or else below ~/.config.
    cache_directory: str  # CONV_MLIR_CACHE_DIR: plans that are kept.
    cache_home: str  # XDG_CACHE_HOME: where they are by default, or ~/.cache.
    cache_bytes: str  # CONV_MLIR_CACHE_BYTES: how many bytes of them.

    @staticmethod
    def read():
        names = ("CONV_MLIR_LIBRARY", "CUDA_HOME", "PATH")
        names += ("CONV_MLIR_TUNING", "XDG_CONFIG_HOME", "HOME")
        names += ("CONV_MLIR_CACHE_DIR", "XDG_CACHE_HOME", "CONV_MLIR_CACHE_BYTES")
        return Environment(*(os.environ.get(name, "") for name in names))
