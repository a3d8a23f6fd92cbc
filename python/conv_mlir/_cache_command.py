"""python -m conv_mlir cache: what is kept on disk, how much it is, and clearing it."""

import argparse
import os
import time

from ._environment import Environment
from ._library import Error
from ._measurements import measurements_of
from .cache import Cache, default_bytes, default_directory

DESCRIPTION = """Plans that are kept on disk (docs/Cache.md). Without an action: how
many there are."""


def main(arguments):
    parser = argparse.ArgumentParser("python -m conv_mlir cache", description=DESCRIPTION)
    parser.add_argument("action", nargs="?", choices=["list", "clear"])
    parser.add_argument(
        "--directory",
        help="by default CONV_MLIR_CACHE_DIR, else below XDG_CACHE_HOME or ~/.cache",
    )
    given = parser.parse_args(arguments)
    directory = given.directory or find_directory()
    if given.action == "clear":
        cache = _open(directory)
        files, size = cache.clear() if cache else (0, 0)
        measured = measurements_of(cache).clear() if cache else 0
        print(f"removed {_count(files)}, {_size(size)}{_and_measured(measured)}")
        return 0
    if given.action == "list":
        _print_table(_entries(directory))
    print(summarise(directory))
    return 0


def find_directory():
    """Where plans are where no other folder is named."""
    directory = Environment.read().cache_directory or default_directory()
    if not directory:
        raise Error("there is no home folder: expected one in CONV_MLIR_CACHE_DIR")
    return directory


def summarise(directory):
    """How many plans a folder has, and their bytes."""
    entries = _entries(directory)
    size = sum(entry.bytes for entry in entries)
    limit = _size(default_bytes())
    cache = _open(directory)
    measured = _and_measured(len(measurements_of(cache)) if cache else 0)
    return f"{directory}: {_count(len(entries))}, {_size(size)} of at most {limit}{measured}"


def _and_measured(number):
    """How many measurements there are beside plans; nothing where there are none."""
    words = "1 measurement" if number == 1 else f"{number} measurements"
    return f", and {words}" if number else ""


def _open(directory):
    """None where there is no such folder: a look makes none."""
    limit = default_bytes()
    return Cache(directory, max_bytes=limit) if os.path.lexists(directory) else None


def _entries(directory):
    cache = _open(directory)
    return cache.entries() if cache else []


def _count(number):
    return f"{number} plan" if number == 1 else f"{number} plans"


def _size(number):
    """"12.3 MiB": three digits, as people read them."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024


def _print_table(entries):
    if entries:
        print(f"{'bytes':>10}  {'last used':16}  {'target':7}  plan")
    for entry in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
        target = entry.key.get("target", "")
        print(f"{entry.bytes:10}  {used}  {target:7}  {_name(entry)}")


def _name(entry):
    """What a plan is of, and what was asked for beside it."""
    key = entry.key
    if not key:
        return f"damaged: {entry.file}"
    name = key.get("problem") or f"@{key['entry']} of {key['module']}".replace("@ of ", "")
    schedule = key.get("schedule")
    return f"{name} ({schedule})" if schedule else name
