"""Plans that are compiled once: in memory, and on disk (docs/Cache.md).

    cache = conv_mlir.Cache()
    plan = cache.plan("forward n=8 c=64 h=56 w=56 k=64 r=3 s=3 pad=1")

The first call compiles and writes a file. Later ones find the plan in memory, and
other processes find the file. What goes wrong with the disk is a warning, and the
plan is compiled.
"""

import json
import threading
import warnings
import weakref
from collections import OrderedDict
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Dict

from ._environment import Environment
from ._library import CCacheCounts, Error, encode, library, take
from ._options import ModuleOptions, Options
from ._plan import Plan, compile, compile_module
from ._ptxas import find_ptxas

DEFAULT_BYTES = 1 << 30


@dataclass(frozen=True)
class Stats:
    """What a cache did since it was opened."""

    plans: int  # That are in memory now.
    memory_hits: int  # Found in memory;
    hits: int  # found on disk;
    misses: int  # compiled;
    rebuilt: int  # compiled, as the file was damaged.
    unsaved: int  # Plans that could not be written.
    removed: int  # Files that were more than the limit allows.


@dataclass(frozen=True)
class Entry:
    """A file of the cache."""

    file: str
    bytes: int
    used: float  # Last; seconds since 1970.
    key: Dict[str, str]  # What it is the plan of; empty for a damaged file.


def default_directory():
    """Where plans are by default: below XDG_CACHE_HOME or ~/.cache; "" where there
    is no home folder."""
    environment = Environment.read()
    # The specification of XDG_CACHE_HOME ignores relative paths.
    if environment.cache_home.startswith("/"):
        return f"{environment.cache_home}/conv-mlir"
    return f"{environment.home}/.cache/conv-mlir" if environment.home else ""


def default_bytes():
    """The limit of CONV_MLIR_CACHE_BYTES, or 1 GiB."""
    text = Environment.read().cache_bytes
    if not text:
        return DEFAULT_BYTES
    if not (text.isascii() and text.isdigit()) or int(text) >= 1 << 63:
        raise Error(
            "CONV_MLIR_CACHE_BYTES: expected a whole number of at least 0, got "
            f"{text!r}"
        )
    return int(text)


