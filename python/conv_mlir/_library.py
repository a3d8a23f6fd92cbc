"""libconv-mlir.so: where it is, what its functions take, and its errors.

Structures and prototypes are those of include/conv-c; ctypes lets other threads
run during every call.
"""

import ctypes
import pathlib
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64
from ctypes import c_size_t, c_void_p

from ._environment import Environment

NAME = "libconv-mlir.so"


class Error(Exception):
    """A call failed. `status` is that of conv-run: 2 for bad input, 3 for a
    device that failed, 4 for a fault of the library."""

    def __init__(self, message, status=2):
        super().__init__(message)
        self.status = status


class Sized(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(type(self)), **values)


class CProblem(Sized):
    _fields_ = (
        [("size", c_size_t), ("op", c_int32), ("spatial_rank", c_int32)]
        + [(name, c_int64) for name in ("n", "c", "k", "groups")]
        + [
            (name, c_int64 * 3)
            for name in (
                ("input", "filter", "output", "stride", "pad_low", "pad_high")
                + ("dilation", "input_dilation")
            )
        ]
        + [("type", c_char_p), ("out_type", c_char_p)]
        + [(n, c_int32) for n in ("channels_last", "bias", "residual", "relu", "accumulate", "flip")]
        + [("flops", c_int64), ("least_bytes", c_int64), ("tolerance", c_double)]
        + [("scale", c_int32), ("activation", c_char_p)]
        + [("clip_low", c_double), ("clip_high", c_double), ("derivative", c_int32)]
        + [("bias_gradient", c_int32), ("bias_type", c_char_p)]
    )


class CPlanInfo(Sized):
    _fields_ = (
        [("size", c_size_t)]
        + [(name, c_char_p) for name in ("target", "problem", "entry", "schedule")]
        + [("precision", c_char_p), ("operand_type", c_char_p)]
        + [(n, c_int32) for n in ("deterministic", "arguments", "operands", "launches")]
        + [("compile_ms", c_double)]
        + [(name, c_int64) for name in ("workspace_bytes", "flops", "least_bytes")]
        + [("order", c_char_p), ("remarks", c_char_p), ("multiprocessors", c_int64)]
    )


class COperand(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("type", c_char_p),
        ("is_result", c_int32),
        ("rank", c_int32),
        ("shape", POINTER(c_int64)),
        ("bytes", c_int64),
    ]


class CLaunch(Sized):
    _fields_ = (
        [("size", c_size_t), ("kernel", c_char_p)]
        + [(name, c_int64 * 3) for name in ("grid", "block", "cluster")]
        + [("dynamic_shared_bytes", c_int64), ("static_shared_bytes", c_int64)]
        + [("registers", c_int64)]
    )


class CCacheCounts(Sized):
    _fields_ = [("size", c_size_t)] + [
        (name, c_int64) for name in ("hits", "misses", "rebuilt", "unsaved", "removed")
    ]


WARNING = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)


class CCompileOptions(Sized):
    _fields_ = (
        [("size", c_size_t)]
        + [(name, c_char_p) for name in ("target", "schedule", "ptxas", "entry")]
        + [("emulator_only", c_int32), ("tuning_file", c_char_p)]
        + [("no_tuning", c_int32), ("refuse_flaws", c_int32)]
        + [("on_warning", WARNING), ("warning_data", c_void_p)]
        + [("device", c_char_p), ("ptxas_timeout_s", c_double)]
        + [("precision", c_char_p), ("max_workspace", POINTER(c_int64))]
        + [("multiprocessors", c_int64), ("shared_bytes_per_workgroup", c_int64)]
    )


class CDevice(Sized):
    _fields_ = (
        [("size", c_size_t), ("name", c_char * 256)]
        + [("target", c_char * 16), ("best_target", c_char * 16)]
        + [("capability_major", c_int32), ("capability_minor", c_int32)]
        + [(name, c_int64) for name in ("multiprocessors", "l2_bytes", "memory_bytes")]
        + [("clock_hz", c_double), ("memory_bytes_per_second", c_double)]
        + [("shared_bytes_per_workgroup", c_int64)]
    )


