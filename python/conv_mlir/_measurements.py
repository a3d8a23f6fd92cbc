"""Measurements that are kept: in memory, and on disk beside the plans.

Input: a key, a dictionary with everything that a measurement depends on. Output:
the Measurement, where one is kept. A file has one of them, with its whole key and a
checksum; it appears complete or not at all. What is damaged counts as absent, and
is replaced. What goes wrong with the disk is one warning.
"""

import hashlib
import json
import os
import pathlib
import tempfile
import threading
import time
import warnings
from typing import NamedTuple

FORMAT = "conv-mlir-measurement 1"
# The share of a cache's bytes that measurements may have.
SHARE = 64
# Those in memory.
KNOWN = 4096
# Writes between two looks at how much there is.
WRITES = 64
# What a killed writer left is removed by then.
OLD_SECONDS = 3600


class Measurement(NamedTuple):
    """Our fastest schedule ("": what the compiler chooses), its microseconds, and
    PyTorch's."""

    schedule: str
    ours_us: float
    theirs_us: float


class Measurements:
    """Those of a folder, at most `max_bytes`; without a folder, of this process."""

    def __init__(self, folder, max_bytes):
        self._folder = pathlib.Path(folder) if folder and max_bytes > 0 else None
        self._max_bytes = max_bytes
        self._known = {}
        self._writes = 0
        self._has_warned = False
        self._lock = threading.Lock()

    def find(self, key):
        """The Measurement, or None."""
        text = _text(key)
        with self._lock:
            if text in self._known:
                return self._known[text]
        found = self._read(text)
        if found:
            self._know(text, found)
        return found

    def add(self, key, measurement, on_disk=True):
        text = _text(key)
        self._know(text, measurement)
        if not on_disk or not self._folder:
            return
        try:
            self._write(text, measurement)
        except OSError as error:
            self._warn(f"measurements are not kept on disk: {error}")

    def clear(self):
        """Removes all; returns how many files are gone."""
        with self._lock:
            self._known.clear()
        files = self._files()
        for file in files:
            file.unlink(missing_ok=True)
        return len(files)

    def __len__(self):
        return len(self._files())

    def _know(self, text, measurement):
        with self._lock:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[text] = measurement

    def _files(self):
        try:
            return list(self._folder.glob("*.json")) if self._folder else []
        except OSError:
            return []

    def _path(self, text):
        return self._folder / f"{_digest(text)}.json"

    def _read(self, text):
        if not self._folder:
            return None
        try:
            data = self._path(text).read_bytes()
        except OSError:
            return None
        found = _parse(data, text)
        if found is None:
            self._warn(f"{self._path(text)} is damaged: what it had is measured again")
        return found

    def _write(self, text, measurement):
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".new")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_format(text, measurement))
            os.replace(name, self._path(text))
        except BaseException:
            pathlib.Path(name).unlink(missing_ok=True)
            raise
        with self._lock:
            is_due = self._writes % WRITES == 0
            self._writes += 1
        if is_due:
            self._shrink()

    def _shrink(self):
        """Removes the oldest, until the others fit."""
        now = time.time()
        kept = 0
        for age, size, file in sorted(_sizes(self._folder, now)):
            kept += size
            is_left_over = file.suffix == ".new" and age > OLD_SECONDS
            if is_left_over or (kept > self._max_bytes and file.suffix == ".json"):
                file.unlink(missing_ok=True)

    def _warn(self, message):
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(message, stacklevel=4)


def measurements_of(cache):
    """Those that are kept in the folder of a cache."""
    folder = pathlib.Path(cache.directory, "measurements") if cache.directory else None
    return Measurements(folder, cache.max_bytes // SHARE)


def _sizes(folder, now):
    """(age, bytes, path) of the files of a folder; others may remove some."""
    for file in folder.iterdir():
        try:
            status = file.stat()
        except OSError:
            continue
        yield now - status.st_mtime, status.st_size, file


def _text(key):
    return json.dumps(key, sort_keys=True)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _format(text, measurement):
    body = json.dumps([FORMAT, text, list(measurement)])
    return f"{_digest(body)}\n{body}\n".encode()


def _parse(data, text):
    """The Measurement of a file's bytes; None where it is not that of the key."""
    try:
        digest, body = data.decode().splitlines()
        if digest != _digest(body):
            return None
        form, key, values = json.loads(body)
        found = Measurement(*values)
    except (ValueError, TypeError):
        return None
    return found if (form, key) == (FORMAT, text) else None
