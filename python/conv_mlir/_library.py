"""The two libraries: where they are, what their functions take, and their errors.

    library()    libconv-mlir.so, which compiles
    runtime()    libconv-runtime.so, which runs plans: a fiftieth of the size; or
                 libconv-mlir.so, which has the same functions, once that is loaded

Structures and prototypes are those of include/conv-c; ctypes lets other threads
run during every call.
"""

import ctypes
import pathlib
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64
from ctypes import c_size_t, c_void_p

from ._environment import Environment

NAME = "libconv-mlir.so"
RUNTIME_NAME = "libconv-runtime.so"


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
        + [("second_type", c_char_p)]
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
# Functions that return a status, and their parameters. Those of plans, in both
# libraries.
_CHECKED_OF_PLANS = {
    "problem_parse": [c_char_p, POINTER(CProblem)],
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
    # The operands as bytes, which ctypes hands over fastest.
    "program_launch": [c_void_p, c_char_p, c_size_t, c_void_p, c_size_t, c_void_p],
}
# Those of the compiler.
_CHECKED = {
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
    "cache_find_module": [c_void_p, c_char_p, c_size_t, c_char_p]
    + [POINTER(CCompileOptions), _HANDLES],
    "cache_count": [c_void_p, POINTER(CCacheCounts)],
    "cache_list": [c_void_p, POINTER(c_void_p)],
    "cache_clear": [c_void_p, POINTER(c_int64), POINTER(c_int64)],
    "candidate_schedules_on": [c_char_p, c_char_p, c_int64, c_size_t]
    + [POINTER(c_void_p)],
    "add_tuning_record_on": [c_char_p] * 3 + [c_int64] + [c_char_p] * 2 + [c_double],
    "emulate": [c_void_p, _HANDLES, c_size_t],
}
# Those that conv_mlir.torch calls, which has the structures.
_CHECKED.update(
    torch_check=[c_char_p, c_char_p],
    torch_enable=[c_char_p, c_char_p, c_char_p, c_char_p],
    torch_disable=[c_char_p],
    torch_enable_operators=[c_char_p, c_char_p, c_int32, c_char_p, c_char_p, c_char_p],
    torch_disable_operators=[c_char_p, c_char_p],
    torch_get_signature=[c_void_p, c_void_p],
    torch_add_rule=[c_void_p, c_size_t, c_void_p],
    torch_ask_again=[c_void_p, c_size_t],
    torch_remove_rule=[c_void_p, c_size_t],
    torch_count=[c_void_p, c_size_t, c_void_p],
)
# That of conv_mlir.jax.
_CHECKED.update(jax_add_plan=[c_char_p, c_void_p])
# The others: their parameters and what they return.
_PLAIN_OF_PLANS = {
    "last_error": ([], c_char_p),
    "version": ([], c_char_p),
    "free": ([c_void_p], None),
    "plan_destroy": ([c_void_p], None),
    "program_destroy": ([c_void_p], None),
}
_PLAIN = {
    "targets": ([], c_char_p),
    "cache_destroy": ([c_void_p], None),
}


def _find(name):
    """The path of a library of the package, of a bundle or of the newest build;
    None where there is none."""
    package = pathlib.Path(__file__).resolve().parent
    root = package.parents[1]
    for bundled in (package / "native/lib" / name, root / "lib" / name):
        if bundled.exists():
            return bundled
    built = sorted(root.glob(f"build/*/lib/{name}"), key=lambda p: p.stat().st_mtime)
    return built[-1] if built else None


def find_library():
    """The path of the library; of that which runs plans where there is no other."""
    given = Environment.read().library
    if given:
        return pathlib.Path(given)
    found = _find(NAME) or _find(RUNTIME_NAME)
    if found:
        return found
    package = pathlib.Path(__file__).resolve().parent
    root = package.parents[1]
    raise Error(
        f"no {NAME}: expected it in $CONV_MLIR_LIBRARY, {package}/native/lib, "
        f"{root}/lib or {root}/build/*/lib"
    )


def find_runtime():
    """The path of the library that runs plans: the small one beside the other, of
    the same build. The one that the environment names is all that is used."""
    path = find_library()
    beside = path.with_name(RUNTIME_NAME)
    is_named = bool(Environment.read().library)
    return beside if beside.exists() and not is_named else path


class Library:
    """The functions by their names without the prefix. Those that return a
    status raise Error instead."""

    def __init__(self, path):
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Error(f"{path} cannot be loaded: {error}") from None
        self._add(_PLAIN_OF_PLANS, _CHECKED_OF_PLANS)
        self.compiles = hasattr(self._library, "convmlir_compile_problem")
        if self.compiles:
            self._add(_PLAIN, _CHECKED)

    def _add(self, plain, checked):
        for name, (parameters, result) in plain.items():
            setattr(self, name, self._function(name, parameters, result))
        for name, parameters in checked.items():
            function = self._function(name, parameters, c_int32)
            setattr(self, name, self._checked(function))
            # For callers that look at the status themselves.
            setattr(self, f"raw_{name}", function)

    def check(self, status):
        """Error where the status of the last call says so."""
        if status:
            raise Error(self.last_error().decode(errors="replace"), status)

    def address(self, name):
        """Where a function is, for those who call it themselves."""
        return ctypes.cast(self._function(name, None, None), c_void_p).value

    def __getattr__(self, name):
        """What a library that compiles would have."""
        if name in _PLAIN or name in _CHECKED:
            raise Error(
                f"{self._library._name} runs plans, and has neither a compiler nor "
                f"the emulator: expected {NAME}"
            )
        raise AttributeError(name)

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
            self.check(function(*arguments))

        return call


_loaded = _runtime = None


def library():
    """The library, loaded by the first call."""
    global _loaded
    if _loaded is None:
        _loaded = Library(find_library())
    return _loaded


def runtime():
    """The library for what neither compiles nor emulates. What it makes is for its
    own functions."""
    global _runtime
    if _loaded is not None:
        return _loaded
    if _runtime is None:
        _runtime = Library(find_runtime())
    return _runtime


def version():
    """The version of the library, "0.1.0"."""
    return runtime().version().decode()


def encode(text):
    """A text for the library; None stays. Paths may have any bytes."""
    if text is None:
        return None
    if "\0" in str(text):
        raise Error(f"expected a text without NUL, got {str(text)!r}")
    return str(text).encode(errors="surrogateescape")


def take(text, native=None):
    """A text that is the caller's to free; None where there is none. `native`: the
    library that made it, if that is not the compiler's."""
    if not text:
        return None
    try:
        return ctypes.string_at(text).decode(errors="surrogateescape")
    finally:
        (native or library()).free(text)
