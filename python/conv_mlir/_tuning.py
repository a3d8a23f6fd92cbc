"""Tuning records: where they are, what is worth timing, and adding to them."""

import pathlib
from ctypes import byref, c_void_p

from ._environment import Environment
from ._library import Error, encode, library, take


def find_tuning_file():
    """The user's tuning file: that of CONV_MLIR_TUNING, or the one in the default
    place; None where there is none."""
    environment = Environment.read()
    if environment.tuning_file:
        return environment.tuning_file
    folder = environment.config_home
    if not folder.startswith("/"):
        if not environment.home:
            return None
        folder = f"{environment.home}/.config"
    path = pathlib.Path(folder, "conv-mlir", "tuning.json")
    return str(path) if path.exists() else None


def candidate_schedules(problem, target, count, multiprocessors=0):
    """Up to `count` schedules, at least 1, of a problem line that are worth timing on
    a target, on a device with so many multiprocessors (0: those of the target); the
    first is what is chosen without records."""
    if count < 1:
        raise Error(f"count: expected at least 1, got {count}")
    text = c_void_p()
    library().candidate_schedules_on(
        encode(problem), encode(target), multiprocessors, count, byref(text)
    )
    return take(text).splitlines()


def add_tuning_record(
    path, problem, target, schedule, device, median_us, multiprocessors=0
):
    """Adds what was measured to a tuning file, in the place of an older record of
    that problem, target, device and number of multiprocessors (0: those of the
    target). The schedule must be one that can run; a file
    that is absent is created, with its folder."""
    library().add_tuning_record_on(
        *map(encode, (path, problem, target)),
        multiprocessors,
        *map(encode, (schedule, device)),
        median_us,
    )