class Cache:
    """Plans that are compiled once.

    directory: where files are; by default that of CONV_MLIR_CACHE_DIR, else below
    XDG_CACHE_HOME or ~/.cache; "": in memory only. A folder that is named and
    cannot be made is an error; the default one is a warning, and plans are in
    memory only.
    max_bytes: of all files; the least recently used ones go first. By default that
    of CONV_MLIR_CACHE_BYTES, else 1 GiB.
    max_plans: in memory; the least recently used ones go first, but none whose
    code is on a device, which a captured graph may still launch.
    Where ptxas is by default is found once.

    Threads may use one cache at the same time.
    """

    def __init__(self, directory=None, *, max_bytes=None, max_plans=512):
        if max_plans < 0:
            raise Error(f"max_plans: expected at least 0, got {max_plans}")
        self.max_bytes = default_bytes() if max_bytes is None else max_bytes
        if not 0 <= self.max_bytes < 1 << 63:
            raise Error(
                f"max_bytes: expected 0 to {(1 << 63) - 1}, got {self.max_bytes}"
            )
        self.max_plans = max_plans
        self._plans = OrderedDict()
        self._ptxas = None
        self._memory_hits = self._compiled = 0
        self._lock = threading.Lock()
        self._open(directory)

    def plan(self, problem, **options):
        """The plan that compile(problem, **options) gives. What is in memory is
        taken as it is, whatever has changed of tuning files and of the
        environment since."""
        key = _key(problem, options)
        return self._in_memory(key) or self._keep(key, self._make(problem, options))

    def module(self, text, **options):
        """The plan that compile_module(text, **options) gives."""
        key = _key(text, options, "module")
        return self._in_memory(key) or self._keep(
            key, self._make_of_module(text, options)
        )

    def find(self, problem, **options):
        """The plan, if it is in memory or on disk; None: it must be compiled."""

        def look(handle):
            meaning = self._meaning(Options, options)
            arguments = (self._handle, encode(problem), byref(meaning))
            library().cache_find_problem(*arguments, handle)

        return self._find(_key(problem, options), look)

    def find_module(self, text, **options):
        """The same of a module."""

        def look(handle):
            library().cache_find_module(*self._of_module(text, options), handle)

        return self._find(_key(text, options, "module"), look)

    def _find(self, key, look):
        """look(handle) fills the handle in, if the plan is on disk."""
        plan = self._in_memory(key)
        if plan or not self.directory:
            return plan
        handle = c_void_p()
        look(byref(handle))
        return self._keep(key, Plan(handle)) if handle else None

    def remember(self, problem, plan, **options):
        """Puts a plan that was made elsewhere (by another process) into memory."""
        return self._keep(_key(problem, options), plan)

    def forget(self):
        """Empties the memory: what has changed since counts from now on."""
        with self._lock:
            self._plans.clear()

    def entries(self):
        """The files, the most recently used first."""
        if not self.directory:
            return []
        text = c_void_p()
        library().cache_list(self._handle, byref(text))
        return [
            Entry(e["file"], e["bytes"], e["used"], _parse_key(e["key"]))
            for e in json.loads(take(text))
        ]

    def clear(self):
        """Removes all files, and forgets what is in memory. Returns how many files
        and bytes are gone."""
        self.forget()
        files, size = c_int64(), c_int64()
        if self.directory:
            library().cache_clear(self._handle, byref(files), byref(size))
        return files.value, size.value

    def stats(self):
        counts = CCacheCounts()
        if self.directory:
            library().cache_count(self._handle, byref(counts))
        return Stats(
            plans=len(self._plans),
            memory_hits=self._memory_hits,
            hits=counts.hits,
            misses=counts.misses + self._compiled,
            rebuilt=counts.rebuilt,
            unsaved=counts.unsaved,
            removed=counts.removed,
        )

    def _open(self, directory):
        named = Environment.read().cache_directory if directory is None else directory
        is_default = directory is None and not named
        self.directory = str(default_directory() if is_default else named)
        self._handle = c_void_p()
        if not self.directory:
            if is_default:
                _warn("there is no home folder: plans are kept in memory only")
            return
        try:
            library().cache_open(
                encode(self.directory), self.max_bytes, byref(self._handle)
            )
        except Error as error:
            if not is_default:
                raise
            _warn(f"{error}: plans are kept in memory only")
            self.directory = ""
            return
        self._finalizer = weakref.finalize(
            self, library().cache_destroy, self._handle
        )

    def _make(self, problem, options):
        if not self.directory:
            self._compiled += 1
            return compile(problem, **options)
        handle = c_void_p()
        library().cache_problem(
            self._handle,
            encode(problem),
            byref(self._meaning(Options, options)),
            byref(handle),
            None,
        )
        return Plan(handle)

    def _make_of_module(self, text, options):
        if not self.directory:
            self._compiled += 1
            return compile_module(text, **options)
        handle = c_void_p()
        library().cache_module(*self._of_module(text, options), byref(handle), None)
        return Plan(handle)

    def _of_module(self, text, options):
        """The arguments of the library's functions that take a module."""
        name = options.get("name", "module")
        options = {key: value for key, value in options.items() if key != "name"}
        data = text if isinstance(text, bytes) else text.encode()
        meaning = self._meaning(ModuleOptions, options)
        return self._handle, data, len(data), encode(name), byref(meaning)

    def _meaning(self, kind, options):
        """What the options mean here and now, for the library."""
        if options.get("ptxas") is None:
            if self._ptxas is None:
                self._ptxas = find_ptxas() or ""
            options = {**options, "ptxas": self._ptxas}
        return kind(**options).to_c()

    def _in_memory(self, key):
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
                self._memory_hits += 1
            return plan

    def _keep(self, key, plan):
        """The plan, or the one that another thread has put there meanwhile."""
        with self._lock:
            plan = self._plans.setdefault(key, plan)
            self._plans.move_to_end(key)
            surplus = len(self._plans) - self.max_plans
            if surplus > 0:
                idle = (k for k, p in self._plans.items() if not p.is_loaded)
                for oldest in [k for k, _ in zip(idle, range(surplus))]:
                    del self._plans[oldest]
            return plan

    def __repr__(self):
        return f"<conv_mlir.Cache in '{self.directory or 'memory'}'>"


def _key(source, options, kind="problem"):
    return (kind, source, frozenset(options.items()))


def _parse_key(text):
    """"problem forward …" lines as a dictionary."""
    return dict(line.partition(" ")[::2] for line in text.splitlines())


def _warn(message):
    warnings.warn(message, stacklevel=4)