_HANDLES = POINTER(c_void_p)
# Functions that return a status, and their parameters.
_CHECKED = {
    "problem_parse": [c_char_p, POINTER(CProblem)],
    "compile_problem": [c_char_p, POINTER(CCompileOptions), _HANDLES],
    "compile_module": [c_char_p, c_size_t, c_char_p]
    + [POINTER(CCompileOptions), _HANDLES],
    "can_implement": [c_char_p, POINTER(CCompileOptions), POINTER(c_void_p)],
    "find_ptxas": [c_char_p, c_char_p, c_char_p, POINTER(c_void_p)],
    "cache_open": [c_char_p, c_int64, _HANDLES],
    "cache_problem": [c_void_p, c_char_p, POINTER(CCompileOptions), _HANDLES]
    + [POINTER(c_int32)],
    "cache_module": [c_void_p, c_char_p, c_size_t, c_char_p]
    + [POINTER(CCompileOptions), _HANDLES, POINTER(c_int32)],
    "cache_find_problem": [c_void_p, c_char_p, POINTER(CCompileOptions), _HANDLES],
    "cache_count": [c_void_p, POINTER(CCacheCounts)],
    "cache_list": [c_void_p, POINTER(c_void_p)],
    "cache_clear": [c_void_p, POINTER(c_int64), POINTER(c_int64)],
    "candidate_schedules_on": [c_char_p, c_char_p, c_int64, c_size_t]
    + [POINTER(c_void_p)],
    "add_tuning_record_on": [c_char_p] * 3 + [c_int64] + [c_char_p] * 2 + [c_double],
    "emulate": [c_void_p, _HANDLES, c_size_t],
    "plan_read": [c_char_p, _HANDLES],
    "plan_parse": [c_char_p, c_size_t, _HANDLES],
    "plan_write": [c_void_p, c_char_p],
    "plan_serialise": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "plan_describe": [c_void_p, POINTER(CPlanInfo)],
    "plan_operand": [c_void_p, c_int32, POINTER(COperand)],
    "plan_launch": [c_void_p, c_int32, POINTER(CLaunch)],
    "device_describe": [c_int32, POINTER(CDevice)],
    "device_bound": [POINTER(CDevice), c_char_p, c_int64, c_int64]
    + [POINTER(c_double), POINTER(c_double)],
    "program_load": [c_void_p, c_int32, _HANDLES],
    "program_remark": [c_void_p, POINTER(c_void_p)],
    "program_launch": [c_void_p, _HANDLES, c_size_t, c_void_p, c_size_t, c_void_p],
}
# Those that conv_mlir.torch calls, which has the structures.
_CHECKED.update(
    torch_check=[c_char_p, c_char_p],
    torch_enable=[c_char_p, c_char_p, c_char_p, c_char_p],
    torch_disable=[c_char_p],
    torch_get_signature=[c_void_p, c_void_p],
    torch_add_rule=[c_void_p, c_size_t, c_void_p],
    torch_ask_again=[c_void_p, c_size_t],
    torch_remove_rule=[c_void_p, c_size_t],
    torch_count=[c_void_p, c_size_t, c_void_p],
)
# The others: their parameters and what they return.
_PLAIN = {
    "last_error": ([], c_char_p),
    "version": ([], c_char_p),
    "targets": ([], c_char_p),
    "free": ([c_void_p], None),
    "cache_destroy": ([c_void_p], None),
    "plan_destroy": ([c_void_p], None),
    "program_destroy": ([c_void_p], None),
}


def find_library():
    """The path of the library."""
    given = Environment.read().library
    if given:
        return pathlib.Path(given)
    package = pathlib.Path(__file__).resolve().parent
    root = package.parents[1]
    for bundled in (package / "native/lib" / NAME, root / "lib" / NAME):
        if bundled.exists():
            return bundled
    built = sorted(root.glob(f"build/*/lib/{NAME}"), key=lambda p: p.stat().st_mtime)
    if built:
        return built[-1]
    raise Error(
        f"no {NAME}: expected it in $CONV_MLIR_LIBRARY, {package}/native/lib, "
        f"{root}/lib or {root}/build/*/lib"
    )


class Library:
    """The functions by their names without the prefix. Those that return a
    status raise Error instead."""

    def __init__(self, path):
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Error(f"{path} cannot be loaded: {error}") from None
        for name, (parameters, result) in _PLAIN.items():
            setattr(self, name, self._function(name, parameters, result))
        for name, parameters in _CHECKED.items():
            function = self._function(name, parameters, c_int32)
            setattr(self, name, self._checked(function))

    def _function(self, name, parameters, result):
        try:
            function = getattr(self._library, f"convmlir_{name}")
        except AttributeError:
            path = self._library._name
            raise Error(f"{path} is too old: it has no convmlir_{name}") from None
        function.argtypes = parameters
        function.restype = result
        return function

    def _checked(self, function):
        def call(*arguments):
            status = function(*arguments)
            if status:
                raise Error(self.last_error().decode(errors="replace"), status)

        return call


_loaded = None


def library():
    """The library, loaded by the first call."""
    global _loaded
    if _loaded is None:
        _loaded = Library(find_library())
    return _loaded


def version():
    """The version of the library, "0.1.0"."""
    return library().version().decode()


def encode(text):
    """A text for the library; None stays. Paths may have any bytes."""
    if text is None:
        return None
    if "\0" in str(text):
        raise Error(f"expected a text without NUL, got {str(text)!r}")
    return str(text).encode(errors="surrogateescape")


def take(text):
    """A text that is the caller's to free; None where there is none."""
    if not text:
        return None
    try:
        return ctypes.string_at(text).decode(errors="surrogateescape")
    finally:
        library().free(text)
